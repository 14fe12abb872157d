// Wall-clock times of every zone, the cases of bug reports of other products, and the package against the engine's own Temporal.
import fc from "fast-check";
import { Temporal as Polyfill } from "temporal-polyfill/implementation";
import { describe, expect, test } from "vitest";
import {
  addDays,
  describeClockChange,
  findOccurrence,
  getStartOfDay,
  moveToDay,
  parseTimeZone,
  toDay,
  toEditedInstant,
  toInstant,
  toWallClock,
} from "../../lib/shared/time-zone.ts";

const NEW_YORK = "America/New_York";
const ZONES = [...Intl.supportedValuesOf("timeZone"), "America/Coyhaique", "US/Eastern", "Etc/GMT+5"].filter(
  (zone) => parseTimeZone(zone) !== null,
);

test.each([
  // RFC 5545, section 3.3.5: a time that is skipped has the offset before the gap.
  [NEW_YORK, "2027-03-14T02:30", "2027-03-14T07:30:00.000Z"],
  ["Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:30:00.000Z"],
  ["Australia/Lord_Howe", "2027-10-03T02:15", "2027-10-02T15:45:00.000Z"],
  ["America/Santiago", "2027-09-05T00:15", "2027-09-05T04:15:00.000Z"],
  ["Africa/Casablanca", "2027-03-14T02:30", "2027-03-14T02:30:00.000Z"],
  ["Pacific/Apia", "2011-12-30T10:00", "2011-12-30T20:00:00.000Z"],
  // Of two the first.
  [NEW_YORK, "2027-11-07T01:30", "2027-11-07T05:30:00.000Z"],
  ["Europe/Berlin", "2027-10-31T02:30", "2027-10-31T00:30:00.000Z"],
  ["Europe/Dublin", "2027-10-31T01:30", "2027-10-31T00:30:00.000Z"],
  ["Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-03T14:45:00.000Z"],
  ["America/Sao_Paulo", "2018-02-17T23:30", "2018-02-18T01:30:00.000Z"],
  // Plain ones, around the changes and far from them.
  [NEW_YORK, "2027-03-14T01:59", "2027-03-14T06:59:00.000Z"],
  [NEW_YORK, "2027-03-14T03:00", "2027-03-14T07:00:00.000Z"],
  ["Asia/Kathmandu", "2027-01-01T00:00", "2026-12-31T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2027-01-01T12:00:05.250", "2026-12-31T22:00:05.250Z"],
])("%s at %s is %s", (zone, wallClock, instant) => {
  expect(toInstant(wallClock, zone)?.toISOString()).toBe(instant);
});

test.each([
  "2027-02-30T10:00",
  "2027-02-29T10:00",
  "2027-04-31T10:00",
  "2027-13-01T10:00",
  "2027-00-10T10:00",
  "2027-01-00T10:00",
  "2027-01-01T24:00",
  "2027-01-01T10:60",
  "2027-01-01T10:00:60",
  "2027-01-01",
  "2027-01-01T10",
  "2027-01-01 10:00",
  "2027-01-01T10:00Z",
  "2027-01-01T10:00+01:00",
  "+010000-01-01T00:00",
  "10000-01-01T00:00",
  "",
  "now",
])("%s is no time of a form", (wallClock) => expect(toInstant(wallClock, NEW_YORK)).toBeNull());

describe("a form that is saved without a change", () => {
  test.each([
    [NEW_YORK, "2027-11-07T05:30:00.000Z", "2027-11-07T01:30", "first"],
    [NEW_YORK, "2027-11-07T06:30:00.000Z", "2027-11-07T01:30", "second"],
    ["Europe/Berlin", "2027-10-31T00:30:00.000Z", "2027-10-31T02:30", "first"],
    ["Europe/Berlin", "2027-10-31T01:30:00.000Z", "2027-10-31T02:30", "second"],
    ["Europe/Berlin", "2027-10-31T01:30:45.000Z", "2027-10-31T02:30:45", "second"],
    ["Europe/Berlin", "2027-10-31T02:00:00.000Z", "2027-10-31T03:00", null],
    ["UTC", "2027-05-01T12:00:45.000Z", "2027-05-01T12:00:45", null],
    ["UTC", "2027-05-01T12:00:45.007Z", "2027-05-01T12:00:45.007", null],
    ["UTC", "2027-05-01T12:00:00.500Z", "2027-05-01T12:00:00.5", null],
  ])("%s at %s shows %s and keeps it", (zone, instant, wallClock, occurrence) => {
    const stored = new Date(instant);
    expect(toWallClock(stored, zone)).toBe(wallClock);
    expect(findOccurrence(stored, zone)).toBe(occurrence);
    expect(toEditedInstant(wallClock, stored, zone)).toEqual(stored);
    expect(moveToDay(stored, toDay(stored, zone), zone)).toEqual(stored);
  });

  test("in every zone, at every second of twenty years", () => {
    const instants = fc.integer({ min: Date.UTC(2020) / 1000, max: Date.UTC(2040) / 1000 });
    const check = (seconds: number, zone: string) => {
      const stored = new Date(seconds * 1000);
      const shown = toWallClock(stored, zone);
      expect(toEditedInstant(shown, stored, zone)).toEqual(stored);
      const read = toInstant(shown, zone);
      expect(read?.getTime() === stored.getTime()).toBe(findOccurrence(stored, zone) !== "second");
    };
    fc.assert(fc.property(instants, fc.constantFrom(...ZONES), check), { numRuns: 500 });
  });

  test("a changed time follows the rule", () => {
    const second = new Date("2027-11-07T06:30:00Z");
    expect(toEditedInstant("2027-11-07T01:45", second, NEW_YORK)?.toISOString()).toBe("2027-11-07T05:45:00.000Z");
    expect(toEditedInstant("2027-03-14T02:30", second, NEW_YORK)?.toISOString()).toBe("2027-03-14T07:30:00.000Z");
    expect(moveToDay(new Date("2027-03-13T07:30:45Z"), "2027-03-14", NEW_YORK).toISOString()).toBe(
      "2027-03-14T07:30:45.000Z",
    );
  });
});

