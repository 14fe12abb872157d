// The clock that a page shows is that of the service, also in the hours around a change: by offsets that the page was given.
import { expect, test } from "vitest";
import { toClockTime as toShownTime } from "../../functions/workspace/scripts/shared/clock.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { toClockTime } from "../../lib/shared/schedule.ts";
import { listOffsets } from "../../lib/shared/time-zone.ts";

test.each([
  ["America/New_York", "2027-11-07T06:00:00Z"],
  ["Europe/Berlin", "2027-10-31T01:00:00Z"],
  ["Europe/Berlin", "2027-03-28T01:00:00Z"],
  ["Australia/Lord_Howe", "2027-04-03T15:00:00Z"],
  ["Antarctica/Troll", "2027-10-31T01:00:00Z"],
  ["Asia/Tokyo", "2027-11-07T06:00:00Z"],
  ["UTC", "2027-11-07T06:00:00Z"],
])("in %s, a page opened around %s shows each minute, and which of two it is", (zone, change) => {
  const changed = Date.parse(change);
  for (let opened = -250; opened <= 250; opened += 25) {
    const offsets = listOffsets(new Date(changed + opened * MINUTE_MS), zone);
    for (let minutes = 0; minutes < 500; minutes += 15) {
      const at = changed + (opened + minutes) * MINUTE_MS;
      expect(toShownTime(at, offsets, zone)).toEqual(toClockTime(new Date(at), zone));
    }
  }
});
