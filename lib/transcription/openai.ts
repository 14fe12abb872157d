// Speech-to-text by an OpenAI-compatible API: /audio/transcriptions with the times of words and segments.
import { parseJson } from "../shared/parse-json.ts";
import type { AudioFile } from "./encoded-audio.ts";
import { type Attempt, retryOnce } from "./retry-once.ts";
import type { SpeechToText, Transcript } from "./speech-to-text.ts";
import { parseTranscript } from "./transcript.ts";

interface OpenAiOptions {
  /** The base URL, without a trailing slash. */
  url: string;
  model: string;
  key: string | null;
  timeoutMs: number;
  fetch: typeof fetch;
}

export function createOpenAiSpeechToText({ url, model, key, timeoutMs, fetch }: OpenAiOptions): SpeechToText {
  async function requestTranscript(audio: AudioFile): Promise<Attempt<Transcript>> {
    const form = new FormData();
    form.set("file", new Blob([audio.bytes], { type: audio.contentType }), audio.filename);
    form.set("model", model);
    for (const [name, value] of listFormatFields(model)) form.append(name, value);
    const response = await fetch(`${url}/audio/transcriptions`, {
      method: "POST",
      headers: key ? { Authorization: `Bearer ${key}` } : {},
      body: form,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.ok) return parseTranscript(parseJson(text));
    return {
      failure: { retryable: response.status >= 500 || response.status === 429, reason: `HTTP ${response.status}` },
    };
  }
  return { name: `openai:${model}`, transcribe: (audio) => retryOnce(() => requestTranscript(audio)) };
}

/**
 * Segments tell where nobody speaks. OpenAI's newer models take no `verbose_json`; of them, only those that tell speakers
 * apart return times: CreateTranscriptionRequest of https://github.com/openai/openai-openapi, read 2026-11-28.
 */
function listFormatFields(model: string): [string, string][] {
  if (/^gpt-.*-diarize/.test(model)) {
    return [
      ["response_format", "diarized_json"],
      ["chunking_strategy", "auto"],
    ];
  }
  if (/^gpt-/.test(model)) return [["response_format", "json"]];
  return [
    ["response_format", "verbose_json"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
  ];
}
