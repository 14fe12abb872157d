// The days that a summary covers, and the preceding period of equal length to compare with.
import { DAY_MS } from "../shared/durations.ts";
import { addDays } from "../shared/time-zone.ts";

export const RANGES = ["14d", "30d", "90d", "1y", "all"] as const;

const RANGE_DAYS = { "14d": 14, "30d": 30, "90d": 90, "1y": 365 } as const;
const DEFAULT_RANGE = "30d";

/** UTC days as `YYYY-MM-DD`, inclusive. `first` and `previousFirst` are null for the range `all`. */
export interface Period {
  first: string | null;
  last: string;
  /** The first day of the preceding period. */
  previousFirst: string | null;
}

export interface PeriodQuery {
  range?: (typeof RANGES)[number] | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

export function resolvePeriod({ range, start, end }: PeriodQuery, now: Date): Period {
  if (start && end) return { first: start, last: end, previousFirst: addDays(start, -countDays(start, end)) };
  const last = toUtcDay(now);
  const chosen = range ?? DEFAULT_RANGE;
  if (chosen === "all") return { first: null, last, previousFirst: null };
  const days = RANGE_DAYS[chosen];
  return { first: addDays(last, 1 - days), last, previousFirst: addDays(last, 1 - 2 * days) };
}

/** The UTC day of an instant. */
export function toUtcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** The number of days from `first` to `last`, inclusive. */
export function countDays(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
}

/** Whole seconds until the end of the UTC day. */
export function getSecondsUntilNextDay(now: Date): number {
  return Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
}
