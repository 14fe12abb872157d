// Speech-to-text by an OpenAI-compatible API: /audio/transcriptions with word timestamps.
import * as z from "zod";
import type { AudioFile } from "./encoded-audio.ts";
import { toLanguageCode } from "./language.ts";
import { type Attempt, retryOnce } from "./retry-once.ts";
import type { SpeechToText, Transcript } from "./speech-to-text.ts";

interface OpenAiOptions {
  /** The base URL, without a trailing slash. */
  url: string;
  model: string;
  key: string | null;
  timeoutMs: number;
  fetch: typeof fetch;
}

const Word = z.object({ word: z.string(), start: z.number(), end: z.number() });
const TranscriptionResponse = z.object({
  language: z.string().nullish(),
  text: z.string(),
  words: z.array(Word).nullish(),
});

export function createOpenAiSpeechToText({ url, model, key, timeoutMs, fetch }: OpenAiOptions): SpeechToText {
  async function requestTranscript(audio: AudioFile): Promise<Attempt<Transcript>> {
    const form = new FormData();
    form.set("file", new Blob([audio.bytes], { type: audio.contentType }), audio.filename);
    form.set("model", model);
    form.set("response_format", "verbose_json");
    form.set("timestamp_granularities[]", "word");
    const response = await fetch(`${url}/audio/transcriptions`, {
      method: "POST",
      headers: key ? { Authorization: `Bearer ${key}` } : {},
      body: form,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.ok) return parseTranscript(text);
    return {
      failure: { retryable: response.status >= 500 || response.status === 429, reason: `HTTP ${response.status}` },
    };
  }
  return { name: `openai:${model}`, transcribe: (audio) => retryOnce(() => requestTranscript(audio)) };
}

function parseTranscript(text: string): Attempt<Transcript> {
  const parsed = TranscriptionResponse.safeParse(parseJson(text));
  if (!parsed.success) return { failure: { retryable: false, reason: "the response is not a transcription" } };
  const { language, words, text: fullText } = parsed.data;
  // Text without word times is unusable; silence has neither text nor words.
  if (!words && fullText.trim() !== "")
    return { failure: { retryable: false, reason: "the response has no word timestamps" } };
  const transcriptWords = (words ?? []).map(({ word, start, end }) => ({ text: word, start, end }));
  return { value: { language: language ? toLanguageCode(language) : null, words: transcriptWords } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
