// The response of a speech-to-text service as words that can be shown.
import { toLanguageCode } from "./language.ts";
import { readResponse } from "./read-response.ts";
import type { Attempt } from "./retry-once.ts";
import type { Transcript } from "./speech-to-text.ts";
import { toWrittenWords } from "./written-words.ts";

const WITHOUT_TIMES =
  "Its model returns no times of words or segments: ask the operator of this service to configure one that does.";

export function parseTranscript(body: unknown): Attempt<Transcript> {
  const speech = readResponse(body);
  if (speech === null) return { failure: { retryable: false, reason: "the response is not a transcription" } };
  if (speech === "without times") {
    return { failure: { retryable: false, reason: "the response has a text without times", cure: WITHOUT_TIMES } };
  }
  const language = speech.language === null ? null : toLanguageCode(speech.language);
  return { value: { language, words: speech.utterances.flatMap(toWrittenWords) } };
}
