// The clock stands still until the test has ended or moves it: no window of a rate limit ends between two requests, and nothing is
// processed in the meantime.
import { onTestFinished, vi } from "vitest";

export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
}
