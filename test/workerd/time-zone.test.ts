// Changes of the clock in the runtime of the Workers, whose Temporal is another one than Node's.
import { expect, test } from "vitest";
import { parseInstant } from "../../lib/shared/instant.ts";
import { findOccurrence, getStartOfDay, toInstant } from "../../lib/shared/time-zone.ts";

const NEW_YORK = "America/New_York";

test.each([
  [NEW_YORK, "2027-03-14T02:30", "2027-03-14T07:30:00.000Z"],
  [NEW_YORK, "2027-11-07T01:30", "2027-11-07T05:30:00.000Z"],
  ["Australia/Lord_Howe", "2027-10-03T02:15", "2027-10-02T15:45:00.000Z"],
  ["Pacific/Apia", "2011-12-30T10:00", "2011-12-30T20:00:00.000Z"],
])("%s at %s is %s", (zone, wallClock, instant) => {
  expect(toInstant(wallClock, zone)?.toISOString()).toBe(instant);
});

test("the day of Santiago that skips midnight starts at one o'clock", () => {
  expect(getStartOfDay("2027-09-05", "America/Santiago").toISOString()).toBe("2027-09-05T04:00:00.000Z");
});

test("the second of two equal times is told from the first", () => {
  expect(findOccurrence(new Date("2027-11-07T05:30:00Z"), NEW_YORK)).toBe("first");
  expect(findOccurrence(new Date("2027-11-07T06:30:00Z"), NEW_YORK)).toBe("second");
});

test("an offset that the zone does not have is a problem", () => {
  expect(parseInstant("2030-01-15T18:00:00-05:00[America/New_York]")).toEqual({ at: new Date("2030-01-15T23:00:00Z") });
  expect(parseInstant("2030-01-15T18:00:00+01:00[America/New_York]")).toHaveProperty("problem");
});
