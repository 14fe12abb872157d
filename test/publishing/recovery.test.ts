// Recovery from faults: lost leases, failed database statements, rejected reads of a network.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { HEARTBEATS_PER_LEASE } from "../../lib/jobs/lease.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { LEASE_MS } from "../../lib/publishing/timing.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import { createTestPublisher, openTestDatabase, queryRows } from "../support/harness.ts";
import {
  afterNoon,
  connectAccount,
  createDelivery,
  hangUntilAborted,
  isCheckpointOf,
  loseAnswer,
  NOON,
  publishUntilDone,
  readDelivery,
  readTrace,
  respondWith,
  scriptNetwork,
  updateDeliveries,
  withFailingStatements,
} from "./scripted-network.ts";

afterEach(() => {
  vi.useRealTimers();
});

const HEARTBEAT_MS = LEASE_MS / HEARTBEATS_PER_LEASE;
const OUT = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } };

test("two started deliveries of one account do not block each other", async () => {
  const setting = await connectAccount("instagram");
  const ids = [await createDelivery(setting, NOON), await createDelivery(setting, afterNoon(1))];
  await updateDeliveries(ids, sql`stage = 'started', handle = '{"container": "17801", "startedAt": 0}'`);
  const { services } = createTestPublisher(afterNoon(1_000), { fetch: scriptNetwork({}).fetch });
  await publishDue(services, ids);
  for (const id of ids) expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null });
});

test("a new delivery waits for an earlier one that a network still processes", async () => {
  const setting = await connectAccount("instagram");
  const [begun, fresh] = [await createDelivery(setting, NOON), await createDelivery(setting, afterNoon(1))];
  await updateDeliveries([begun], sql`stage = 'started', handle = '{"container": "17801", "startedAt": 0}'`);
  const { services } = createTestPublisher(afterNoon(1_000), {
    fetch: scriptNetwork({ status: [{ status_code: "IN_PROGRESS" }] }).fetch,
  });
  await publishDue(services, [begun, fresh]);
  expect(await readDelivery(begun)).toMatchObject({ stage: "started", status: "pending" });
  expect(await readDelivery(fresh)).toMatchObject({ stage: "new", leaseUntil: null });
});

/** Starts a worker that hangs in the given call, with a controlled heartbeat. */
async function hangIn(name: string) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ [name]: [hangUntilAborted] });
  const { services, enqueuedDeliveries, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  const working = publishDue(services, [id]);
  await expect.poll(() => network.countCalls(name)).toBe(1);
  const signal = () => network.calls.find((call) => call.name === name)?.init.signal;
  const sendHeartbeat = async () => {
    advance(HEARTBEAT_MS);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  };
  return { setting, id, network, enqueued: enqueuedDeliveries, working, signal, sendHeartbeat };
}

// The first call, the last call and one between: the heartbeat covers the whole attempt.
for (const call of ["limit", "status", "publish"]) {
  test(`losing the lease while "${call}" hangs aborts the call and records nothing`, async () => {
    const { setting, id, network, enqueued, working, signal, sendHeartbeat } = await hangIn(call);
    const before = await readDelivery(id);
    const trace = await readTrace(id);
    await sendHeartbeat();
    await expect.poll(async () => (await readDelivery(id)).leaseUntil).toEqual(afterNoon(HEARTBEAT_MS + LEASE_MS));
    expect(signal()?.aborted).toBe(false);
    const otherLease = newId();
    await updateDeliveries([id], sql`lease_token = ${otherLease}`);
    await queryRows(sql`update accounts set lease_token = ${otherLease} where id = ${setting.account.id} returning id`);
    await sendHeartbeat();
    await working;
    expect(signal()?.aborted).toBe(true);
    expect(await readTrace(id)).toEqual(trace);
    expect(await readDelivery(id)).toEqual({
      ...before,
      leaseToken: otherLease,
      leaseUntil: afterNoon(HEARTBEAT_MS + LEASE_MS),
    });
    expect([network.countCalls(call), enqueued]).toEqual([1, []]);
  });
}

const NO_SCOPE = respondWith(403, { error: { code: "scope_not_authorized" } });
const RESTRICTED = respondWith(400, { error: { code: 25, error_subcode: 2207050 } });

test("after a lost response a rejected reconcile leaves the outcome unknown, and the post is found later", async () => {
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const out = { data: [{ id: "18001", permalink: "https://www.instagram.com/p/18001/", caption: "hello" }] };
  const media = [{ ...out, data: out.data.map((post) => ({ ...post, timestamp: afterNoon(5_000).toISOString() })) }];
  const status = [{ status_code: "FINISHED" }, RESTRICTED, RESTRICTED, { status_code: "PUBLISHED" }];
  const network = scriptNetwork({ publish: [loseAnswer], status, media });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  for (let look = 0; look < 2; look++) {
    advance(60_000);
    await publishDue(services, [id]);
    expect(await readDelivery(id)).toMatchObject({ status: "retry", stage: "armed", error_code: "outcome_unknown" });
  }
  expect(await publishUntilDone({ services, advance }, id)).toMatchObject({ status: "posted", error_code: null });
  expect(network.countCalls("publish")).toBe(1);
});

test("a rejected poll of an accepted post leaves the outcome unknown, and the post is found later", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const status = [NO_SCOPE, NO_SCOPE, { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } }];
  const network = scriptNetwork({ status });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "retry", stage: "sent", error_code: "outcome_unknown" });
  expect(await publishUntilDone({ services, advance }, id)).toMatchObject({ status: "posted", error_code: null });
  expect(network.countCalls("publish")).toBe(1);
});

