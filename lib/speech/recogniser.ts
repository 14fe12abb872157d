// Who turns sound into words with their times, behind one small interface, whichever one the settings name.
import type { Env } from "../env.ts";
import { openAiRecogniser } from "./openai.ts";
import type { SoundFile } from "./packets.ts";
import { workersAiRecogniser } from "./workers-ai.ts";

/** Times in seconds from the beginning of the sound. */
export interface SpokenWord {
  text: string;
  start: number;
  end: number;
}

export interface Spoken {
  /** ISO 639-1 where the recogniser says. */
  language: string | null;
  words: SpokenWord[];
}

export interface Recogniser {
  /** What it heard is kept under this name. */
  name: string;
  /** Throws 502 transcription_failed, whatever went wrong. */
  hear(sound: SoundFile): Promise<Spoken>;
}

const OPENAI_MODEL = "whisper-1";
const WORKERS_AI_MODEL = "@cf/openai/whisper-large-v3-turbo";

/** The recogniser of this deployment; null when none is configured. */
export function recogniserOf({ env, fetch: ask }: { env: Env; fetch: typeof fetch }): Recogniser | null {
  const { SPEECH_URL: url, SPEECH_MODEL: model, SPEECH_API_KEY: key, SPEECH_TIMEOUT_MS: withinMs, ai } = env;
  if (url) {
    const options = { url: url.replace(/\/+$/, ""), model: model ?? OPENAI_MODEL, key: key ?? null, withinMs };
    return openAiRecogniser({ ...options, fetch: ask });
  }
  return ai ? workersAiRecogniser({ ai, model: model ?? WORKERS_AI_MODEL, withinMs }) : null;
}
