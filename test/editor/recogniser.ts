// A recogniser of a test's own: what happens while it listens is for the test to say.
import { createCalls } from "../local/calls.ts";
import { type Speech, startSpeech } from "../local/speech.ts";

export interface OwnSpeech extends Speech {
  /** Settings that make the Worker ask it. */
  env: Record<string, string>;
  /** How many transcriptions were asked for. */
  asked(): number;
  /** What the next ones meet before they are heard, each once; then nothing. */
  meets(...works: (() => Promise<number | undefined> | number | undefined)[]): void;
}

export async function ownSpeech(): Promise<OwnSpeech> {
  const speech = await startSpeech({ calls: createCalls(), port: 0, key: "own" });
  let asked = 0;
  let next: Parameters<OwnSpeech["meets"]> = [];
  speech.before(async () => {
    asked += 1;
    return next.shift()?.();
  });
  return {
    ...speech,
    env: { SPEECH_URL: speech.url, SPEECH_API_KEY: "own", SPEECH_MODEL: "own" },
    asked: () => asked,
    meets: (...works) => {
      next = works;
    },
  };
}
