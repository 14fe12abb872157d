// Both speech-to-text services: their requests, how responses are read, and when requests are retried.
import { expect, test } from "vitest";
import { readEnv } from "../../lib/services/env.ts";
import { createSpeechToText } from "../../lib/transcription/create-speech-to-text.ts";
import { toLanguageCode } from "../../lib/transcription/language.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { startSpeechToText } from "../local/speech-to-text.ts";
import { createBindings } from "../support/harness.ts";

const SOUND = { bytes: new Uint8Array([1, 2, 3]), contentType: "audio/mp4", filename: "sound.m4a" };

const buildServices = (vars: Record<string, unknown>, fetcher: typeof fetch) => ({
  env: readEnv({ ...createBindings([]), SPEECH_URL: undefined, SPEECH_API_KEY: undefined, ...vars }),
  fetch: fetcher,
});

/** Responds with the given responses in order, and records the requests. */
function createScriptedFetch(...responses: (Response | Error)[]) {
  const requests: { url: string; headers: Headers; form: FormData }[] = [];
  const fetcher = async (input: unknown, init?: RequestInit) => {
    requests.push({ url: String(input), headers: new Headers(init?.headers), form: init?.body as FormData });
    const response = responses.shift() ?? new Error("too many requests");
    if (response instanceof Error) throw response;
    return response;
  };
  return { requests, fetcher: fetcher as unknown as typeof fetch };
}

const createOpenAi = (...responses: (Response | Error)[]) => {
  const { requests, fetcher } = createScriptedFetch(...responses);
  const speechToText = createSpeechToText(
    buildServices({ SPEECH_URL: "https://speech.example.com/v1/", SPEECH_API_KEY: "secret" }, fetcher),
  );
  if (!speechToText) throw new Error("one is configured");
  return { requests, speechToText };
};

const TRANSCRIPT = { language: "german", text: "Hallo", words: [{ word: "Hallo", start: 0.1, end: 0.5 }] };

test("an OpenAI-compatible API receives the file, the model and a request for word timestamps", async () => {
  const { requests, speechToText } = createOpenAi(Response.json(TRANSCRIPT));
  expect(await speechToText.transcribe(SOUND)).toEqual({
    language: "de",
    words: [{ text: "Hallo", start: 0.1, end: 0.5 }],
  });
  const [request] = requests;
  expect(request?.url).toBe("https://speech.example.com/v1/audio/transcriptions");
  expect(request?.headers.get("authorization")).toBe("Bearer secret");
  const file = request?.form.get("file") as File;
  expect([file.name, file.type, file.size]).toEqual(["sound.m4a", "audio/mp4", 3]);
  expect([request?.form.get("model"), request?.form.get("response_format")]).toEqual(["whisper-1", "verbose_json"]);
  expect(request?.form.getAll("timestamp_granularities[]")).toEqual(["word", "segment"]);
});

test.each([
  ["gpt-4o-transcribe-diarize", "diarized_json", "auto"],
  ["gpt-4o-transcribe", "json", null],
  ["gpt-transcribe", "json", null],
  ["whisper-large-v3", "verbose_json", null],
])("%s is asked for %s", async (model, format, chunks) => {
  const { requests, fetcher } = createScriptedFetch(Response.json({ text: "", segments: [] }));
  await createSpeechToText(
    buildServices({ SPEECH_URL: "https://speech.example.com/v1", SPEECH_MODEL: model }, fetcher),
  )?.transcribe(SOUND);
  const form = requests[0]?.form;
  expect([form?.get("response_format"), form?.get("chunking_strategy")]).toEqual([format, chunks]);
  expect(form?.getAll("timestamp_granularities[]")).toHaveLength(format === "verbose_json" ? 2 : 0);
});

test("silence has no words; a text without timestamps is an error", async () => {
  expect(await createOpenAi(Response.json({ text: " " })).speechToText.transcribe(SOUND)).toEqual({
    language: null,
    words: [],
  });
  const { speechToText } = createOpenAi(Response.json({ text: "Hallo" }));
  await expect(speechToText.transcribe(SOUND)).rejects.toMatchObject({
    code: "transcription_failed",
    status: 502,
    message: expect.stringContaining("returns no times"),
  });
});

const buildResponse = (code: number) => new Response("{}", { status: code });

test.each([
  ["a 500", buildResponse(500)],
  ["a 429", buildResponse(429)],
  ["a broken connection", new TypeError("fetch failed")],
])("retries once after %s", async (_, first) => {
  const { requests, speechToText } = createOpenAi(first, Response.json(TRANSCRIPT));
  expect((await speechToText.transcribe(SOUND)).words).toHaveLength(1);
  expect(requests).toHaveLength(2);
});

