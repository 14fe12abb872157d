// Database queries per delivery, from its claim until it is posted, counted on the wire.
import { expect, test } from "vitest";
import { openServices, WAIT_BUDGET_MS } from "../../lib/services/context.ts";
import { createBindings, createTestPublisher, type TestPublisher } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { runQueue } from "../support/queue.ts";
import { afterNoon, connectAccount, createDelivery, NOON, readDelivery, scriptNetwork } from "./scripted-network.ts";

/** Publishes a delivery and returns how many queries that took. The clock advances while a poll waits. */
async function countQueries(id: string, network: ReturnType<typeof scriptNetwork>): Promise<number> {
  const requestId = `queue.${crypto.randomUUID()}`;
  const { db } = openServices(createBindings([]), requestId, () => undefined);
  const publisher: TestPublisher = createTestPublisher(NOON, {
    db,
    fetch: network.fetch,
    wait: async (ms) => {
      if (waitedMs + ms > WAIT_BUDGET_MS) return false;
      waitedMs += ms;
      publisher.advance(ms);
      return true;
    },
  });
  let waitedMs = 0;
  publisher.services.enqueueDeliveries([id], 0, "uploads");
  const { cost } = await measureCost(requestId, () =>
    runQueue(publisher, afterNoon(600_000), () => {
      waitedMs = 0;
    }),
  );
  expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
  return cost.database;
}

test("a post with one image takes at most four queries", async () => {
  const id = await createDelivery(await connectAccount("instagram"), NOON);
  expect(await countQueries(id, scriptNetwork({}))).toBeLessThanOrEqual(4);
});

test("a reel that is polled twelve times takes at most twenty queries", async () => {
  const media = { type: "video" as const, url: "https://media.example.com/a.mp4" };
  const id = await createDelivery(await connectAccount("instagram"), NOON, { media });
  const processing = Array.from({ length: 11 }, () => ({ status_code: "IN_PROGRESS" }));
  const network = scriptNetwork({ status: [...processing, { status_code: "FINISHED" }] });
  expect(await countQueries(id, network)).toBeLessThanOrEqual(20);
  expect(network.countCalls("status")).toBe(12);
});
