// When a failed delivery is tried again.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../shared/durations.ts";

/** After each failed attempt; the last one repeats. */
const RETRY_DELAYS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS] as const;
const LAST_DELAY_MS = 10 * HOUR_MS;

/** No attempt begins later than this after the first one. */
const RETRIED_FOR_MS = 3 * DAY_MS;

/** The time of the attempt after `tries` failed ones, the first of which began at `beganAt`; null when there is none. */
export function findNextAttempt(
  tries: number,
  beganAt: Date,
  now: Date,
  retriedForMs: number = RETRIED_FOR_MS,
): Date | null {
  const next = new Date(now.getTime() + (RETRY_DELAYS_MS[tries - 1] ?? LAST_DELAY_MS));
  return next.getTime() - beganAt.getTime() > retriedForMs ? null : next;
}