test.each([
  ["a second 500", [buildResponse(500), buildResponse(502)], 2],
  ["a 400", [buildResponse(400)], 1],
  ["a 401", [buildResponse(401)], 1],
  ["a response that is not JSON", [new Response("<html>")], 1],
  ["a timeout", [new DOMException("late", "TimeoutError")], 1],
])("fails after %s", async (_, responses, times) => {
  const { requests, speechToText } = createOpenAi(...(responses as (Response | Error)[]));
  await expect(speechToText.transcribe(SOUND)).rejects.toMatchObject({ code: "transcription_failed" });
  expect(requests).toHaveLength(times);
});

test("Workers AI receives base64 and returns segments; it is used when no URL is set", async () => {
  const requests: [string, object][] = [];
  const output = {
    transcription_info: { language: "en" },
    segments: [
      { words: [{ word: " Hello", start: 0, end: 0.4 }] },
      { words: [{ word: " world", start: 0.5, end: 0.9 }] },
      {},
    ],
  };
  const AI = {
    async run(model: string, input: object) {
      requests.push([model, input]);
      if (requests.length === 1) throw new Error("capacity temporarily exceeded");
      return output;
    },
  };
  const speechToText = createSpeechToText(buildServices({ AI }, fetch));
  expect(speechToText?.name).toBe("workers-ai:@cf/openai/whisper-large-v3-turbo");
  const transcript = await speechToText?.transcribe(SOUND);
  expect(transcript?.language).toBe("en");
  expect(transcript?.words.map(({ text }) => text.trim())).toEqual(["Hello", "world"]);
  expect(requests).toEqual([
    ["@cf/openai/whisper-large-v3-turbo", { audio: "AQID" }],
    ["@cf/openai/whisper-large-v3-turbo", { audio: "AQID" }],
  ]);
  const inputs: Record<string, unknown>[] = [];
  const run = async (_model: string, input: Record<string, unknown>) => {
    inputs.push(input);
    return { text: "Hello", words: [{ word: "Hello", start: 0, end: 0.4 }] };
  };
  for (const model of ["@cf/openai/whisper", "@cf/openai/whisper-tiny-en", "@cf/deepgram/nova-3"]) {
    const service = createSpeechToText(buildServices({ AI: { run }, SPEECH_MODEL: model }, fetch));
    expect((await service?.transcribe(SOUND))?.words).toEqual([{ text: "Hello", start: 0, end: 0.4 }]);
  }
  const body = expect.any(ReadableStream);
  expect(inputs).toEqual([
    { audio: [1, 2, 3] },
    { audio: [1, 2, 3] },
    { audio: { body, contentType: "audio/mp4" }, punctuate: true, detect_language: true },
  ]);
  const other = createSpeechToText(
    buildServices({ AI: { run: async () => "nonsense" }, SPEECH_MODEL: "@cf/other" }, fetch),
  );
  expect(other?.name).toBe("workers-ai:@cf/other");
  await expect(other?.transcribe(SOUND)).rejects.toMatchObject({ code: "transcription_failed" });
  expect(createSpeechToText(buildServices({}, fetch))).toBeNull();
});

test("languages are recognized by code and by name", () => {
  expect(["en", "English", "german", "Chinese", "zz", ""].map(toLanguageCode)).toEqual([
    "en",
    "en",
    "de",
    "zh",
    null,
    null,
  ]);
});

test("the names and codes of Whisper that ISO 639-1 does not have", () => {
  const names = ["bengali", "Myanmar", "maori", "tagalog", "nynorsk", "javanese", "jw", "iw", "nb-NO", "constructor"];
  expect(names.map(toLanguageCode)).toEqual(["bn", "my", "mi", "tl", "nn", "jv", "jv", "he", "nb", null]);
});

test("the local speech-to-text server requires a key, a model and decodable audio, like OpenAI", async () => {
  const speech = await startSpeechToText({ calls: createCallCounter(), port: 0, key: "k" });
  const transcribe = (key: string) =>
    createSpeechToText(buildServices({ SPEECH_URL: speech.url, SPEECH_API_KEY: key }, fetch))?.transcribe(SOUND);
  try {
    await expect(transcribe("wrong")).rejects.toMatchObject({ cause: new Error("HTTP 401") });
    await expect(transcribe("k")).rejects.toMatchObject({ cause: new Error("HTTP 400") });
    const empty = await fetch(`${speech.url}/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: "Bearer k" },
    });
    expect([empty.status, speech.countTranscriptions()]).toEqual([400, 0]);
  } finally {
    await speech.close();
  }
});
