// The outcome of work as a value, and retries in the background.

export type Result<Value> = { ok: true; value: Value } | { ok: false; error: unknown };

/** Awaits without throwing, so that the caller decides in which order failures of concurrent work are reported. */
export async function toResult<Value>(work: Promise<Value>): Promise<Result<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, error };
  }
}

export function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw result.error;
}

/** The pauses before each retry. Tests shorten them. */
export const backgroundRetries = { delaysMs: [250, 1_000, 4_000] };

/** Retries failed work after 0.25, 1 and 4 s: Workers may run about 30 s after the response. Throws the last error. */
export async function retryInBackground(work: () => Promise<void>): Promise<void> {
  let last: Result<void> = { ok: true, value: undefined };
  for (const ms of backgroundRetries.delaysMs) {
    await new Promise((resume) => setTimeout(resume, ms));
    last = await toResult(work());
    if (last.ok) return;
  }
  unwrap(last);
}
