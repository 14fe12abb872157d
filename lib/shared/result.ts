// The outcome of work as a value.

export type Result<Value> = { ok: true; value: Value } | { ok: false; error: unknown };

/** Awaits without throwing, so that the caller decides in which order failures of concurrent work are reported. */
export async function toResult<Value>(work: PromiseLike<Value>): Promise<Result<Value>> {
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
