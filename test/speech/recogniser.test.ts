// Both recognisers behind one interface: what they are sent, what they are taken to say, and when they are asked again.
import { expect, test } from "vitest";
import { readEnv } from "../../lib/env.ts";
import { languageCode } from "../../lib/speech/language.ts";
import { recogniserOf } from "../../lib/speech/recogniser.ts";
import { bindings } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { startSpeech } from "../local/speech.ts";

const SOUND = { bytes: new Uint8Array([1, 2, 3]), contentType: "audio/mp4", filename: "sound.m4a" };

const worldOf = (vars: Record<string, unknown>, ask: typeof fetch) => ({
  env: readEnv({ ...bindings([]), SPEECH_URL: undefined, SPEECH_API_KEY: undefined, ...vars }),
  fetch: ask,
});

/** Answers in turn; keeps what it was asked. */
function scripted(...answers: (Response | Error)[]) {
  const asked: { url: string; headers: Headers; form: FormData }[] = [];
  const ask = async (input: unknown, init?: RequestInit) => {
    asked.push({ url: String(input), headers: new Headers(init?.headers), form: init?.body as FormData });
    const answer = answers.shift() ?? new Error("asked too often");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, ask: ask as unknown as typeof fetch };
}

const openai = (...answers: (Response | Error)[]) => {
  const { asked, ask } = scripted(...answers);
  const recogniser = recogniserOf(
    worldOf({ SPEECH_URL: "https://speech.example.com/v1/", SPEECH_API_KEY: "secret" }, ask),
  );
  if (!recogniser) throw new Error("one is configured");
  return { asked, recogniser };
};

const SAID = { language: "german", text: "Hallo Welt", words: [{ word: "Hallo", start: 0.1, end: 0.5 }] };

test("an OpenAI-compatible API gets the file, the model and a wish for word times", async () => {
  const { asked, recogniser } = openai(Response.json(SAID));
  expect(await recogniser.hear(SOUND)).toEqual({ language: "de", words: [{ text: "Hallo", start: 0.1, end: 0.5 }] });
  const [request] = asked;
  expect(request?.url).toBe("https://speech.example.com/v1/audio/transcriptions");
  expect(request?.headers.get("authorization")).toBe("Bearer secret");
  const file = request?.form.get("file") as File;
  expect([file.name, file.type, file.size]).toEqual(["sound.m4a", "audio/mp4", 3]);
  expect([request?.form.get("model"), request?.form.get("response_format")]).toEqual(["whisper-1", "verbose_json"]);
  expect(request?.form.getAll("timestamp_granularities[]")).toEqual(["word"]);
});

test("silence has no words; a text without times is no transcription", async () => {
  expect(await openai(Response.json({ text: " " })).recogniser.hear(SOUND)).toEqual({ language: null, words: [] });
  const { recogniser } = openai(Response.json({ text: "Hallo" }));
  await expect(recogniser.hear(SOUND)).rejects.toMatchObject({ code: "transcription_failed", status: 502 });
});

const status = (code: number) => new Response("{}", { status: code });

test.each([
  ["a 500", status(500)],
  ["a 429", status(429)],
  ["a connection that breaks", new TypeError("fetch failed")],
])("is asked once more after %s", async (_, first) => {
  const { asked, recogniser } = openai(first, Response.json(SAID));
  expect((await recogniser.hear(SOUND)).words).toHaveLength(1);
  expect(asked).toHaveLength(2);
});

test.each([
  ["a second 500", [status(500), status(502)], 2],
  ["a 400", [status(400)], 1],
  ["a 401", [status(401)], 1],
  ["an answer that is no JSON", [new Response("<html>")], 1],
  ["a time limit", [new DOMException("late", "TimeoutError")], 1],
])("gives up after %s", async (_, answers, times) => {
  const { asked, recogniser } = openai(...(answers as (Response | Error)[]));
  await expect(recogniser.hear(SOUND)).rejects.toMatchObject({ code: "transcription_failed" });
  expect(asked).toHaveLength(times);
});

test("Workers AI gets base64 and answers in segments; it is used where no URL is set", async () => {
  const asked: [string, object][] = [];
  const said = {
    transcription_info: { language: "en" },
    segments: [
      { words: [{ word: " Hello", start: 0, end: 0.4 }] },
      { words: [{ word: " world", start: 0.5, end: 0.9 }] },
      {},
    ],
  };
  const AI = {
    async run(model: string, input: object) {
      asked.push([model, input]);
      if (asked.length === 1) throw new Error("capacity temporarily exceeded");
      return said;
    },
  };
  const recogniser = recogniserOf(worldOf({ AI }, fetch));
  expect(recogniser?.name).toBe("workers-ai:@cf/openai/whisper-large-v3-turbo");
  const spoken = await recogniser?.hear(SOUND);
  expect(spoken?.language).toBe("en");
  expect(spoken?.words.map(({ text }) => text.trim())).toEqual(["Hello", "world"]);
  expect(asked).toEqual([
    ["@cf/openai/whisper-large-v3-turbo", { audio: "AQID" }],
    ["@cf/openai/whisper-large-v3-turbo", { audio: "AQID" }],
  ]);
  const other = recogniserOf(worldOf({ AI: { run: async () => "nonsense" }, SPEECH_MODEL: "@cf/other" }, fetch));
  expect(other?.name).toBe("workers-ai:@cf/other");
  await expect(other?.hear(SOUND)).rejects.toMatchObject({ code: "transcription_failed" });
  expect(recogniserOf(worldOf({}, fetch))).toBeNull();
});

test("languages by code and by name", () => {
  expect(["en", "English", "german", "Chinese", "zz", ""].map(languageCode)).toEqual([
    "en",
    "en",
    "de",
    "zh",
    null,
    null,
  ]);
});

test("the local recogniser takes what OpenAI takes: it wants a key, a model and a sound that it can decode", async () => {
  const speech = await startSpeech({ calls: createCalls(), port: 0, key: "k" });
  const hear = (key: string) =>
    recogniserOf(worldOf({ SPEECH_URL: speech.url, SPEECH_API_KEY: key }, fetch))?.hear(SOUND);
  try {
    await expect(hear("wrong")).rejects.toMatchObject({ cause: new Error("HTTP 401") });
    await expect(hear("k")).rejects.toMatchObject({ cause: new Error("HTTP 400") });
    const empty = await fetch(`${speech.url}/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: "Bearer k" },
    });
    expect([empty.status, speech.heard()]).toEqual([400, 0]);
  } finally {
    await speech.close();
  }
});
