// A heartbeat: what extends a lease, a claim or a lock while the work under it goes on.

/** Calls `beat` at an interval until the work ends. It handles its own errors: nobody awaits it. */
export async function withHeartbeat<Result>(
  intervalMs: number,
  beat: () => unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(beat, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
