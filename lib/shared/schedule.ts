// Times that a clock shows, with rules for those that it skips or shows twice. The rules are Temporal's disambiguation:
// https://tc39.es/proposal-temporal/docs/timezone.html#ambiguity-due-to-dst-or-other-time-zone-offset-changes, read 2026-11-28.
import { Temporal } from "temporal-polyfill/implementation";
import { findOccurrence, toWallClock } from "./time-zone.ts";

export const GAP_RULES = ["later", "earlier", "refuse"] as const;
export const OVERLAP_RULES = ["first", "second", "refuse"] as const;

/** A time of a clock as a caller gives it. */
export interface ClockTime {
  local: string;
  time_zone?: string;
  on_gap?: (typeof GAP_RULES)[number];
  on_overlap?: (typeof OVERLAP_RULES)[number];
}

export const NEXT_SLOT = "next_slot";

/** How the time of a post was given when it was no instant. */
export type Schedule = ClockTime | typeof NEXT_SLOT;

/** The time of a post. Without an instant it is published at once, or has no time yet: `next_slot` gets one at the commit. */
export interface PostTime {
  scheduledAt: Date | null;
  schedule: Schedule | null;
  /** Of a time of a clock: the zone whose rules it follows, also when the workspace gets another one later. */
  scheduleZone: string | null;
}

export const AT_ONCE: PostTime = { scheduledAt: null, schedule: null, scheduleZone: null };

export const isClockTime = (schedule: Schedule | null): schedule is ClockTime =>
  typeof schedule === "object" && schedule !== null;

/** An instant as the clock of a zone shows it: a post that is given it follows the rules of the zone. */
export function toClockTime(at: Date, zone: string): ClockTime {
  const isSecond = findOccurrence(at, zone) === "second";
  return { local: toWallClock(at, zone), time_zone: zone, ...(isSecond ? { on_overlap: "second" } : {}) };
}

export type ResolvedTime = { at: Date } | { code: "time_gap" | "time_overlap"; message: string };

/** The instant of a time of a clock by the current rules of the zone, or why its own rules refuse it. */
export function resolveClockTime({ local, on_gap, on_overlap }: ClockTime, zone: string): ResolvedTime {
  const plain = Temporal.PlainDateTime.from(local);
  const earlier = plain.toZonedDateTime(zone, { disambiguation: "earlier" });
  const later = plain.toZonedDateTime(zone, { disambiguation: "later" });
  if (earlier.epochMilliseconds === later.epochMilliseconds) return { at: new Date(later.epochMilliseconds) };
  if (later.toPlainDateTime().equals(plain)) {
    if (on_overlap !== "refuse") return toDate(on_overlap === "second" ? later : earlier);
    const message = `The clock of ${zone} shows ${local} twice. Send "on_overlap": "first" (${write(earlier)}) or "second" (${write(later)}), or another time.`;
    return { code: "time_overlap", message };
  }
  if (on_gap !== "refuse") return toDate(on_gap === "earlier" ? earlier : later);
  const message = `The clock of ${zone} skips ${local}. Send "on_gap": "later" (${write(later)}) or "earlier" (${write(earlier)}), or another time.`;
  return { code: "time_gap", message };
}

const toDate = ({ epochMilliseconds }: Temporal.ZonedDateTime) => ({ at: new Date(epochMilliseconds) });

const write = (time: Temporal.ZonedDateTime) => time.toString({ smallestUnit: "minute", timeZoneName: "never" });
