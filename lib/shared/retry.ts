// Retries work that failed. p-retry (9.0.0) pauses by a schedule of its own; here the caller pauses, within what its
// invocation may still wait, and may put something right first: refresh a token, undo a claim.
import { toResult } from "./result.ts";

/** Repeats the work as long as `mayRetry`, which also pauses, returns true. Throws the last error of the work. */
export async function retry<Value>(
  work: () => Promise<Value>,
  mayRetry: (error: unknown, tries: number) => boolean | Promise<boolean>,
): Promise<Value> {
  for (let tries = 1; ; tries++) {
    const result = await toResult(work());
    if (result.ok) return result.value;
    if (!(await mayRetry(result.error, tries))) throw result.error;
  }
}

/** Divides every pause; tests raise it. */
export const pauses = { divisor: 1 };

export async function pause(ms: number): Promise<true> {
  await new Promise((resume) => setTimeout(resume, ms / pauses.divisor));
  return true;
}

/** The pauses before each retry. */
const BACKGROUND_DELAYS_MS = [250, 1_000, 4_000];

/** Retries failed work after 0.25, 1 and 4 s: Workers may run about 30 s after the response. Throws the last error. */
export async function retryInBackground(work: () => Promise<void>): Promise<void> {
  const [first = 0, ...later] = BACKGROUND_DELAYS_MS;
  await pause(first);
  await retry(work, (_error, tries) => {
    const ms = later[tries - 1];
    return ms === undefined ? false : pause(ms);
  });
}
