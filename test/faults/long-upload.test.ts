// A long video whose worker ends at any of its parts, or whose part is lost: the next worker continues after the parts that
// the network has, and nothing is uploaded from the start again.
import { expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Fault } from "./fault-plans.ts";
import { runFaultSuite } from "./suite.ts";
import { countVerdicts } from "./verdict.ts";

/** Faults after which the part may have arrived, or not. */
const FAULTS: ReadonlySet<Fault> = new Set(["killed before", "killed after", "500", "dropped after", "budget used up"]);
const ARRIVES: ReadonlySet<Fault> = new Set(["killed after", "dropped after"]);

test.each([
  ["twitter", "upload/initialize", "upload/append", 20],
  ["linkedin", "initializeUpload", "upload", 5],
  ["bluesky", "startUpload", "uploadPart", 3],
] as const)(
  "a long video on %s is never uploaded from the start again",
  { timeout: 600_000 },
  async (platform, begin, part, parts) => {
    const { withoutFaults, withFaults, arrived } = await runFaultSuite({
      drivers: [drivers[platform]],
      posts: (driver, host) => [
        { platform: driver.platform, name: "single_video", media: { type: "video", url: host.url("long.mp4") } },
      ],
      only: (_kind, { operation, fault }) => operation.name === part && FAULTS.has(fault),
      change: (base) => base,
    });
    const tally = countVerdicts(withFaults);
    process.stdout.write(`\nlong uploads on ${platform}: ${JSON.stringify(tally)}\n`);
    // The first part and the last one.
    expect(tally).toMatchObject({ cases: 2 * FAULTS.size, posted: 2 * FAULTS.size });
    // Without faults it is published twice, to find out whether the network takes a post twice.
    const uploads = withFaults.length + 2 * withoutFaults.length;
    const sentAgain = withFaults.filter(({ running: { plan } }) => plan && ARRIVES.has(plan.fault)).length;
    expect(arrived.get(begin)).toBe(uploads);
    expect(arrived.get(part)).toBe(uploads * parts + sentAgain);
  },
);
