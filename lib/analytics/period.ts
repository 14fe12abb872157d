// The days that a summary is about, and as many before them to compare with.

export const RANGES = ["14d", "30d", "90d", "1y", "all"] as const;

const DAYS_OF = { "14d": 14, "30d": 30, "90d": 90, "1y": 365 } as const;
const USUAL_RANGE = "30d";
const DAY_MS = 24 * 60 * 60 * 1000;

/** UTC days as `YYYY-MM-DD`, both ends included. `first` and `before` are null when everything is asked for. */
export interface Period {
  first: string | null;
  last: string;
  /** The first day of the period before. */
  before: string | null;
}

export interface Asked {
  range?: (typeof RANGES)[number] | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

export function periodOf({ range, start, end }: Asked, now: Date): Period {
  if (start && end) return { first: start, last: end, before: plusDays(start, -lengthOf(start, end)) };
  const last = dayOf(now);
  const chosen = range ?? USUAL_RANGE;
  if (chosen === "all") return { first: null, last, before: null };
  const days = DAYS_OF[chosen];
  return { first: plusDays(last, 1 - days), last, before: plusDays(last, 1 - 2 * days) };
}

/** The UTC day of an instant. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

export function plusDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}

/** How many days lie from one to the other, both included. */
export function lengthOf(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
}

/** Whole seconds until the UTC day is over. */
export function secondsLeftOf(now: Date): number {
  return Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
}
