// Speech-to-text by Whisper on Workers AI, through the Worker's binding.
import * as z from "zod";
import type { AiBinding } from "../services/env.ts";
import type { AudioFile } from "./encoded-audio.ts";
import { toLanguageCode } from "./language.ts";
import { type Attempt, retryOnce } from "./retry-once.ts";
import type { SpeechToText, Transcript } from "./speech-to-text.ts";

interface WorkersAiOptions {
  ai: AiBinding;
  model: string;
  timeoutMs: number;
}

const Word = z.object({ word: z.string(), start: z.number(), end: z.number() });
const TranscriptionResponse = z.object({
  transcription_info: z.object({ language: z.string().nullish() }).nullish(),
  segments: z.array(z.object({ words: z.array(Word).nullish() })).nullish(),
});

export function createWorkersAiSpeechToText({ ai, model, timeoutMs }: WorkersAiOptions): SpeechToText {
  async function requestTranscript({ bytes }: AudioFile): Promise<Attempt<Transcript>> {
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    const output = await ai.run(model, { audio }, { signal: AbortSignal.timeout(timeoutMs) });
    const parsed = TranscriptionResponse.safeParse(output);
    if (!parsed.success) return { failure: { retryable: false, reason: "the response is not a transcription" } };
    const { transcription_info: info, segments } = parsed.data;
    const words = (segments ?? []).flatMap((segment) => segment.words ?? []);
    return {
      value: {
        language: info?.language ? toLanguageCode(info.language) : null,
        words: words.map(({ word, start, end }) => ({ text: word, start, end })),
      },
    };
  }
  return { name: `workers-ai:${model}`, transcribe: (file) => retryOnce(() => requestTranscript(file)) };
}
