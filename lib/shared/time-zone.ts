// Days and wall-clock times of time zones. Every gap and overlap of the clock follows Temporal's `compatible`:
// https://tc39.es/proposal-temporal/docs/timezone.html, read 2026-11-28. The package's own implementation, never the one of
// the runtime: all Workers, browsers and Node compute the same, whichever has a Temporal. Rules of zones are those of Intl.
import { Temporal } from "temporal-polyfill/implementation";
import { HOUR_MS } from "./durations.ts";

/** What a field of the type datetime-local sends. */
const WALL_CLOCK = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:[0-5]\d(\.\d{1,3})?)?$/;

/**
 * The instant of `2026-11-24T09:30` in the zone. A time that the clock skips is as much later as the clock skips, and of
 * a time that it shows twice it is the first. Null for what is no date and time.
 */
export function toInstant(wallClock: string, timeZone: string): Date | null {
  const plain = WALL_CLOCK.test(wallClock) ? parsePlain(wallClock) : null;
  return plain && toDate(plain.toZonedDateTime(timeZone));
}

/** `2026-11-24T09:30`, as a field of a form takes it; with seconds and milliseconds where the instant has them. */
export function toWallClock(at: Date, timeZone: string): string {
  const plain = toZoned(at, timeZone).toPlainDateTime();
  const hasSeconds = plain.second > 0 || plain.millisecond > 0;
  return plain.toString(hasSeconds ? {} : { smallestUnit: "minute" });
}

/** A field with such a value accepts only times with the same seconds, unless its step is `any`. */
export const hasSeconds = (wallClock: string): boolean => wallClock.length > "2026-11-24T09:30".length;

/** The instant that a form means: the stored one, seconds and occurrence included, if its time is as it was shown. */
export function toEditedInstant(wallClock: string, stored: Date | null, timeZone: string): Date | null {
  return stored && toWallClock(stored, timeZone) === wallClock ? stored : toInstant(wallClock, timeZone);
}

/** The same time of day on another day, `2026-11-24`. */
export function moveToDay(at: Date, day: string, timeZone: string): Date {
  const wallClock = toWallClock(at, timeZone);
  return toEditedInstant(`${day}${wallClock.slice(10)}`, at, timeZone) ?? at;
}

/** Which one it is, at an instant whose time the clock of the zone shows twice; null at any other. */
export function findOccurrence(at: Date, timeZone: string): "first" | "second" | null {
  const zoned = toZoned(at, timeZone);
  const later = zoned.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: "later" });
  const earlier = zoned.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: "earlier" });
  if (earlier.offset === later.offset) return null;
  return zoned.offset === earlier.offset ? "first" : "second";
}

export interface ZoneOffset {
  /** The instant from which on the clock is so far ahead of UTC, both in milliseconds. */
  from: number;
  offset: number;
}

/**
 * The offsets of a zone around an instant, until its next change but one. They begin three hours before it, because a clock is
 * turned back by two hours at most, so that the first offset tells which times are the second of two.
 */
export function listOffsets(at: Date, timeZone: string): ZoneOffset[] {
  const start = toZoned(new Date(at.getTime() - 3 * HOUR_MS), timeZone);
  const next = start.getTimeZoneTransition("next");
  return [start, ...(next ? [next] : [])].map(({ epochMilliseconds: from, offsetNanoseconds }) => ({
    from,
    offset: offsetNanoseconds / 1e6,
  }));
}

/** A sentence about a time that the clock of the zone skips or shows twice; null for any other. */
export function describeClockChange(wallClock: string, at: Date, timeZone: string): string | null {
  const instead = toWallClock(at, timeZone);
  // In 2011 Samoa skipped a day, so that the time was the same on another one.
  const isSameDay = wallClock.slice(0, 10) === instead.slice(0, 10);
  const [meant, shown] = [wallClock, instead].map((wall) => wall.slice(isSameDay ? 11 : 0, 16).replace("T", " "));
  if (meant !== shown) return `The clock of ${timeZone} skips ${meant}, so it is ${shown} instead.`;
  const occurrence = findOccurrence(at, timeZone);
  const { offset } = toZoned(at, timeZone);
  return (
    occurrence && `The clock of ${timeZone} shows ${shown} twice on this day: this is the ${occurrence} (${offset}).`
  );
}

/** The day of the zone at an instant: `2026-11-24`. */
export function toDay(at: Date, timeZone: string): string {
  return toZoned(at, timeZone).toPlainDate().toString();
}

/** The first instant of a day of the zone, which is not midnight where the clock skips it. */
export function getStartOfDay(day: string, timeZone: string): Date {
  return toDate(Temporal.PlainDate.from(day).toZonedDateTime(timeZone));
}

/** The date some days after `2026-11-24`. */
export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/**
 * The name of a zone in the case that IANA has. Offsets are no zones: databases read their sign the other way round. An older
 * name such as Asia/Calcutta stays one, because runtimes differ in which they prefer.
 */
export function parseTimeZone(name: string | undefined): string | null {
  if (!name || !/^[a-z]/i.test(name)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return null;
  }
}

function parsePlain(text: string): Temporal.PlainDateTime | null {
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return null;
  }
}

function toZoned(at: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
}

const toDate = ({ epochMilliseconds }: Temporal.ZonedDateTime): Date => new Date(epochMilliseconds);
