// Instants and names as people read them.
import { PLATFORM_DETAILS, type Platform } from "../../lib/shared/platforms.ts";
import { findOccurrence } from "../../lib/shared/time-zone.ts";
import { formatInstant as formatPlainInstant } from "./scripts/shared/instant.ts";

/** Of a time that the clock shows twice it says which one it is. */
export function formatInstant(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions = {}): string {
  const occurrence = findOccurrence(at, timeZone);
  return `${formatPlainInstant(at, timeZone, options)}${occurrence ? ` (the ${occurrence} of two)` : ""}`;
}

export function formatDay(at: Date, timeZone: string): string {
  return at.toLocaleDateString("en-GB", { timeZone, day: "numeric", month: "short", year: "numeric" });
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** `in 5 minutes`, `2 days ago`. */
export function formatDistance(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const amount = Math.round(seconds / size);
  if (unit === "second") return amount > 0 ? "in a moment" : "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(amount, unit);
}

export function getPlatformName(platform: Platform): string {
  return PLATFORM_DETAILS[platform].name;
}
