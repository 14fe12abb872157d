// The suite itself under test: with the checkpoint before the irreversible call gone, it must find double publications.
import { expect, test } from "vitest";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import { strike } from "./suite.ts";
import { withoutArming } from "./troubled.ts";

test("a publisher that only pretends to arm is found to publish twice", async () => {
  const { faulty } = await strike({
    drivers: [facebook],
    only: (kind) => kind.name === "text_only",
    change: withoutArming,
  });
  expect(faulty.filter(({ verdict }) => verdict === "twice").map(({ told }) => told)).not.toEqual([]);
}, 120_000);
