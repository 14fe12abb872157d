// Whatever speaks OpenAI's /audio/transcriptions with word timestamps over HTTP.
import * as z from "zod";
import { languageCode } from "./language.ts";
import type { SoundFile } from "./packets.ts";
import type { Recogniser, Spoken } from "./recogniser.ts";
import { type Try, twice } from "./tries.ts";

interface Options {
  /** The base URL, without a slash at its end. */
  url: string;
  model: string;
  key: string | null;
  withinMs: number;
  fetch: typeof fetch;
}

const Word = z.object({ word: z.string(), start: z.number(), end: z.number() });
const Answer = z.object({ language: z.string().nullish(), text: z.string(), words: z.array(Word).nullish() });

export function openAiRecogniser({ url, model, key, withinMs, fetch }: Options): Recogniser {
  async function ask(sound: SoundFile): Promise<Try<Spoken>> {
    const form = new FormData();
    form.set("file", new Blob([sound.bytes], { type: sound.contentType }), sound.filename);
    form.set("model", model);
    form.set("response_format", "verbose_json");
    form.set("timestamp_granularities[]", "word");
    const answer = await fetch(`${url}/audio/transcriptions`, {
      method: "POST",
      headers: key ? { Authorization: `Bearer ${key}` } : {},
      body: form,
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await answer.text();
    if (answer.ok) return read(text);
    return { failed: { passes: answer.status >= 500 || answer.status === 429, why: `HTTP ${answer.status}` } };
  }
  return { name: `openai:${model}`, hear: (sound) => twice(() => ask(sound)) };
}

function read(text: string): Try<Spoken> {
  const parsed = Answer.safeParse(json(text));
  if (!parsed.success) return { failed: { passes: false, why: "the answer is no transcription" } };
  const { language, words, text: said } = parsed.data;
  // A text without times can't be placed; silence has neither.
  if (!words && said.trim() !== "") return { failed: { passes: false, why: "the answer has no word times" } };
  const spoken = (words ?? []).map(({ word, start, end }) => ({ text: word, start, end }));
  return { heard: { language: language ? languageCode(language) : null, words: spoken } };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
