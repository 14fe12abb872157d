// A language model that fails, answers otherwise than it was asked to, or is not there; and the one behind a binding.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { mintTenant } from "../harness.ts";
import { behave, generated, heard, mark, textsOf } from "./made.ts";

describe("a model that fails", () => {
  test.each(["garble", "misshape"])(
    "201 one answer to %s is sent back with what was wrong, and mended",
    async (how) => {
      const tenant = await mintTenant();
      const word = mark();
      await behave(word, how);
      const made = await generated(tenant, { prompt: `All about ${word}`, slide_count: 3 });
      expect(textsOf(made)).toHaveLength(3);
      const [first, second] = await heard(word);
      const [said, told] = second?.asked.messages.slice(-2) ?? [];
      expect(said).toEqual({ role: "assistant", content: first?.answer });
      expect(told?.role).toBe("user");
      expect(told?.content).toMatch(how === "garble" ? /not a JSON object/ : /unasked: Unknown field/);
    },
  );

  test.each(["garble", "misshape"])(
    "502 generation_failed after a second answer to %s; nothing is made",
    async (how) => {
      const { api } = await mintTenant();
      const word = mark();
      await behave(word, how, { times: 2 });
      const answer = await api.post("/slideshows/generate", { prompt: word });
      expect([answer.status, answer.body.error_code]).toEqual([502, "generation_failed"]);
      expect(await heard(word)).toHaveLength(2);
      expect((await api.get("/slideshows")).body.data.total).toBe(0);
    },
  );

  test.each(["500", "429", "refuse"])(
    "502 generation_failed when it answers with %s; the key of the request is free again",
    async (how) => {
      const { api } = await mintTenant();
      const word = mark();
      await behave(word, how);
      const key = { "Idempotency-Key": newId() };
      const ask = () => api.post("/slideshows/generate", { prompt: word }, key);
      const failed = await ask();
      expect([failed.status, failed.body.error_code]).toEqual([502, "generation_failed"]);
      expect((await ask()).status).toBe(201);
      expect((await api.get("/slideshows")).body.data.total).toBe(1);
    },
  );

  test.each(["drop_before", "drop_after", "stall"])(
    "502 generation_failed when %s leaves it without an answer",
    async (how) => {
      const { api } = await mintTenant();
      const word = mark();
      await behave(word, how);
      const env = { MODEL_TIMEOUT_MS: "300" };
      const answer = await api.call("POST", "/slideshows/generate", { body: { prompt: word }, env });
      expect([answer.status, answer.body.error_code]).toEqual([502, "generation_failed"]);
    },
  );

  test.each([
    [503, "provider_unavailable", "none is configured", undefined],
    [502, "generation_failed", "nobody listens", "http://127.0.0.1:9/v1"],
  ])("%i %s where %s; skip_ai still works", async (status, code, _, MODEL_URL) => {
    const { api } = await mintTenant();
    const env = { MODEL_URL };
    const ask = (body: object) => api.call("POST", "/slideshows/generate", { body: { prompt: "a", ...body }, env });
    const answer = await ask({});
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
    expect((await ask({ skip_ai: true })).status).toBe(201);
  });

  test("502 generation_failed when the model's key is wrong, and no answer repeats the key", async () => {
    const { api } = await mintTenant();
    const env = { MODEL_API_KEY: "wrong-key" };
    const answer = await api.call("POST", "/slideshows/generate", { body: { prompt: "a" }, env });
    expect([answer.status, answer.body.error_code]).toEqual([502, "generation_failed"]);
    expect(JSON.stringify(answer.body)).not.toContain("wrong-key");
  });
});

describe("Workers AI", () => {
  const written = { title: "T", slides: [{ heading: "Only", body: "" }] };
  const call = (run: (model: string, input: Record<string, unknown>) => unknown, more: object = {}) =>
    mintTenant().then(({ api }) => {
      const env = {
        MODEL_URL: undefined,
        MODEL_NAME: undefined,
        AI: { run: async (...asked: [string, Record<string, unknown>]) => run(...asked) },
        ...more,
      };
      return api.call("POST", "/slideshows/generate", { body: { prompt: "tea", slide_count: 1 }, env });
    });

  test("201 is asked with the schema, and its object is taken as it is or as text", async () => {
    for (const response of [written, JSON.stringify(written), `\`\`\`json\n${JSON.stringify(written)}\n\`\`\``]) {
      const asked: unknown[] = [];
      const answer = await call((model, input) => {
        asked.push([model, input.response_format]);
        return { response };
      });
      expect([answer.status, answer.body.data.title]).toEqual([201, "T"]);
      expect(answer.body.data.slides[0].text_elements).toMatchObject([{ content: "Only" }]);
      const schema = { type: "object", required: ["title", "slides"], additionalProperties: false };
      expect(asked).toMatchObject([
        ["@cf/meta/llama-3.3-70b-instruct-fp8-fast", { type: "json_schema", json_schema: schema }],
      ]);
    }
  });

  test("502 when it fails, answers otherwise or takes too long", async () => {
    const failing = await call(() => Promise.reject(new Error("5024: JSON Mode couldn't be met")));
    expect([failing.status, failing.body.error_code]).toEqual([502, "generation_failed"]);
    const empty = await call(() => ({}));
    expect([empty.status, empty.body.error_code]).toEqual([502, "generation_failed"]);
    const slow = await call(() => new Promise(() => undefined), { MODEL_TIMEOUT_MS: "50", MODEL_NAME: "@cf/other" });
    expect([slow.status, slow.body.error_code]).toEqual([502, "generation_failed"]);
  });
});
