// Failures and invalid output of the language model, and models of Workers AI.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { createMarker, generateSlideshow, getTexts, readModelRequests, scriptModel } from "./factories.ts";

describe("failures of the model", () => {
  test.each(["garble", "misshape"])("201 retries once with the errors after %s", async (how) => {
    const tenant = await createTestTenant();
    const word = createMarker();
    await scriptModel(word, how);
    const made = await generateSlideshow(tenant, { prompt: `All about ${word}`, slide_count: 3 });
    expect(getTexts(made)).toHaveLength(3);
    const [first, second] = await readModelRequests(word);
    const [output, repairRequest] = second?.asked.messages.slice(-2) ?? [];
    expect(output).toEqual({ role: "assistant", content: first?.answer });
    expect(repairRequest?.role).toBe("user");
    expect(repairRequest?.content).toMatch(how === "garble" ? /not a JSON object/ : /unasked: Unknown field/);
  });

  test.each(["garble", "misshape"])(
    "502 generation_failed after %s twice, without creating a slideshow",
    async (how) => {
      const { api } = await createTestTenant();
      const word = createMarker();
      await scriptModel(word, how, { times: 2 });
      const response = await api.post("/slideshows/generate", { prompt: word });
      expect([response.status, response.body.error_code]).toEqual([502, "generation_failed"]);
      expect(await readModelRequests(word)).toHaveLength(2);
      expect((await api.get("/slideshows")).body.data.total).toBe(0);
    },
  );

  test.each(["500", "429", "refuse"])("502 generation_failed after %s; the Idempotency-Key is free", async (how) => {
    const { api } = await createTestTenant();
    const word = createMarker();
    await scriptModel(word, how);
    const key = { "Idempotency-Key": newId() };
    const send = () => api.post("/slideshows/generate", { prompt: word }, key);
    const failed = await send();
    expect([failed.status, failed.body.error_code]).toEqual([502, "generation_failed"]);
    expect((await send()).status).toBe(201);
    expect((await api.get("/slideshows")).body.data.total).toBe(1);
  });

  test.each(["drop_before", "drop_after", "stall"])("502 generation_failed without a response: %s", async (how) => {
    const { api } = await createTestTenant();
    const word = createMarker();
    await scriptModel(word, how);
    const env = { MODEL_TIMEOUT_MS: "300" };
    const response = await api.call("POST", "/slideshows/generate", { body: { prompt: word }, env });
    expect([response.status, response.body.error_code]).toEqual([502, "generation_failed"]);
  });

  test.each([
    [503, "provider_unavailable", "none is configured", undefined],
    [502, "generation_failed", "the host is unreachable", "http://127.0.0.1:9/v1"],
  ])("%i %s where %s; skip_ai still works", async (status, code, _, MODEL_URL) => {
    const { api } = await createTestTenant();
    const env = { MODEL_URL };
    const send = (body: object) => api.call("POST", "/slideshows/generate", { body: { prompt: "a", ...body }, env });
    const response = await send({});
    expect([response.status, response.body.error_code]).toEqual([status, code]);
    expect((await send({ skip_ai: true })).status).toBe(201);
  });

  test("502 generation_failed for a wrong API key of the model, without exposing the key", async () => {
    const { api } = await createTestTenant();
    const env = { MODEL_API_KEY: "wrong-key" };
    const response = await api.call("POST", "/slideshows/generate", { body: { prompt: "a" }, env });
    expect([response.status, response.body.error_code]).toEqual([502, "generation_failed"]);
    expect(JSON.stringify(response.body)).not.toContain("wrong-key");
  });
});

describe("Workers AI", () => {
  const written = { title: "T", slides: [{ heading: "Only", body: "" }] };
  const call = (run: (model: string, input: Record<string, unknown>) => unknown, more: object = {}) =>
    createTestTenant().then(({ api }) => {
      const env = {
        MODEL_URL: undefined,
        MODEL_NAME: undefined,
        AI: { run: async (...asked: [string, Record<string, unknown>]) => run(...asked) },
        ...more,
      };
      return api.call("POST", "/slideshows/generate", { body: { prompt: "tea", slide_count: 1 }, env });
    });

  test("201 sends the schema, and accepts an object or a JSON text", async () => {
    for (const text of [written, JSON.stringify(written), `\`\`\`json\n${JSON.stringify(written)}\n\`\`\``]) {
      const asked: unknown[] = [];
      const response = await call((model, input) => {
        asked.push([model, input.response_format]);
        return { response: text };
      });
      expect([response.status, response.body.data.title]).toEqual([201, "T"]);
      expect(response.body.data.slides[0].text_elements).toMatchObject([{ content: "Only" }]);
      const schema = { type: "object", required: ["title", "slides"], additionalProperties: false };
      expect(asked).toMatchObject([
        ["@cf/meta/llama-3.3-70b-instruct-fp8-fast", { type: "json_schema", json_schema: schema }],
      ]);
    }
  });

  test("502 for an error, invalid output or a timeout", async () => {
    const failing = await call(() => Promise.reject(new Error("5024: JSON Mode couldn't be met")));
    expect([failing.status, failing.body.error_code]).toEqual([502, "generation_failed"]);
    const empty = await call(() => ({}));
    expect([empty.status, empty.body.error_code]).toEqual([502, "generation_failed"]);
    const slow = await call(() => new Promise(() => undefined), { MODEL_TIMEOUT_MS: "50", MODEL_NAME: "@cf/other" });
    expect([slow.status, slow.body.error_code]).toEqual([502, "generation_failed"]);
  });
});