test("the page says what the clock does", () => {
  const say = (wallClock: string, zone = NEW_YORK) =>
    describeClockChange(wallClock, toInstant(wallClock, zone) ?? new Date(0), zone);
  expect(say("2027-03-14T02:30")).toBe("The clock of America/New_York skips 02:30, so it is 03:30 instead.");
  expect(say("2027-11-07T01:30")).toBe(
    "The clock of America/New_York shows 01:30 twice on this day: this is the first (-04:00).",
  );
  expect(describeClockChange("2027-11-07T01:30", new Date("2027-11-07T06:30:00Z"), NEW_YORK)).toContain(
    "the second (-05:00)",
  );
  expect(say("2011-12-30T10:00", "Pacific/Apia")).toContain("skips 2011-12-30 10:00, so it is 2011-12-31 10:00");
  expect(say("2027-03-14T03:30")).toBeNull();
});

test.each([
  ["America/Santiago", "2027-09-05", "2027-09-05T04:00:00.000Z", 23],
  ["America/Havana", "2027-03-14", "2027-03-14T05:00:00.000Z", 23],
  ["America/Havana", "2027-11-07", "2027-11-07T04:00:00.000Z", 25],
  ["Asia/Beirut", "2027-03-28", "2027-03-27T22:00:00.000Z", 23],
  ["Africa/Cairo", "2027-04-30", "2027-04-29T22:00:00.000Z", 23],
  ["America/Asuncion", "2024-10-06", "2024-10-06T04:00:00.000Z", 23],
  ["Asia/Tehran", "2022-03-22", "2022-03-21T20:30:00.000Z", 23],
  ["Australia/Lord_Howe", "2027-10-03", "2027-10-02T13:30:00.000Z", 23.5],
  ["America/Los_Angeles", "2026-11-01", "2026-11-01T07:00:00.000Z", 25],
  ["UTC", "2027-01-01", "2027-01-01T00:00:00.000Z", 24],
])("in %s the day %s begins at %s and has %d hours", (zone, day, begin, hours) => {
  const [from, until] = [getStartOfDay(day, zone), getStartOfDay(addDays(day, 1), zone)];
  expect(from.toISOString()).toBe(begin);
  expect((until.getTime() - from.getTime()) / 3_600_000).toBe(hours);
  expect(toDay(from, zone)).toBe(day);
  expect(toDay(new Date(from.getTime() - 1), zone)).toBe(addDays(day, -1));
});

test("an offset and an unknown name are no zones", () => {
  expect(["+02:00", "-05:30", "Mars/Phobos", "", undefined].map(parseTimeZone)).toEqual(Array(5).fill(null));
  expect(parseTimeZone("europe/berlin")).toBe("Europe/Berlin");
});

/** Node has a Temporal of its own, written by others; browsers without one run the package. */
test("the package gives the instants of the engine's Temporal at every change of the clock in every zone", () => {
  const { Temporal } = globalThis as unknown as { Temporal?: typeof Polyfill };
  if (!Temporal) throw new Error("this Node has no Temporal to compare with");
  const differences: string[] = [];
  for (const zone of ZONES) {
    let at = Temporal.Instant.from("2024-01-01T00:00Z").toZonedDateTimeISO(zone);
    for (let count = 0; count < 8; count++) {
      const next = at.getTimeZoneTransition("next");
      if (!next || next.year > 2031) break;
      at = next;
      for (const minutes of [-61, -60, -30, -1, 0, 29, 30, 59, 60, 61]) {
        const wallClock = next.toPlainDateTime().add({ minutes }).toString();
        const read = (implementation: typeof Polyfill) =>
          implementation.PlainDateTime.from(wallClock).toZonedDateTime(zone).epochMilliseconds;
        const start = (implementation: typeof Polyfill) =>
          implementation.PlainDate.from(wallClock.slice(0, 10)).toZonedDateTime(zone).epochMilliseconds;
        if (read(Temporal) !== read(Polyfill) || start(Temporal) !== start(Polyfill))
          differences.push(`${zone} ${wallClock}`);
      }
    }
  }
  expect(differences).toEqual([]);
});
