// A time limit that passes while the thread computes is not reported as a service that does not respond.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { BusyError, withTimeout } from "../../lib/services/timeout.ts";

function blockThread(ms: number): void {
  const end = Date.now() + ms;
  while (Date.now() < end) Math.sqrt(end);
}

/** Resolves when `ms` have passed, unless the signal aborts first. */
const respondAfter = (ms: number) => (signal: AbortSignal) => sleep(ms, "response", { signal });

const getReason = (call: Promise<unknown>) => call.then(String, (error) => (error.cause ?? error) as Error);

test("a response within the limit is returned", async () => {
  expect(await withTimeout(1_000, respondAfter(1))).toBe("response");
});

test("a response that arrives while the thread is busy is read", async () => {
  const call = withTimeout(50, respondAfter(20));
  blockThread(1_000);
  expect(await call).toBe("response");
});

test("a service that does not respond is a TimeoutError", async () => {
  // Timers of the test: those of a busy machine come so late that the thread counts as busy.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reason = getReason(withTimeout(50, (signal) => once(signal, "abort").then(() => signal.throwIfAborted())));
  await vi.advanceTimersByTimeAsync(50);
  expect(await reason).toMatchObject({ name: "TimeoutError" });
});

test("a thread that was busy past the limit is a BusyError", async () => {
  const call = getReason(withTimeout(50, respondAfter(5_000)));
  blockThread(1_000);
  expect(await call).toBeInstanceOf(BusyError);
});
