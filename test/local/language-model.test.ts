// The fake language model over HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { startLanguageModel } from "./language-model.ts";

const calls = createCallCounter();
let model: Awaited<ReturnType<typeof startLanguageModel>>;
beforeAll(async () => {
  model = await startLanguageModel({ port: 0, calls, key: "k" });
});
afterAll(() => model.close());

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    points: { type: "array", minItems: 3, maxItems: 3, items: { type: "string" } },
  },
  required: ["name", "points"],
  additionalProperties: false,
};

const TITLED = { ...SCHEMA, properties: { title: { type: "string" } }, required: ["title"] };

async function complete(content: string, schema: object = SCHEMA, key = "k") {
  const response = await fetch(`${model.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: "any",
      messages: [{ role: "user", content }],
      response_format: { type: "json_schema", json_schema: { name: "a", strict: true, schema } },
    }),
  });
  const body = (await response.json()) as { choices?: { message: { content: string } }[] };
  return { status: response.status, body };
}
const parseContent = ({ body }: Awaited<ReturnType<typeof complete>>) =>
  JSON.parse(body.choices?.[0]?.message.content ?? "null");
const script = (body: object) => fetch(`${model.url}/_behave`, { method: "POST", body: JSON.stringify(body) });

test("200 in the requested schema with words of the prompt; equal requests return equal responses", async () => {
  const [first, again, other] = [
    await complete("green tea wakes"),
    await complete("green tea wakes"),
    await complete("milk is white"),
  ];
  expect(parseContent(first)).toEqual({ name: expect.any(String), points: Array(3).fill(expect.any(String)) });
  for (const text of parseContent(first).points)
    expect(text).toMatch(/^Placeholder text of the local model:( (green|tea|wakes))+$/);
  expect(parseContent(again)).toEqual(parseContent(first));
  expect(parseContent(other).name).toMatch(/: ((milk|is|white) ?)+$/);
});

test("200 uses only the subject of a JSON prompt, in words that fit a heading", async () => {
  const prompt = { topic: "tea", language: "same_as_prompt", slideshow_type: "educational", slides: ["title"] };
  expect(parseContent(await complete(JSON.stringify(prompt))).name).toMatch(/: (tea ?)+$/);
  expect(
    parseContent(await complete(JSON.stringify({ ...prompt, topic: "x".repeat(2000) }), TITLED)).title.length,
  ).toBeLessThanOrEqual(120);
});

test("401 for another key, 400 for a schema that violates strict mode", async () => {
  expect((await complete("a", SCHEMA, "x")).status).toBe(401);
  for (const schema of [
    { ...SCHEMA, additionalProperties: true },
    { ...SCHEMA, required: ["name"] },
    { ...SCHEMA, properties: { ...SCHEMA.properties, name: { type: "string", maxLength: 3 } } },
  ]) {
    expect((await complete("a", schema)).status).toBe(400);
  }
});

test("200 scripts one response for prompts that contain a word, 422 explains an invalid script", async () => {
  expect((await script({ answer: "500", containing: "cocoa" })).status).toBe(200);
  expect([(await complete("tea")).status, (await complete("cocoa")).status, (await complete("cocoa")).status]).toEqual([
    200, 500, 200,
  ]);
  const rejected = await script({ answer: "shrug" });
  expect([rejected.status, await rejected.text()]).toEqual([422, expect.stringContaining("garble")]);
});

test("a stop drops connections until it ends", async () => {
  calls.stop("model", 60_000);
  await expect(complete("a")).rejects.toThrow();
  calls.reset();
  expect((await complete("a")).status).toBe(200);
});
