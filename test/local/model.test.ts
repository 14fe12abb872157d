// The stand-in of the language model, as a test from outside sees it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCalls } from "./calls.ts";
import { startModel } from "./model.ts";

const calls = createCalls();
let model: Awaited<ReturnType<typeof startModel>>;
beforeAll(async () => {
  model = await startModel({ port: 0, calls, key: "k" });
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

async function ask(content: string, schema: object = SCHEMA, key = "k") {
  const answer = await fetch(`${model.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: "any",
      messages: [{ role: "user", content }],
      response_format: { type: "json_schema", json_schema: { name: "a", strict: true, schema } },
    }),
  });
  const body = (await answer.json()) as { choices?: { message: { content: string } }[] };
  return { status: answer.status, body };
}
const said = ({ body }: Awaited<ReturnType<typeof ask>>) => JSON.parse(body.choices?.[0]?.message.content ?? "null");
const script = (body: object) => fetch(`${model.url}/_behave`, { method: "POST", body: JSON.stringify(body) });

test("200 in the schema that was given, with words of the request; the same request gets the same answer", async () => {
  const [first, again, other] = [
    await ask("green tea wakes"),
    await ask("green tea wakes"),
    await ask("milk is white"),
  ];
  expect(said(first)).toEqual({ name: expect.any(String), points: Array(3).fill(expect.any(String)) });
  for (const text of said(first).points) expect(text).toMatch(/^((green|tea|wakes) ?)+$/);
  expect(said(again)).toEqual(said(first));
  expect(said(other).name).toMatch(/^((milk|is|white) ?)+$/);
});

test("200 of a JSON brief, only what it is about, in words that fit a heading", async () => {
  const brief = { topic: "tea", language: "same_as_prompt", slideshow_type: "educational", slides: ["title"] };
  expect(said(await ask(JSON.stringify(brief))).name).toMatch(/^(tea ?)+$/);
  expect(said(await ask(JSON.stringify({ ...brief, topic: "x".repeat(2000) }))).name.length).toBeLessThanOrEqual(120);
});

test("401 for another key, 400 for a schema that a strict decoder refuses", async () => {
  expect((await ask("a", SCHEMA, "x")).status).toBe(401);
  for (const schema of [
    { ...SCHEMA, additionalProperties: true },
    { ...SCHEMA, required: ["name"] },
    { ...SCHEMA, properties: { ...SCHEMA.properties, name: { type: "string", maxLength: 3 } } },
  ]) {
    expect((await ask("a", schema)).status).toBe(400);
  }
});

test("200 scripts one answer to whoever says the word, and 422 names what is wrong with a script", async () => {
  expect((await script({ answer: "500", containing: "cocoa" })).status).toBe(200);
  expect([(await ask("tea")).status, (await ask("cocoa")).status, (await ask("cocoa")).status]).toEqual([
    200, 500, 200,
  ]);
  const refused = await script({ answer: "shrug" });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("garble")]);
});

test("a stop drops its callers until it ends", async () => {
  calls.stop("model", 60_000);
  await expect(ask("a")).rejects.toThrow();
  calls.reset();
  expect((await ask("a")).status).toBe(200);
});
