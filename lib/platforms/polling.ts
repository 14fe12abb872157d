// When to ask a network again about work that it has not finished.
import type { Handle, Processing } from "./platform.ts";

interface Intervals {
  /** The first wait; each further wait is twice as long. */
  firstMs?: number;
  /** The longest wait. */
  maxMs?: number;
}

/** Waits 2, 4, 8 ... 60 seconds. The handle counts the polls; a handle without `polls` begins again. */
export function pollLater<Kept extends Handle>(
  handle: Kept,
  { firstMs = 2_000, maxMs = 60_000 }: Intervals = {},
): Processing & { handle: Kept & { polls: number } } {
  const polls = typeof handle.polls === "number" ? handle.polls : 0;
  return {
    state: "processing",
    afterMs: Math.min(maxMs, firstMs * 2 ** Math.min(polls, 16)),
    handle: { ...handle, polls: polls + 1 },
  };
}
