// Lengths of time. A day has 24 hours: days of a calendar, which may have 23 or 25, are those of lib/shared/time-zone.ts.
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_SECONDS = DAY_MS / SECOND_MS;
