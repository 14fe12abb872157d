// Two tries at most: what may pass is tried again once, what will not is told at once.
import { type Refusal, refuse } from "../errors.ts";
import { settle } from "../settle.ts";

/** Why a try came to nothing, for the log; `passes` when another one may fare better. */
export interface Failure {
  passes: boolean;
  why: string;
}

const AGAIN_AFTER_MS = 300;

export type Try<Value> = { heard: Value } | { failed: Failure };

/** Throws 502 transcription_failed when neither try was heard. */
export async function twice<Value>(attempt: () => Promise<Try<Value>>): Promise<Value> {
  const first = await tried(attempt);
  if ("heard" in first) return first.heard;
  if (!first.failed.passes) throw transcriptionFailed(first.failed.why);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  const second = await tried(attempt);
  if ("heard" in second) return second.heard;
  throw transcriptionFailed(second.failed.why);
}

/** Nothing answered: a connection that broke is tried again, a time limit that was used up is not. */
async function tried<Value>(attempt: () => Promise<Try<Value>>): Promise<Try<Value>> {
  const result = await settle(attempt());
  if (result.ok) return result.value;
  const error = result.error instanceof Error ? result.error : new Error(String(result.error));
  return { failed: { passes: error.name !== "TimeoutError", why: error.message } };
}

function transcriptionFailed(why: string): Refusal {
  const message = "The cut could not be transcribed: the speech recogniser failed. Try again later.";
  return refuse("transcription_failed", message, { cause: new Error(why) });
}
