// Instants, days, waits, numbers and names of networks as people read them.
import { DAY_SECONDS } from "../../lib/shared/durations.ts";
import { PLATFORM_DETAILS, type Platform } from "../../lib/shared/platforms.ts";
import { formatDate, formatInstant as formatPlainInstant } from "../../lib/shared/shown-instant.ts";
import { findOccurrence } from "../../lib/shared/time-zone.ts";

/** Of a time that the clock shows twice it says which one it is. */
export function formatInstant(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions = {}): string {
  const occurrence = findOccurrence(at, timeZone);
  return `${formatPlainInstant(at, timeZone, options)}${occurrence ? ` (the ${occurrence} of two)` : ""}`;
}

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

export function formatDay(at: Date, timeZone: string): string {
  return formatDate(at, timeZone, DAY);
}

/** `28 Nov 2026` of `2026-11-28`. */
export function formatPlainDay(day: string): string {
  return formatDate(new Date(`${day}T00:00:00Z`), "UTC", DAY);
}

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const distances = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const UNITS = [
  ["day", DAY_SECONDS],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** `in 5 minutes`, `2 days ago`. */
export function formatDistance(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const amount = Math.round(seconds / size);
  if (unit === "second") return amount > 0 ? "in a moment" : "just now";
  return distances.format(amount, unit);
}

/** `in 40 seconds`, `in 3 hours`; `later` if it is not known. */
export function formatWait(seconds: number | undefined): string {
  if (seconds === undefined) return "later";
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en").format(Math.ceil(seconds / size), unit);
}

export function formatNumber(value: number): string {
  return value.toLocaleString("en-GB");
}

export function getPlatformName(platform: Platform): string {
  return PLATFORM_DETAILS[platform].name;
}
