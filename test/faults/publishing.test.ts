// Every network, every kind of post, every operation of its publisher struck in every way: out once, or told why not.
import { beforeAll, describe, expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Platform } from "../../lib/platforms/platform.ts";
import { LASTING } from "./faults.ts";
import { strike } from "./suite.ts";
import { type Judged, table, tally, titleOf, type Verdict } from "./verdict.ts";

const served = Object.values(drivers);
let calm: Judged[] = [];
let faulty: Judged[] = [];

beforeAll(async () => {
  ({ calm, faulty } = await strike({ drivers: served, only: () => true, change: (base) => base }));
  const tallies = served.map(({ platform }) => [platform, tally(of(faulty, platform))] as const);
  process.stdout.write(`\n${table(new Map(tallies))}\n\n`);
}, 240_000);

function of(judged: Judged[], platform: Platform): Judged[] {
  return judged.filter(({ running }) => running.kind.platform === platform);
}

describe.each(served.map(({ platform }) => platform))("%s", (platform) => {
  const told = (verdict: Verdict) =>
    of(faulty, platform)
      .filter((one) => one.verdict === verdict)
      .map((one) => one.told);

  test("every kind goes out when nothing goes wrong", () => {
    expect(
      of(calm, platform)
        .filter(({ verdict }) => verdict !== "posted")
        .map((one) => one.told),
    ).toEqual([]);
  });

  test("every planned fault struck", () => {
    const missed = of(faulty, platform).filter(({ running }) => !running.publisher.struck());
    expect(missed.map(({ running }) => titleOf(running))).toEqual([]);
    expect(of(faulty, platform).length).toBeGreaterThan(40);
  });

  test("nothing is published twice", () => expect(told("twice")).toEqual([]));
  test("nothing is lost: what is told is what the network has", () => expect(told("lost")).toEqual([]));
  test("the outcome stays unknown only where the network never answers again, or can not be asked", () => {
    const ends = of(faulty, platform).filter(({ verdict, running: { kind, plan } }) => {
      const unaskable = platform === "tiktok" && kind.name !== "single_video";
      return verdict === "unknown told" && !unaskable && !(plan && LASTING.has(plan.fault));
    });
    expect(ends.map((one) => one.told)).toEqual([]);
  });

  test("nothing is stuck past its deadline", () => expect(told("stuck")).toEqual([]));
});
