// Time limits on calls that distinguish a service that does not respond from a thread that was too busy to read its response.

/** A timer that fires this late was held up by the thread, not by the service that is waited for. */
const BUSY_AFTER_MS = 500;

/** Time to read a response that arrived while the thread was busy. */
const GRACE_MS = 1_000;

/** The time limit passed while this isolate was computing, so nothing is known about the service that was called. */
export class BusyError extends Error {
  override name = "BusyError";
}

/** Runs a call whose signal aborts after `timeoutMs`, with a TimeoutError or, if the thread was busy, a BusyError. */
export async function withTimeout<Value>(
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const dueAt = Date.now() + timeoutMs;
  let timer = setTimeout(() => {
    if (Date.now() - dueAt < BUSY_AFTER_MS) return abortWithTimeout(controller, timeoutMs);
    timer = setTimeout(() => {
      controller.abort(new BusyError("The thread was busy for longer than the time limit of the call."));
    }, GRACE_MS);
  }, timeoutMs);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

function abortWithTimeout(controller: AbortController, timeoutMs: number): void {
  controller.abort(new DOMException(`No response within ${timeoutMs} ms.`, "TimeoutError"));
}
