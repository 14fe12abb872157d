// Tests the suite itself: without the `armed` checkpoint it must detect duplicate posts.
import { expect, test } from "vitest";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import { withoutArming } from "./fault-injection.ts";
import { runFaultSuite } from "./suite.ts";

test("a worker without the armed checkpoint is found to publish twice", async () => {
  const { withFaults } = await runFaultSuite({
    drivers: [facebook],
    only: (kind) => kind.name === "text_only",
    change: withoutArming,
  });
  expect(withFaults.filter(({ verdict }) => verdict === "twice").map(({ summary }) => summary)).not.toEqual([]);
}, 600_000);
