// Whisper as Cloudflare runs it, by the Worker's own binding.
import * as z from "zod";
import type { AiBinding } from "../env.ts";
import { languageCode } from "./language.ts";
import type { SoundFile } from "./packets.ts";
import type { Recogniser, Spoken } from "./recogniser.ts";
import { type Try, twice } from "./tries.ts";

interface Options {
  ai: AiBinding;
  model: string;
  withinMs: number;
}

const Word = z.object({ word: z.string(), start: z.number(), end: z.number() });
const Answer = z.object({
  transcription_info: z.object({ language: z.string().nullish() }).nullish(),
  segments: z.array(z.object({ words: z.array(Word).nullish() })).nullish(),
});

export function workersAiRecogniser({ ai, model, withinMs }: Options): Recogniser {
  async function ask({ bytes }: SoundFile): Promise<Try<Spoken>> {
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    const said = await ai.run(model, { audio }, { signal: AbortSignal.timeout(withinMs) });
    const parsed = Answer.safeParse(said);
    if (!parsed.success) return { failed: { passes: false, why: "the answer is no transcription" } };
    const { transcription_info: info, segments } = parsed.data;
    const words = (segments ?? []).flatMap((segment) => segment.words ?? []);
    return {
      heard: {
        language: info?.language ? languageCode(info.language) : null,
        words: words.map(({ word, start, end }) => ({ text: word, start, end })),
      },
    };
  }
  return { name: `workers-ai:${model}`, hear: (sound) => twice(() => ask(sound)) };
}
