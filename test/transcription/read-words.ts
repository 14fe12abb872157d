// Responses as recognizers give them, and the words that are read from them.
import { parseTranscript } from "../../lib/transcription/transcript.ts";

export const HALF_SECOND = 0.5;

/** Words of half a second each, one after the other. */
export const listWords = (...texts: string[]) =>
  texts.map((word, at) => ({ word, start: at * HALF_SECOND, end: (at + 1) * HALF_SECOND }));

/** A segment of spoken text, without its times and its text. */
export const SEGMENT = {
  id: 0,
  seek: 0,
  tokens: [1],
  temperature: 0,
  avg_logprob: -0.2,
  compression_ratio: 1,
  no_speech_prob: 0.01,
};

export function readTranscript(response: unknown) {
  const parsed = parseTranscript(response);
  if ("failure" in parsed) throw new Error(parsed.failure.reason);
  return parsed.value;
}

export const readTexts = (response: unknown) => readTranscript(response).words.map(({ text }) => text);

export const readTimes = (response: unknown) =>
  readTranscript(response).words.map(({ text, start, end }) => [text, start, end]);
