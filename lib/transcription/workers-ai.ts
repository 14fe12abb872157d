// Speech-to-text by a model of Workers AI, through the Worker's binding.
import type { AiBinding } from "../services/env.ts";
import type { AudioFile } from "./encoded-audio.ts";
import { type Attempt, retryOnce } from "./retry-once.ts";
import type { SpeechToText, Transcript } from "./speech-to-text.ts";
import { parseTranscript } from "./transcript.ts";

interface WorkersAiOptions {
  ai: AiBinding;
  model: string;
  timeoutMs: number;
}

export function createWorkersAiSpeechToText({ ai, model, timeoutMs }: WorkersAiOptions): SpeechToText {
  async function requestTranscript(file: AudioFile): Promise<Attempt<Transcript>> {
    const signal = AbortSignal.timeout(timeoutMs);
    return parseTranscript(await ai.run(model, buildInput(model, file), { signal }));
  }
  return { name: `workers-ai:${model}`, transcribe: (file) => retryOnce(() => requestTranscript(file)) };
}

/**
 * Every model takes audio in its own way: https://developers.cloudflare.com/workers-ai/models/whisper/, its neighbour
 * whisper-large-v3-turbo, and https://github.com/cloudflare/ai/releases/tag/workers-ai-provider%403.1.0, read 2026-11-28.
 */
function buildInput(model: string, { bytes, contentType }: AudioFile): object {
  if (model.includes("/deepgram/")) {
    return { audio: { body: new Response(bytes).body, contentType }, punctuate: true, detect_language: true };
  }
  if (/whisper(-tiny-en)?$/.test(model)) return { audio: [...bytes] };
  return { audio: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}
