// Work whose failure is kept until its turn comes.

type Settled<Value> = { ok: true; value: Value } | { ok: false; error: unknown };

/** Waits without throwing, so that work which runs side by side can be judged in an order of its own. */
export async function settle<Value>(work: Promise<Value>): Promise<Settled<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, error };
  }
}

export function opened<Value>(settled: Settled<Value>): Value {
  if (settled.ok) return settled.value;
  throw settled.error;
}
