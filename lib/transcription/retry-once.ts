// Retries a speech-to-text request once, when its failure is temporary.
import { type ApiError, apiError } from "../shared/errors.ts";
import { toResult } from "../shared/result.ts";
import { pause, retry } from "../shared/retry.ts";

/** `reason` is for the log; `retryable` is whether another attempt may succeed. */
export interface AttemptFailure {
  retryable: boolean;
  reason: string;
  /** What the caller can do about it, when that is not to try again later. */
  cure?: string;
}

const RETRY_DELAY_MS = 300;

export type Attempt<Value> = { value: Value } | { failure: AttemptFailure };

/** Throws `transcription_failed` (502) when both attempts fail. */
export async function retryOnce<Value>(attempt: () => Promise<Attempt<Value>>): Promise<Value> {
  let failure: AttemptFailure | null = null;
  const run = async () => {
    const result = await toResult(attempt());
    const ended = result.ok ? result.value : { failure: toFailure(result.error) };
    if ("value" in ended) return ended.value;
    failure = ended.failure;
    throw transcriptionFailedError(failure);
  };
  return retry(run, (_error, tries) => tries === 1 && failure?.retryable === true && pause(RETRY_DELAY_MS));
}

/** A broken connection is retryable; a timeout is not, because it used up the time. */
function toFailure(thrown: unknown): AttemptFailure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { retryable: error.name !== "TimeoutError", reason: error.message };
}

function transcriptionFailedError({ reason, cure = "Try again later." }: AttemptFailure): ApiError {
  const message = `The project could not be transcribed: speech-to-text failed. ${cure}`;
  return apiError("transcription_failed", message, { cause: new Error(reason) });
}
