// A speech-to-text server for one test, which controls what happens during a transcription.
import { createCallCounter } from "../local/call-counter.ts";
import { type SpeechToText, startSpeechToText } from "../local/speech-to-text.ts";

export interface SpeechServer extends SpeechToText {
  /** Settings that make the Worker use this server. */
  env: Record<string, string>;
  /** Returns the number of requested transcriptions. */
  countRequests(): number;
  /** Handlers that run before the next transcriptions, each once. */
  intercept(...handlers: (() => Promise<number | undefined> | number | undefined)[]): void;
}

export async function startSpeechServer(): Promise<SpeechServer> {
  const speech = await startSpeechToText({ calls: createCallCounter(), port: 0, key: "own" });
  let requests = 0;
  let next: Parameters<SpeechServer["intercept"]> = [];
  speech.setInterceptor(async () => {
    requests += 1;
    return next.shift()?.();
  });
  return {
    ...speech,
    env: { SPEECH_URL: speech.url, SPEECH_API_KEY: "own", SPEECH_MODEL: "own" },
    countRequests: () => requests,
    intercept: (...handlers) => {
      next = handlers;
    },
  };
}
