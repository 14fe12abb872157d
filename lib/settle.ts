// Work whose failure is kept until its turn comes.

export type Settled<Value> = { ok: true; value: Value } | { ok: false; error: unknown };

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

const WAITS_MS = [250, 1_000, 4_000];

/** Work that failed, tried again for as long as an invocation may go on after its answer. Throws what it ends with. */
export async function insist(work: () => Promise<void>): Promise<void> {
  let last: Settled<void> = { ok: true, value: undefined };
  for (const ms of WAITS_MS) {
    await new Promise((resume) => setTimeout(resume, ms));
    last = await settle(work());
    if (last.ok) return;
  }
  opened(last);
}
