// Injects faults into posts with replies and a first comment: nothing is out twice, and a thread has no hole. The networks are in two
// files, which run at the same time.
import { afterAll, expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { LASTING_FAULTS } from "./fault-plans.ts";
import { listPostsWithParts } from "./post-kinds.ts";
import { runFaultSuite } from "./suite.ts";
import { countVerdicts, formatTable, getTitle, type Tally, type Verdict } from "./verdict.ts";

/** Of each network: enough for a check of a change. PARTS_CASES=500 runs all of them. */
const MOST_CASES = Number(process.env.PARTS_CASES ?? 60);

const withParts = Object.values(drivers).filter(({ capabilities }) => capabilities.firstComment);
const META: readonly Platform[] = ["facebook", "instagram", "threads"];

/** Declares the tests of the networks of Meta, or of the others. */
export function testParts(networks: "of Meta" | "others"): void {
  const chosen = withParts.filter(({ platform }) => META.includes(platform) === (networks === "of Meta"));
  const tallies = new Map<Platform, Tally>();
  afterAll(() => void process.stdout.write(`\n${formatTable(tallies)}\n\n`));

  test.each(chosen.map((driver) => [driver.platform, driver] as const))(
    "%s: each part is out once, in its place, or failed with a true reason",
    async (platform, driver) => {
      let planned = 0;
      // Every n-th case, so that a short run has faults of each kind.
      const only = () => planned++ % Math.max(1, Math.floor(500 / MOST_CASES)) === 0;
      const { withoutFaults, withFaults } = await runFaultSuite({
        drivers: [driver],
        posts: listPostsWithParts,
        only,
        change: (base) => base,
      });
      expect(withoutFaults.filter(({ verdict }) => verdict !== "posted").map(({ summary }) => summary)).toEqual([]);
      // These networks have no part that is polled.
      if (platform === "twitter" || platform === "bluesky") {
        for (const { running } of withoutFaults) {
          const { kind, publisher } = running;
          const parts = (kind.thread?.length ?? 0) + (kind.firstComment ? 1 : 0);
          const queries = publisher.operations.filter(({ on }) => on === "database");
          expect([getTitle(running), queries.length <= 4 + 2 * parts]).toEqual([getTitle(running), true]);
        }
      }
      tallies.set(platform, countVerdicts(withFaults));
      const summarize = (verdict: Verdict) =>
        withFaults.filter((one) => one.verdict === verdict).map((one) => one.summary);
      for (const verdict of ["twice", "hole", "lost", "stuck", "untrue reason"] as const)
        expect([verdict, summarize(verdict)]).toEqual([verdict, []]);
      const unknown = withFaults.filter(
        ({ verdict, running: { plan } }) => verdict === "unknown reported" && !(plan && LASTING_FAULTS.has(plan.fault)),
      );
      expect(unknown.map(({ running, summary }) => [getTitle(running), summary])).toEqual([]);
    },
    900_000,
  );

  test.each(chosen.filter(({ platform }) => platform === "facebook" || platform === "linkedin"))(
    "$platform: on an account that may not list comments, one whose answer is lost fails, and is not sent again",
    async (driver) => {
      const { withFaults } = await runFaultSuite({
        drivers: [driver],
        posts: (own, host) => listPostsWithParts(own, host).map((kind) => ({ ...kind, cannotList: true })),
        only: (_kind, { operation: { name } }) => /comments/.test(name),
        change: (base) => base,
      });
      const ends = Map.groupBy(withFaults, ({ verdict }) => verdict);
      expect([...ends.keys()].toSorted()).toEqual(["failed correctly", "posted", "unknown reported"]);
      for (const { summary } of ends.get("unknown reported") ?? [])
        expect(summary).toMatch(/: posted .*check the account/i);
    },
    900_000,
  );
}
