// Retries a speech-to-text request once, when its failure is temporary.
import { type ApiError, apiError } from "../shared/errors.ts";
import { toResult } from "../shared/result.ts";

/** `reason` is for the log; `retryable` is whether another attempt may succeed. */
export interface AttemptFailure {
  retryable: boolean;
  reason: string;
}

const RETRY_DELAY_MS = 300;

export type Attempt<Value> = { value: Value } | { failure: AttemptFailure };

/** Throws `transcription_failed` (502) when both attempts fail. */
export async function retryOnce<Value>(attempt: () => Promise<Attempt<Value>>): Promise<Value> {
  const first = await runAttempt(attempt);
  if ("value" in first) return first.value;
  if (!first.failure.retryable) throw transcriptionFailedError(first.failure.reason);
  await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  const second = await runAttempt(attempt);
  if ("value" in second) return second.value;
  throw transcriptionFailedError(second.failure.reason);
}

/** A broken connection is retryable; a timeout is not, because it used up the time. */
async function runAttempt<Value>(attempt: () => Promise<Attempt<Value>>): Promise<Attempt<Value>> {
  const result = await toResult(attempt());
  if (result.ok) return result.value;
  const error = result.error instanceof Error ? result.error : new Error(String(result.error));
  return { failure: { retryable: error.name !== "TimeoutError", reason: error.message } };
}

function transcriptionFailedError(reason: string): ApiError {
  const message = "The project could not be transcribed: speech-to-text failed. Try again later.";
  return apiError("transcription_failed", message, { cause: new Error(reason) });
}
