// Instants in requests: ISO 8601 with an offset, and RFC 9557. Every refusal names a form that is taken.
import { expect, test } from "vitest";
import { readInstant, restorePlus } from "../../lib/schemas/common.ts";

const read = (text: string) => {
  const result = readInstant(text);
  return "at" in result ? result.at.toISOString() : result.problem;
};

test.each([
  ["2026-12-24T09:30:00+01:00[Europe/Berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T09:30+01:00[Europe/Berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T09:30:00+0100[Europe/Berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T09:30:00.123456789+01:00[Europe/Berlin]", "2026-12-24T08:30:00.123Z"],
  ["2026-12-24T08:30:00Z[Europe/Berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24t08:30:00z[europe/berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T08:30:00-00:00[Europe/Berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T09:30:00+01:00[!Europe/Berlin]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T09:30:00+01:00[+01:00]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T08:30:00Z[UTC]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T08:30:00+00:00[Etc/UTC]", "2026-12-24T08:30:00.000Z"],
  ["2026-12-24T09:30:00+05:45[Asia/Kathmandu]", "2026-12-24T03:45:00.000Z"],
  // Both occurrences of a time that the clock shows twice.
  ["2027-10-31T02:30:00+02:00[Europe/Berlin]", "2027-10-31T00:30:00.000Z"],
  ["2027-10-31T02:30:00+01:00[Europe/Berlin]", "2027-10-31T01:30:00.000Z"],
  ["2028-02-29T00:00Z", "2028-02-29T00:00:00.000Z"],
  ["2026-11-20T23:59:59.999Z", "2026-11-20T23:59:59.999Z"],
  ["2026-11-20T18:00:00+23:59", "2026-11-19T18:01:00.000Z"],
])("%s is %s", (text, instant) => expect(read(text)).toBe(instant));

test.each([
  [
    "2026-12-24T09:30:00+01:00[America/New_York]",
    /-05:00\[America\/New_York\], or no zone: 2026-12-24T09:30:00\+01:00\.$/,
  ],
  ["2026-07-24T09:30:00+01:00[Europe/Berlin]", /Send 2026-07-24T09:30:00\+02:00\[Europe\/Berlin\]/],
  ["2027-03-14T02:30:00-05:00[America/New_York]", /Send 2027-03-14T03:30:00-04:00\[America\/New_York\]/],
  ["2026-12-24T09:30:00+01:00[+02:00]", /Send 2026-12-24T09:30:00\+02:00\[\+02:00\]/],
  ["2026-12-24T09:30:00+01:00[Europe/Berlin][u-ca=hebrew]", /^Calendars .* 2026-12-24T09:30:00\+01:00,/],
  ["2026-12-24T09:30:00+01:00[u-ca=iso8601]", /^Calendars .* 2026-12-24T09:30:00\+01:00,/],
  ["2026-12-24T09:30:00Z[!x-foo=bar]", /^Calendars /],
  ["2026-12-24T09:30:00+01:00[Europe/Berlin][Europe/Berlin]", /names no time zone.*2026-12-24T09:30:00\+01:00/],
  ["2026-12-24T09:30:00+01:00[Europe/Atlantis]", /names no time zone.*\[Europe\/Berlin\]/],
  ["2026-12-24T09:30:00Z[]", /names no time zone/],
  ["2026-12-24T09:30:00[Europe/Berlin]", /Send 2026-12-24T09:30:00\+01:00\[Europe\/Berlin\]\.$/],
  ["2026-12-24T09:30:00", /^Has no offset.*2026-12-24T09:30:00Z or 2026-12-24T09:30:00\+02:00/],
  ["2026-12-24T24:00:00Z", /2026-12-25T00:00:00/],
  ["2026-12-24T24:00Z", /2026-12-25T00:00:00/],
  ["2026-12-24T24:00:00+01:00[Europe/Berlin]", /2026-12-25T00:00:00/],
  ["2026-12-24T25:00:00Z", /no time 25:00/],
  ["2026-12-24T10:60:00Z", /no time 10:60/],
  ["2026-12-31T23:59:60Z", /leap seconds/],
  ["2016-12-31T23:59:60Z", /leap seconds/],
  ["2026-12-24T10:00:61Z", /10:00:59Z/],
  ["2027-02-30T10:00:00Z", /no day 2027-02-30/],
  ["2027-02-29T10:00:00+01:00[Europe/Berlin]", /no day 2027-02-29/],
  ["2027-13-01T10:00:00Z", /no day 2027-13-01/],
  ["2027-00-01T10:00:00Z", /no day 2027-00-01/],
  ["2026-12-24T09:30:00+24:00", /no offset/],
  ["2026-12-24T09:30:00+01:60", /no offset/],
  ["2026-12-24 09:30:00Z", /ISO 8601/],
  ["2026-12-24", /ISO 8601/],
  ["24.12.2026 09:30", /ISO 8601/],
  ["1798104600", /ISO 8601/],
  ["2026-12-24T09:30:00+01:00[Europe/Berlin", /ISO 8601/],
  ["20261224T093000Z", /ISO 8601/],
  ["1969-12-31T23:59:59Z", /from 1970 to 9000/],
  ["9001-01-01T00:00:00Z", /from 1970 to 9000/],
])("%s is refused", (text, problem) => {
  const message = read(text);
  expect(message).toMatch(problem);
  // What the message offers is taken. A whole date and time stands in each, except where another day is the cure.
  const offered = [...message.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)(?:\[[^\]]+\])?/g)];
  expect(offered.length).toBeGreaterThan(0);
  for (const [form] of offered) expect(read(form)).toMatch(/^\d{4}-.*Z$/);
});

test("a plus that a query string turned into a space comes back, with a zone behind it too", () => {
  expect(restorePlus("2026-12-24T09:30:00 01:00")).toBe("2026-12-24T09:30:00+01:00");
  expect(restorePlus("2026-12-24T09:30:00 01:00[Europe/Berlin]")).toBe("2026-12-24T09:30:00+01:00[Europe/Berlin]");
});
