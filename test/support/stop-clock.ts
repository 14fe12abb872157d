// The clock of a test or of a file, in place of that of the machine. Only `Date` is replaced: timers run as ever.
import { afterAll, onTestFinished, vi } from "vitest";

/**
 * The clock stands still until the test has ended or moves it: no window of a rate limit ends between two requests, and nothing is
 * processed in the meantime.
 */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * The file begins in November 2026 whenever it runs, and the clock goes on from there: for files that name dates of 2027 and 2028,
 * which so stay in the future. Dates in years to come would not do: changes of the clock are certain only for days that are over.
 * The day is over too: the ids of `uuid` never go back, so that later files of the worker would get ids of days to come. Call it
 * before the file makes its workspace.
 */
export function startClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-29T12:00:00Z"), shouldAdvanceTime: true });
  afterAll(() => void vi.useRealTimers());
}
