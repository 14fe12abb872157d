// When a failed delivery is tried again.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../shared/durations.ts";

/** After each failed attempt; the last one repeats. */
const RETRY_DELAYS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS] as const;
const LAST_DELAY_MS = 10 * HOUR_MS;

/** No attempt begins later than this after the first one. */
const RETRIED_FOR_MS = 3 * DAY_MS;

interface RetryLimits {
  /** A busy receiver wants no attempt before; it is heeded for the longest delay of the schedule. */
  notBefore?: Date | undefined;
  retriedForMs?: number | undefined;
}

/** The time of the attempt after `tries` failed ones, the first of which began at `beganAt`; null when there is none. */
export function findNextAttempt(
  tries: number,
  beganAt: Date,
  now: Date,
  { notBefore, retriedForMs = RETRIED_FOR_MS }: RetryLimits = {},
): Date | null {
  const at = now.getTime();
  const next = at + (RETRY_DELAYS_MS[tries - 1] ?? LAST_DELAY_MS);
  const last = beganAt.getTime() + retriedForMs;
  if (next > last) return null;
  return new Date(Math.max(next, Math.min(notBefore?.getTime() ?? next, at + LAST_DELAY_MS, last)));
}
