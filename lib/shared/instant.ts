// Instants as callers write them: ISO 8601 with an offset, and RFC 9557 with the zone beside the offset:
// https://www.rfc-editor.org/rfc/rfc9557, read 2026-11-28.
import { Temporal } from "temporal-polyfill/implementation";
import { addDays } from "./time-zone.ts";

export type ReadInstant = { at: Date } | { problem: string };

/** The date, the time, its second and fraction, the offset, and all tags in brackets. */
const FORM = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?((?:\[[^[\]]*\])*)$/i;
const ZONE_TAG = /^\[!?([^=]+)\]$/;

export const EXAMPLE_INSTANT = "2030-01-15T18:00:00Z";
const EXAMPLES = `such as ${EXAMPLE_INSTANT} or 2030-01-15T19:00+01:00`;

/** Parses an instant; the problem says what is wrong and names a form that is right. Digits after milliseconds are dropped. */
export function parseInstant(text: string): ReadInstant {
  const parts = FORM.exec(text);
  if (!parts) return { problem: `Must be ISO 8601 with an offset, ${EXAMPLES}.` };
  const [, day = "", minute = "", second = "00", fraction = "", givenOffset = "", tags = ""] = parts;
  const wrong = describeImpossiblePart(day, minute, second, normalizeOffset(givenOffset) || "Z");
  if (wrong) return { problem: wrong };
  const zone = readZone(tags);
  if (zone === null) return { problem: describeTags(tags, `${day}T${minute}:${second}`, givenOffset) };
  const wallClock = `${day}T${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}`;
  const offset = normalizeOffset(givenOffset);
  if (offset === "") return { problem: describeMissingOffset(wallClock, zone) };
  if (!offset) return { problem: `${givenOffset} is no offset. Send one from -23:59 to +23:59, ${EXAMPLES}.` };
  const at = new Date(`${wallClock}${offset}`);
  return zone === "" || isOffsetOf(zone, offset, at)
    ? { at }
    : { problem: describeContradiction(wallClock, offset, zone) };
}

function describeImpossiblePart(day: string, minute: string, second: string, offset: string): string | null {
  // Date rolls 31 February over to March.
  const date = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === day;
  if (!isDay) return `There is no day ${day}. Send one that exists, ${EXAMPLES}.`;
  if (minute === "24:00")
    return `A day ends before 24:00. Send 00:00 of the next one: ${addDays(day, 1)}T00:00:00${offset}.`;
  if (minute > "23:59" || minute.slice(3) > "59")
    return `There is no time ${minute}. Send 00:00 to 23:59, ${EXAMPLES}.`;
  if (second > "59") return `Seconds are 00 to 59, without leap seconds. Send ${day}T${minute}:59${offset}.`;
  return null;
}

/** `Z` or `+02:00`; empty for none, null for what no clock has. */
function normalizeOffset(given: string): string | null {
  const [, sign, hours = "", minutes = ""] = /^([+-])(\d{2}):?(\d{2})$/.exec(given) ?? [];
  if (!sign) return given.toUpperCase();
  return hours > "23" || minutes > "59" ? null : `${sign}${hours}:${minutes}`;
}

/** The zone of the tags; empty for none, null for other tags, several zones, and zones that do not exist. */
function readZone(tags: string): string | null {
  if (tags === "") return "";
  const [, zone] = ZONE_TAG.exec(tags) ?? [];
  if (!zone) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId;
  } catch {
    return null;
  }
}

/** `Z` and `-00:00` say nothing of the local time, so that they fit every zone: RFC 9557, section 2.2. */
function isOffsetOf(zone: string, offset: string, at: Date): boolean {
  if (offset === "Z" || offset === "-00:00") return true;
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  // Offsets before 1972 had seconds, which the text has no place for.
  const [hours, minutes] = offset.slice(1).split(":").map(Number) as [number, number];
  return Math.round(offsetNanoseconds / 60e9) === (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

function describeTags(tags: string, time: string, offset: string): string {
  const plain = `${time}${offset || "Z"}`;
  if (tags.includes("="))
    return `Calendars and other tags are not taken. Send ${plain}, with no more than a time zone.`;
  return `${tags} names no time zone. Send one of IANA, such as [Europe/Berlin], or none: ${plain}.`;
}

function describeMissingOffset(wallClock: string, zone: string): string {
  const local = wallClock.slice(0, 19);
  if (zone === "") return `Has no offset. Add that of your time zone, such as ${local}Z or ${local}+02:00.`;
  return `Has no offset, which tells the two times of an overlap apart. Send ${writeInZone(wallClock, zone)}.`;
}

function describeContradiction(wallClock: string, offset: string, zone: string): string {
  const local = wallClock.slice(0, 19);
  return `${offset} is not the offset of ${zone} at this time. Send ${writeInZone(wallClock, zone)}, or no zone: ${local}${offset}.`;
}

function writeInZone(wallClock: string, zone: string): string {
  return Temporal.PlainDateTime.from(wallClock).toZonedDateTime(zone).toString({ smallestUnit: "second" });
}
