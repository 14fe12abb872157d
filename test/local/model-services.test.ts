// Real models in the place of the fakes: what is taken from the settings, what is said about it, and what a model receives.
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { findModelServices, readModelSettings } from "./model-services.ts";

const KEY = "sk-own";
const SLIDES = { title: "Tea", slides: [{ heading: "Tea from a real model", body: "" }] };
const requests: { path: string; key: string | undefined; body: string }[] = [];
let vectorLength = 384;

/** A server in OpenAI's format, written for this test alone. */
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const path = request.url ?? "";
    requests.push({ path, key: request.headers.authorization, body });
    const answers: Record<string, object> = {
      "/v1/models": { data: [{ id: "tiny" }] },
      "/v1/embeddings": { data: [{ index: 0, embedding: Array(vectorLength).fill(0.1) }] },
      "/v1/chat/completions": { choices: [{ message: { role: "assistant", content: JSON.stringify(SLIDES) } }] },
    };
    const isAllowed = request.headers.authorization === `Bearer ${KEY}`;
    response.writeHead(isAllowed ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isAllowed ? answers[path] : { error: {} }));
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());

test("without settings, each service is described and none is replaced", async () => {
  const { vars, real, lines } = await findModelServices({});
  expect([vars, real.size]).toEqual([{}, 0]);
  expect(lines).toEqual([
    expect.stringMatching(/^texts +fake: /),
    expect.stringMatching(/^speech +fake: /),
    expect.stringMatching(/^search +real, on this machine/),
  ]);
});

test("settings are read from a file, and the environment takes precedence", async () => {
  const file = join(tmpdir(), `${newId()}.env`);
  onTestFinished(() => rm(file));
  await writeFile(file, `MODEL_URL="${url}"\nMODEL_NAME=tiny # small\nTOKEN_KEY=not-for-this\nSPEECH_URL=\n`);
  const settings = await readModelSettings(file, { MODEL_NAME: "other", PATH: "/bin" });
  expect(JSON.parse(JSON.stringify(settings))).toEqual({ MODEL_URL: url, MODEL_NAME: "other" });
  expect(JSON.parse(JSON.stringify(await readModelSettings(`${file}.missing`, {})))).toEqual({});
});

test("a model that responds is used with its key, by the service too", async () => {
  const settings = { MODEL_URL: url, MODEL_NAME: "tiny", MODEL_API_KEY: KEY };
  const { vars, real, lines } = await findModelServices(settings);
  expect([vars, [...real], lines[0]]).toEqual([settings, ["MODEL"], `texts      real: tiny at ${url}`]);
  requests.length = 0;
  const { api } = await createTestTenant();
  const response = await api.call("POST", "/slideshows/generate", {
    body: { prompt: "tea", slide_count: 1 },
    env: vars,
  });
  expect(response.body.data.slides[0].text_elements[0].content).toBe("Tea from a real model");
  expect(requests).toEqual([
    { path: "/v1/chat/completions", key: `Bearer ${KEY}`, body: expect.stringMatching(/"model":"tiny".*tea/) },
  ]);
});

test("a rejected key and a server that does not respond are said, and the settings are kept", async () => {
  const rejected = await findModelServices({ SPEECH_URL: url, SPEECH_API_KEY: "sk-wrong" });
  expect(rejected.lines[1]).toBe(`speech     real: ${url}, but it rejects the key (HTTP 401)`);
  expect([...rejected.real]).toEqual(["SPEECH"]);
  const silent = await findModelServices({ MODEL_URL: "http://127.0.0.1:1/v1", MODEL_NAME: "tiny" });
  expect(silent.lines[0]).toMatch(/but nothing responds there/);
  expect([...silent.real]).toEqual(["MODEL"]);
});

test("vectors of another length are explained, and the local model stays", async () => {
  const settings = { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: "tiny", EMBEDDINGS_API_KEY: KEY };
  expect(await findModelServices(settings)).toMatchObject({ vars: settings, real: new Set(["EMBEDDINGS"]) });
  vectorLength = 768;
  const { vars, real, lines } = await findModelServices(settings);
  vectorLength = 384;
  expect([vars, real.size]).toEqual([{}, 0]);
  expect(lines[2]).toMatch(/tiny at .* is not used: its vectors have 768 numbers, and the library stores 384/);
});

test.each([
  [{ MODEL_URL: "localhost:11434" }, "MODEL_URL must be a URL such as http://127.0.0.1:11434/v1, not localhost:11434"],
  [{ MODEL_URL: "http://127.0.0.1:1" }, "MODEL_URL is set: set MODEL_NAME to the name of one of its models, too."],
  [{ EMBEDDINGS_URL: "http://127.0.0.1:1" }, "EMBEDDINGS_URL is set: set EMBEDDINGS_MODEL"],
])("%j cannot be started with", async (settings, message) => {
  await expect(findModelServices(settings)).rejects.toThrow(message);
});
