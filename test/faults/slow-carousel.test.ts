// A carousel of ten whose children are processed for 40 seconds goes out once, whatever call fails.
import { expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Fault } from "./fault-plans.ts";
import { runFaultSuite } from "./suite.ts";
import { countVerdicts } from "./verdict.ts";

const FAULTS: ReadonlySet<Fault> = new Set(["killed before", "killed after", "dropped after", "500"]);

test("a carousel of ten whose children take 40 s goes out once, on Instagram and on Threads", {
  timeout: 600_000,
}, async () => {
  const { withoutFaults, withFaults } = await runFaultSuite({
    drivers: [drivers.instagram, drivers.threads],
    posts: ({ platform }, host) => [
      {
        platform,
        name: "multi_image",
        media: { type: "slideshow", urls: Array(10).fill(host.url("a.jpg")) as string[] },
      },
    ],
    timing: { processingMs: 40_000 },
    only: (_kind, { fault }) => FAULTS.has(fault),
    change: (base) => base,
  });
  expect(withoutFaults.filter(({ verdict }) => verdict !== "posted").map(({ summary }) => summary)).toEqual([]);
  const tally = countVerdicts(withFaults);
  process.stdout.write(`\ncarousels of ten: ${JSON.stringify(tally)}\n`);
  expect(tally).toMatchObject({ twice: 0, lost: 0, stuck: 0, "unknown reported": 0, "untrue reason": 0 });
  expect(tally.posted).toBeGreaterThan(20);
});
