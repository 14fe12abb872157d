// Due work of test scopes that receive no requests: cron enqueues the scopes, and the consumer of the queue works for each.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { enqueueDueSandboxes } from "../../functions/cron/sandboxes.ts";
import worker from "../../functions/index.ts";
import { acquireRun, releaseRun } from "../../lib/queries/sandbox-runs.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import {
  createBindings,
  createTestAccount,
  createTestTenant,
  type EnqueuedDeliveries,
  openTestDatabase,
  queryRows,
  type Tenant,
} from "../support/harness.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

interface EnqueuedSandbox {
  sandboxId: string;
  delaySeconds: number;
}

/** Runs a task of cron and returns what it enqueued for deliveries. */
async function runCron(task: (services: Services) => Promise<void>): Promise<(EnqueuedDeliveries | EnqueuedSandbox)[]> {
  const enqueued: EnqueuedDeliveries[] = [];
  const pending: Promise<unknown>[] = [];
  await task(openServices(createBindings(enqueued), "cron.test", (work) => void pending.push(work)));
  await Promise.all(pending);
  return enqueued;
}

/** The delay with which cron enqueues a scope; null when it does not. */
async function findDelay(scopeId: string | null): Promise<number | null> {
  const found = (await runCron(enqueueDueSandboxes)).filter((one) => "sandboxId" in one && one.sandboxId === scopeId);
  expect(found.length).toBeLessThan(2);
  return found[0]?.delaySeconds ?? null;
}

/** Hands a message to the Worker as the platform does. */
async function consume(scopeId: string): Promise<void> {
  const pending: Promise<unknown>[] = [];
  const ctx = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
  const message = { id: "message", timestamp: new Date(), attempts: 1, body: { sandboxId: scopeId } };
  const batch = { queue: "deliveries", messages: [message] };
  await worker.queue(batch as never, createBindings([]) as never, ctx as never);
  await Promise.all(pending);
}

const findAccount = ({ scopeId }: TestMode) =>
  virtualAccounts(scopeId).find(({ platform }) => platform === "bluesky")?.id ?? "";

async function schedule({ api }: Tenant, accountId: string, at: string): Promise<string> {
  const { status, body } = await api.post("/posts", {
    caption: "Tea",
    accounts: [{ id: accountId }],
    scheduled_at: at,
  });
  expect([status, body.message]).toEqual([201, expect.any(String)]);
  return body.data.id;
}

/** A test scope with a post that has just fallen due. */
async function createDue(live?: Tenant): Promise<{ mode: TestMode; post: string }> {
  const mode = await createTestMode(live ?? (await createTestTenant()));
  const at = inMs(2_000);
  const post = await schedule(mode, findAccount(mode), at);
  await sleep(Date.parse(at) - Date.now() + 50);
  return { mode, post };
}

const readStatus = async ({ api }: Tenant, id: string) => (await api.get(`/posts/${id}`)).body.data.status;

async function countPublished(post: string): Promise<number | undefined> {
  const rows = await queryRows<{ count: number }>(sql`select count(*)::int as count from delivery_attempts a
    join post_deliveries d on d.id = a.delivery_id where d.post_id = ${post} and a.outcome = 'posted'`);
  return rows[0]?.count;
}

test("cron enqueues the scope of a post that is due, and the consumer publishes it", async () => {
  const { mode, post } = await createDue();
  expect(await readStatus(mode, post)).toBe("pending");
  expect(await findDelay(mode.scopeId)).toBe(0);
  await consume(mode.scopeId);
  expect(await readStatus(mode, post)).toBe("posted");
  expect(await findDelay(mode.scopeId)).toBe(null);
});

test("cron enqueues ahead by the clock of the scope, and nothing that is due later than its next run", async () => {
  const mode = await createTestMode(await createTestTenant());
  const { body } = await mode.api.post("/sandbox/advance", { seconds: 300 * 86_400 });
  const soon = Date.parse(body.data.now) + 10 * 60_000;
  await schedule(mode, findAccount(mode), new Date(soon).toISOString());
  expect(await findDelay(mode.scopeId)).toBe(null);
  await mode.api.post("/sandbox/advance", { seconds: 9 * 60 });
  const delay = await findDelay(mode.scopeId);
  expect(delay).toBeGreaterThan(0);
  expect(delay).toBeLessThanOrEqual(60);
});

test("two messages at once publish once, and one that comes while another runner works asks it to look again", async () => {
  const { mode, post } = await createDue();
  const db = openTestDatabase();
  const run = await acquireRun(db, mode.scopeId, crypto.randomUUID());
  if (!run) throw new Error("The lease is not free.");
  await consume(mode.scopeId);
  expect(await readStatus(mode, post)).toBe("pending");
  expect(await releaseRun(db, run)).toBe(true);
  await Promise.all([consume(mode.scopeId), consume(mode.scopeId), consume(mode.scopeId)]);
  expect(await readStatus(mode, post)).toBe("posted");
  expect(await countPublished(post)).toBe(1);
});

test("nothing of the live workspace is touched, and its cron leaves test mode alone", async () => {
  const live = await createTestTenant();
  const account = await createTestAccount(live, "threads");
  const livePost = await schedule(live, account.id, inMs(1_000));
  const { mode, post } = await createDue(live);
  const readDelivery = async (id: string) => {
    const [row] = await queryRows<{ id: string }>(sql`select * from post_deliveries where post_id = ${id}`);
    return row;
  };
  const [before, own] = [await readDelivery(livePost), await readDelivery(post)];
  expect(await findDelay(live.workspaceId)).toBe(null);
  const enqueued = (await runCron(enqueueDueDeliveries)).flatMap((one) =>
    "deliveryIds" in one ? one.deliveryIds : [],
  );
  expect(enqueued).toContain(before?.id);
  expect(enqueued).not.toContain(own?.id);
  await consume(mode.scopeId);
  expect(await readStatus(mode, post)).toBe("posted");
  expect(await readDelivery(livePost)).toEqual(before);
});

test.each([
  ["an account whose token cannot be read", "update accounts set access_token = 'broken' where scope_id = "],
  [
    "a network whose state is broken",
    "insert into simulator_states (network, state, version, scope_id) select 'bluesky', '{\"resets\": 0}', 1, ",
  ],
])("a scope with %s does not stop the others", async (_, damage) => {
  const [broken, whole] = [await createDue(), await createDue()];
  await queryRows(sql`${sql.raw(damage)} ${broken.mode.scopeId}::uuid`);
  // A rotation of the token key, which has a test in the same database, reports each token that it cannot read.
  onTestFinished(async () => {
    await queryRows(sql`update accounts set access_token = null where scope_id = ${broken.mode.scopeId}::uuid`);
  });
  const enqueued = await runCron(enqueueDueSandboxes);
  const ids = enqueued.flatMap((one) => ("sandboxId" in one ? one.sandboxId : []));
  const own = ids.filter((id) => [broken.mode.scopeId, whole.mode.scopeId].includes(id));
  expect(own.toSorted()).toEqual([broken.mode.scopeId, whole.mode.scopeId].toSorted());
  // The platform repeats a message that fails; it is not what the others wait for.
  for (const id of own.toSorted((a) => (a === broken.mode.scopeId ? -1 : 1))) await consume(id).catch(() => undefined);
  expect(await readStatus(broken.mode, broken.post)).not.toBe("posted");
  expect(await readStatus(whole.mode, whole.post)).toBe("posted");
});