test("an accepted post that the network reports as failed fails the delivery with its reason", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ status: [{ data: { status: "FAILED", fail_reason: "picture_size_check_failed" } }] });
  const row = await publishUntilDone(createTestPublisher(NOON, { fetch: network.fetch }), id);
  expect(row).toMatchObject({ status: "failed", stage: "done", error_code: "picture_size_check_failed" });
});

for (const when of ["before", "after"] as const) {
  test(`when the database fails ${when} writing "armed", nothing is sent and the post is published by a retry`, async () => {
    const setting = await connectAccount("tiktok");
    const id = await createDelivery(setting, NOON);
    const network = scriptNetwork({});
    let failures = 0;
    const db = withFailingStatements(openTestDatabase(), (query, params) =>
      isCheckpointOf("armed", query, params) && failures++ === 0 ? when : null,
    );
    const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch, db, log: () => undefined });
    await publishDue(services, [id]);
    expect(network.countCalls("publish")).toBe(0);
    expect(await readDelivery(id)).toMatchObject({ status: "retry", stage: "started" });
    expect(await publishUntilDone({ services, advance }, id)).toMatchObject({ status: "posted", attempts: 2 });
    expect(network.countCalls("publish")).toBe(1);
  });

  test(`when the database fails twice ${when} writing "sent", the third attempt stores the handle`, async () => {
    const setting = await connectAccount("tiktok");
    const id = await createDelivery(setting, NOON);
    const network = scriptNetwork({ status: [{ data: { status: "PROCESSING_DOWNLOAD" } }] });
    let failures = 0;
    const db = withFailingStatements(openTestDatabase(), (query, params) =>
      isCheckpointOf("sent", query, params) && failures++ < 2 ? when : null,
    );
    const { services } = createTestPublisher(NOON, { fetch: network.fetch, db });
    await withFastPauses(() => publishDue(services, [id]));
    expect(await readDelivery(id)).toMatchObject({ status: "pending", stage: "sent", handle: { publishId: "p1" } });
    expect([failures, network.countCalls("publish")]).toEqual([3, 1]);
  });
}

test("an outcome is stored after an outage of seconds, so that the account does not wait for the end of its lease", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ status: [OUT] });
  let [failures, waited] = [0, 0];
  const db = withFailingStatements(openTestDatabase(), (query, params) =>
    isCheckpointOf("sent", query, params) && waited < 5_000 && failures++ >= 0 ? "before" : null,
  );
  const wait = async (ms: number) => {
    waited += ms;
    return true;
  };
  const { services } = createTestPublisher(NOON, { fetch: network.fetch, db, wait });
  await withFastPauses(() => publishDue(services, [id]));
  expect(await readDelivery(id)).toMatchObject({ status: "posted", next: null, leaseUntil: null });
  expect([failures, waited, network.countCalls("publish")]).toEqual([7, 5_000, 1]);
});

test("an attempt of a worker that ended during the call is counted once the post is found", async () => {
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const out = { id: "18001", permalink: "https://www.instagram.com/p/18001/", caption: "hello" };
  const media = [{ data: [{ ...out, timestamp: afterNoon(5_000).toISOString() }] }];
  const network = scriptNetwork({ status: [{ status_code: "PUBLISHED" }], media });
  const handle = JSON.stringify({ container: "17801", startedAt: NOON.getTime() });
  await updateDeliveries([id], sql`stage = 'armed', handle = ${handle}::jsonb, armed_at = ${NOON.toISOString()}`);
  const { services } = createTestPublisher(afterNoon(120_000), { fetch: network.fetch });
  await withFastPauses(() => publishDue(services, [id]));
  expect(await readDelivery(id)).toMatchObject({ status: "posted", attempts: 1 });
});

test('when "sent" cannot be written, the handle is stored with the outcome, and the post is found', async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({});
  let failures = 0;
  const db = withFailingStatements(openTestDatabase(), (query, params) =>
    isCheckpointOf("sent", query, params) && params.includes("sent") && failures++ < 3 ? "before" : null,
  );
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch, db, log: () => undefined });
  await publishDue(services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "retry", stage: "armed", handle: { publishId: "p1" } });
  expect(await publishUntilDone({ services, advance }, id)).toMatchObject({ status: "posted" });
  expect(network.countCalls("publish")).toBe(1);
});

test("a delivery that ends every worker does not hold its neighbours, and fails after the fifth claim", async () => {
  const [poison, other] = [await connectAccount("tiktok"), await connectAccount("tiktok")];
  const id = await createDelivery(poison, NOON);
  // A worker that ends stores nothing, as when the database does not answer it.
  const db = withFailingStatements(openTestDatabase(), (query, params) =>
    query.includes(`insert into "delivery_attempts"`) && params.includes(id) ? "before" : null,
  );
  const network = scriptNetwork({});
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch, db, log: () => undefined });
  for (let claim = 1; claim <= 5; claim++) {
    const neighbour = await createDelivery(other, NOON);
    await withFastPauses(() => publishDue(services, [id, neighbour]));
    expect(await readDelivery(neighbour)).toMatchObject({ status: "posted" });
    expect(await readDelivery(id)).toMatchObject({ stage: "new", status: "pending" });
    advance(LEASE_MS + 1_000);
  }
  const healthy = createTestPublisher(services.clock(), { fetch: network.fetch });
  await publishDue(healthy.services, [id]);
  const row = await readDelivery(id);
  expect(row).toMatchObject({ status: "failed", error_code: "internal_error", next: null });
  expect(row.error_message).toMatch(/Retry the post later/);
});
