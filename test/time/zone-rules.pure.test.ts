// Rules name a zone by any of its names: operators read the newer one, runtimes often know the older one.
import { afterEach, expect, test } from "vitest";
import { toInstant } from "../../lib/shared/time-zone.ts";
import { setZoneRules } from "../../lib/shared/zone-rules.ts";

afterEach(() => setZoneRules(""));

// Zones that no other test of this file reads: packages remember what they computed.
test.each([
  ["Europe/Kyiv", "Europe/Kyiv"],
  ["Asia/Kathmandu", "Asia/Katmandu"],
  ["america/nuuk", "America/Nuuk"],
  ["Asia/Rangoon", "Asia/Yangon"],
])("a rule of %s holds for %s", (named, zone) => {
  setZoneRules(`${named} 2027-01-01T00:00:00Z +09:00`);
  expect(toInstant("2027-06-01T12:00", zone)?.toISOString()).toBe("2027-06-01T03:00:00.000Z");
});

test("a zone that the runtime does not know changes nothing, and other rules hold", () => {
  setZoneRules("Europe/Atlantis 2027-01-01T00:00:00Z +09:00; Asia/Kolkata 2027-01-01T00:00:00Z +09:00");
  expect(toInstant("2027-06-01T12:00", "Asia/Kolkata")?.toISOString()).toBe("2027-06-01T03:00:00.000Z");
});
