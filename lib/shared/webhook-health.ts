// When a webhook that only fails is disabled, and when people are told before.
import { DAY_MS } from "./durations.ts";

/** A webhook that has only failed for this long is disabled. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;

/** Percentages of `DISABLED_AFTER_MS` after which people get a mail, ascending. */
export const WARNED_AT_PERCENT = [50, 90] as const;

/** When a webhook that has failed since this instant reaches a percentage of `DISABLED_AFTER_MS`. */
export function toWarnedAt(failingSince: Date, percent: number): Date {
  return new Date(failingSince.getTime() + (DISABLED_AFTER_MS * percent) / 100);
}

/** Failures disabled it before their time: it answered 410. */
export const hasAnsweredGone = (failingSince: Date | null, disabledAt: Date): boolean =>
  failingSince !== null && disabledAt < toWarnedAt(failingSince, 100);
