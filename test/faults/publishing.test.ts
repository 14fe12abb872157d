// Injects every fault into every operation, for every network and content kind: each post is published once or fails correctly.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { LASTING_FAULTS } from "./fault-plans.ts";
import { runFaultSuite } from "./suite.ts";
import { countVerdicts, formatTable, getTitle, type Judged, type Tally, type Verdict } from "./verdict.ts";

const allDrivers = Object.values(drivers);
const tallies = new Map<Platform, Tally>();

afterAll(() => void process.stdout.write(`\n${formatTable(tallies)}\n\n`));

// A network at a time, so that `npm test -- --project faults -t instagram` runs one.
describe.each(allDrivers.map((driver) => [driver.platform, driver] as const))("%s", (platform, driver) => {
  let baseline: Judged[] = [];
  let faulty: Judged[] = [];

  // Other work on the machine makes this many times as long as it takes on idle cores.
  beforeAll(async () => {
    const results = await runFaultSuite({ drivers: [driver], only: () => true, change: (base) => base });
    ({ withoutFaults: baseline, withFaults: faulty } = results);
    tallies.set(platform, countVerdicts(faulty));
  }, 900_000);

  const summarize = (verdict: Verdict) => faulty.filter((one) => one.verdict === verdict).map((one) => one.summary);

  test("every kind is published without faults", () => {
    expect(baseline.filter(({ verdict }) => verdict !== "posted").map((one) => one.summary)).toEqual([]);
  });

  test("every planned fault was injected", () => {
    const missed = faulty.filter(({ running }) => !running.publisher.struck());
    expect(missed.map(({ running }) => getTitle(running))).toEqual([]);
    expect(faulty.length).toBeGreaterThan(40);
  });

  test("nothing is published twice", () => expect(summarize("twice")).toEqual([]));
  test("the reported status matches the network", () => expect(summarize("lost")).toEqual([]));
  test("the outcome is unknown only if the network does not respond again or has no way to check", () => {
    const ends = faulty.filter(({ verdict, running: { kind, plan } }) => {
      const uncheckable = platform === "tiktok" && kind.name !== "single_video";
      return verdict === "unknown reported" && !uncheckable && !(plan && LASTING_FAULTS.has(plan.fault));
    });
    expect(ends.map((one) => one.summary)).toEqual([]);
  });

  test("the reason of every end is what happened", () => expect(summarize("untrue reason")).toEqual([]));

  test("no delivery is unfinished after its deadline", () => expect(summarize("stuck")).toEqual([]));
});
