// A delivery that a worker claimed and could not finish is free again soon, and the ones that wait behind it go on.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { consumeDeadLetters } from "../../functions/queue/dead-letters.ts";
import { consumeDeliveries } from "../../functions/queue/deliveries.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { LEASE_MS } from "../../lib/publishing/timing.ts";
import type { DeliveriesMessage } from "../../lib/services/env.ts";
import { createTestPublisher, openTestDatabase, queryRows } from "../support/harness.ts";
import {
  afterNoon,
  type ConnectedAccount,
  connectAccount,
  createDelivery,
  NOON,
  readDelivery,
  scriptNetwork,
  updateDeliveries,
  withFailingStatements,
} from "./scripted-network.ts";

const OUT = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } };

const isClaim = (query: string) => query.includes("with requested_accounts as") && query.includes(`"claimed_at"`);
const isEnd = (query: string, params: unknown[]) =>
  query.includes(`insert into "delivery_attempts"`) && params.includes("posted");

async function readLeases(id: string, { account }: ConnectedAccount) {
  const [row] = await queryRows<{ delivery: boolean; account: boolean; claims: number }>(
    sql`select d.lease_until is not null as delivery, a.lease_until is not null as account, d.claims
      from post_deliveries d join accounts a on a.id = d.account_id where d.id = ${id} and a.id = ${account.id}`,
  );
  return row;
}

for (const canWait of [true, false]) {
  const then = canWait ? "is repeated in the same invocation" : "leaves no lease, also when the invocation ends";
  test(`a claim that is stored while its answer is lost ${then}`, async () => {
    const setting = await connectAccount("tiktok");
    const id = await createDelivery(setting, NOON);
    const network = scriptNetwork({ status: [OUT] });
    let lost = 0;
    const db = withFailingStatements(openTestDatabase(), (query) => (isClaim(query) && lost++ === 0 ? "after" : null));
    const { services } = createTestPublisher(NOON, { fetch: network.fetch, db, wait: async () => canWait });
    const run = publishDue(services, [id]);
    if (!canWait) {
      await expect(run).rejects.toHaveProperty("cause.message", "the database response is lost");
      expect(await readLeases(id, setting)).toEqual({ delivery: false, account: false, claims: 0 });
      await publishDue(services, [id]);
    } else await run;
    expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null, leaseUntil: null });
    expect(network.countCalls("publish")).toBe(1);
  });
}

test("an outcome that could not be stored ends the lease, and the delivery is tried again within 20 s", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ status: [OUT, OUT] });
  let isAway = true;
  const db = withFailingStatements(openTestDatabase(), (query, params) =>
    isAway && isEnd(query, params) ? "before" : null,
  );
  const { services, enqueuedDeliveries, advance } = createTestPublisher(NOON, { fetch: network.fetch, db });
  await publishDue(services, [id]);
  expect(await readLeases(id, setting)).toMatchObject({ delivery: false, account: false });
  const message = enqueuedDeliveries.at(-1);
  expect(message).toMatchObject({ deliveryIds: [id], kind: "confirmations" });
  expect(message?.delaySeconds).toBeGreaterThanOrEqual(15);
  expect(message?.delaySeconds).toBeLessThan(20);
  isAway = false;
  advance((message?.delaySeconds ?? 0) * 1000);
  await publishDue(services, [id], "confirmations");
  expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
  expect(network.countCalls("publish")).toBe(1);
});

test("an outcome that cannot be stored while the database stays away is enqueued for the end of the lease", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  let isAway = false;
  const db = withFailingStatements(openTestDatabase(), (query, params) => {
    isAway ||= isEnd(query, params);
    return isAway ? "before" : null;
  });
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({ status: [OUT, OUT] }).fetch, db });
  await publishDue(publisher.services, [id]).catch(() => undefined);
  const delaySeconds = LEASE_MS / 1000 + 1;
  expect(publisher.enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "confirmations", delaySeconds }]);
  const later = createTestPublisher(afterNoon(delaySeconds * 1000), { fetch: scriptNetwork({ status: [OUT] }).fetch });
  await publishDue(later.services, [id], "confirmations");
  expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
});

test("the next post of an account goes out although the answer to the end of the one before was lost", async () => {
  const setting = await connectAccount("tiktok");
  const [first, second] = [await createDelivery(setting, NOON), await createDelivery(setting, afterNoon(1))];
  let lost = 0;
  const db = withFailingStatements(openTestDatabase(), (query, params) =>
    isEnd(query, params) && lost++ === 0 ? "after" : null,
  );
  const network = scriptNetwork({ status: [OUT, OUT] });
  await publishDue(createTestPublisher(afterNoon(1_000), { fetch: network.fetch, db }).services, [first]);
  for (const id of [first, second]) expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
  expect(network.countCalls("publish")).toBe(2);
});

const batchOf = (deliveryIds: string[], attempts: number) =>
  ({
    messages: [{ id: "message", timestamp: NOON, attempts, body: { deliveryIds, kind: "posts" } }],
  }) as unknown as MessageBatch<DeliveriesMessage>;

/** A delivery whose consumer was killed: leased with its account, and no worker holds the lease. */
async function createAbandoned() {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const until = afterNoon(40_000).toISOString();
  await updateDeliveries([id], sql`lease_token = gen_random_uuid(), lease_until = ${until}`);
  await queryRows(sql`update accounts set lease_until = ${until} where id = ${setting.account.id} returning id`);
  return id;
}

test("a message repeated after its consumer was killed is enqueued for the end of the lease, a first one is not", async () => {
  const id = await createAbandoned();
  const publisher = createTestPublisher(afterNoon(10_000), { fetch: scriptNetwork({ status: [OUT] }).fetch });
  await consumeDeliveries(publisher.services, batchOf([id], 1));
  expect(publisher.enqueuedDeliveries).toEqual([]);
  await consumeDeliveries(publisher.services, batchOf([id], 2));
  expect(publisher.enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "posts", delaySeconds: 31 }]);
  publisher.advance(31_000);
  await consumeDeliveries(publisher.services, batchOf([id], 1));
  expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
});

test("a dead letter enqueues what is still leased for the end of the lease, and nothing that cron finds", async () => {
  const [id, free] = [await createAbandoned(), await createDelivery(await connectAccount("tiktok"), NOON)];
  const lines: Record<string, unknown>[] = [];
  const publisher = createTestPublisher(afterNoon(10_000), { log: (line) => void lines.push(line) });
  await consumeDeadLetters(publisher.services, batchOf([id, free], 4));
  expect(lines).toMatchObject([{ event: "dead_letter", deliveryIds: [id, free] }]);
  expect(publisher.enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "posts", delaySeconds: 31 }]);
});
