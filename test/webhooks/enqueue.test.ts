// How the webhooks queue learns of events: from writes of keys and people, from consumers, from cron; and what cron deletes.

import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { rotateTokenKey } from "../../functions/commands/rotate-token-key.ts";
import { enqueueDueWebhooks } from "../../functions/cron/webhooks.ts";
import worker from "../../functions/index.ts";
import { runRefreshes } from "../../lib/analytics/run-refreshes.ts";
import { openWebhookSecret, sealWebhookSecret } from "../../lib/events/webhook-secrets.ts";
import { createScopeEnqueuer } from "../../lib/jobs/enqueue-webhooks.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { insertWebhook } from "../../lib/queries/webhooks.ts";
import type { WebhooksMessage } from "../../lib/services/env.ts";
import { at } from "../../lib/shared/at.ts";
import {
  createBindings,
  createClient,
  createTestAccount,
  createTestKey,
  createTestPublisher,
  createTestTenant,
  type EnqueuedWebhooks,
  type Tenant,
} from "../support/harness.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { createBrowser, ORIGIN, signInMember } from "../workspace/dashboard.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  RECEIVER,
  send,
  writeEvent,
} from "./receiver.ts";

const scopeMessage = ({ workspaceId }: Tenant) => ({ scopeIds: [workspaceId], delaySeconds: 0 });

test("a write of a key enqueues its scope if it has an enabled webhook, a read never", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  await api.post("/packs", { name: "a" });
  expect(api.enqueuedWebhooks).toEqual([]);
  const webhook = await createTestWebhook(tenant);
  api.enqueuedWebhooks.length = 0;
  await api.get("/packs");
  await api.get("/webhooks");
  expect(api.enqueuedWebhooks).toEqual([]);
  await api.post("/packs", { name: "b" });
  expect(api.enqueuedWebhooks).toEqual([scopeMessage(tenant)]);
  // An isolate that does not know the key yet, and a grant.
  for (const kind of ["key", "grant"] as const) {
    const client = createClient(await createTestKey(tenant, { kind }));
    await client.post("/packs", { name: kind });
    expect(client.enqueuedWebhooks).toEqual([scopeMessage(tenant)]);
  }
  await api.patch(`/webhooks/${webhook.id}`, { status: "disabled" });
  api.enqueuedWebhooks.length = 0;
  await api.post("/packs", { name: "c" });
  expect(api.enqueuedWebhooks).toEqual([]);
});

test("a write that fails enqueues none the less, because it may have written events; one that is not accepted does not", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  await createTestWebhook(tenant);
  api.enqueuedWebhooks.length = 0;
  expect((await api.patch(`/packs/${newId()}`, { name: "b" })).status).toBe(404);
  expect(api.enqueuedWebhooks).toEqual([scopeMessage(tenant)]);
  const reader = createClient(await createTestKey(tenant, { permissions: ["content:read"] }));
  expect((await reader.post("/packs", { name: "b" })).status).toBe(403);
  expect(reader.enqueuedWebhooks).toEqual([]);
});

test("a write of a person in the dashboard enqueues the scope", async () => {
  const tenant = await createTestTenant();
  const editor = await signInMember(tenant, "editor");
  const enqueued: EnqueuedWebhooks[] = [];
  const browser = createBrowser(ORIGIN, { WEBHOOKS: createBindings([], [], enqueued).WEBHOOKS });
  for (const [name, value] of editor.cookies) browser.cookies.set(name, value);
  const page = await browser.visit(`/dashboard/${tenant.workspaceId}/api/packs`, { json: { name: "a" } });
  expect(page.status).toBe(201);
  expect(enqueued).toEqual([scopeMessage(tenant)]);
});

test("publishing enqueues the scope of a post once it is published, if it has a webhook", async () => {
  const [listening, other] = [await createTestTenant(), await createTestTenant()];
  const webhook = await createTestWebhook(listening);
  const ids: string[] = [];
  for (const tenant of [listening, other]) {
    const account = await createTestAccount(tenant, "bluesky");
    await tenant.api.post("/posts", { caption: "a", accounts: [{ id: account.id }] });
    ids.push(...(tenant.api.enqueuedDeliveries.at(-1)?.deliveryIds ?? []));
  }
  const publisher = createTestPublisher(new Date(Date.now() + 1_000));
  await publishDue(publisher.services, ids);
  expect(publisher.enqueuedWebhooks).toEqual([scopeMessage(listening)]);
  await consume(at(publisher.enqueuedWebhooks, 0));
  const types = (await listReceived(webhook)).map(({ body }) => JSON.parse(body).type);
  expect(types.toSorted()).toEqual(["account.connected", "delivery.published", "post.published"]);
});

/** Runs the consumer of the Worker with a message. */
async function consume(body: WebhooksMessage): Promise<void> {
  const pending: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
  const batch = { queue: "webhooks", messages: [{ id: "1", timestamp: new Date(), attempts: 1, body }] };
  await worker.queue(
    batch as unknown as MessageBatch<WebhooksMessage>,
    createBindings([]),
    context as unknown as ExecutionContext,
  );
  await Promise.all(pending);
}

test("an analytics refresh enqueues its scope", async () => {
  const tenant = await createTestTenant();
  await createTestWebhook(tenant);
  const { target } = (await tenant.api.post("/analytics/targets", { platform: "tiktok", identifier: "nobody" })).body
    .data;
  const { refresh } = (await tenant.api.post(`/analytics/targets/${target.id}/refresh`)).body.data;
  const publisher = createTestPublisher(new Date(Date.now() + 1_000));
  await runRefreshes(publisher.services, [refresh.id]);
  expect(publisher.enqueuedWebhooks).toEqual([scopeMessage(tenant)]);
});

test("an invocation enqueues a scope at once, then at most once a second, and never before what it tells of", () => {
  const sent: { scopeIds: string[]; at: number }[] = [];
  let now = 0;
  const enqueueScope = createScopeEnqueuer({
    clock: () => new Date(now),
    enqueueWebhooks: (ids, delaySeconds) =>
      sent.push({ ...(ids as { scopeIds: string[] }), at: now + delaySeconds * 1000 }),
  });
  const told: number[] = [];
  for (now = 0; now < 5_000; now += 100) {
    enqueueScope("a");
    told.push(now);
    if (now === 700) enqueueScope("b");
  }
  for (const event of told) expect(sent.some(({ scopeIds, at }) => scopeIds[0] === "a" && at >= event)).toBe(true);
  expect(sent[0]).toEqual({ scopeIds: ["a"], at: 0 });
  expect(sent.filter(({ scopeIds }) => scopeIds[0] === "a").length).toBeLessThanOrEqual(7);
  expect(sent).toContainEqual({ scopeIds: ["b"], at: 700 });
});

test("cron enqueues webhooks with due deliveries, with the delay of later ones, and leases that end; no others", async () => {
  const { db } = await openSeparateDatabase("webhooks-cron");
  const sender = createTestPublisher(new Date(), { db });
  const now = sender.services.clock().getTime();
  const insert = async (fields: { dueInMs: number | null; leasedMs?: number; isDisabled?: boolean }) => {
    const id = newId();
    const scope = { id: newId(), ownerId: newId(), workspaceId: null };
    await insertWebhook(db, scope, {
      ...{
        id,
        url: RECEIVER,
        types: ["*"],
        description: null,
        secret: "x",
        subscriberId: null,
        createdAt: new Date(now),
      },
    });
    if (fields.isDisabled) await db.execute(sql`update webhooks set disabled_at = now() where id = ${id}`);
    const toTime = (ms: number | null | undefined) =>
      ms === null || ms === undefined ? null : new Date(now + ms).toISOString();
    await db.execute(sql`insert into webhook_deliveries (id, webhook_id, event_id, sequence, event_at, type, object_id, next_attempt_at, lease_until)
      values (${newId()}, ${id}, ${newId()}, 1, now(), 'post.failed', ${newId()}, ${toTime(fields.dueInMs)}::timestamptz, ${toTime(fields.leasedMs)}::timestamptz)`);
    return id;
  };
  const due = await insert({ dueInMs: -60_000 });
  const soon = await insert({ dueInMs: 45_000 });
  const leased = await insert({ dueInMs: -60_000, leasedMs: 20_000 });
  await insert({ dueInMs: 10 * 60_000 });
  await insert({ dueInMs: null });
  await insert({ dueInMs: -60_000, isDisabled: true });
  await db.execute(sql`insert into webhook_deliveries (id, webhook_id, event_id, sequence, event_at, type, object_id, next_attempt_at)
    values (${newId()}, ${newId()}, ${newId()}, 1, now(), 'post.failed', ${newId()}, now())`);
  await db.execute(sql`insert into webhook_deliveries (id, webhook_id, event_id, sequence, event_at, type, object_id, status, created_at)
    select gen_random_uuid(), ${due}, gen_random_uuid(), n, now(), 'post.failed', gen_random_uuid(), 'delivered', now() - (n + 0.5) * interval '1 day'
    from generate_series(26, 35) n`);
  await enqueueDueWebhooks(sender.services);
  const delays = new Map(
    sender.enqueuedWebhooks.map((message) => [
      "webhookIds" in message ? message.webhookIds[0] : "",
      message.delaySeconds,
    ]),
  );
  expect(delays).toEqual(
    new Map([
      [due, 0],
      [soon, 45],
      [leased, 21],
    ]),
  );
  const left = await db.execute(sql`select count(*)::int as count from webhook_deliveries where status = 'delivered'`);
  expect(left.rows).toEqual([{ count: 4 }]);
});

test("a message that was lost is made up for by cron; one that comes twice sends nothing twice", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  const sender = createSender();
  await enqueueDueWebhooks(sender.services);
  expect(sender.enqueuedWebhooks).toContainEqual({ webhookIds: [webhook.id], delaySeconds: 0 });
  const message = { webhookIds: [webhook.id] };
  await Promise.all([consume(message), consume(message), consume({ scopeIds: [tenant.workspaceId ?? ""] })]);
  await consume(message);
  expect(await listReceived(webhook)).toHaveLength(1);
});

test("a deleted webhook gets nothing, and its deliveries disturb no other", async () => {
  const tenant = await createTestTenant();
  const [gone, kept] = [await createTestWebhook(tenant), await createTestWebhook(tenant)];
  await behave(gone, { status: 500 });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, gone);
  await tenant.api.delete(`/webhooks/${gone.id}`);
  sender.advance(6_000);
  await send(sender, gone);
  await send(sender, kept);
  expect([(await listReceived(gone)).length, (await listReceived(kept)).length]).toEqual([1, 1]);
  expect(await listDeliveries(tenant, kept)).toMatchObject([{ status: "delivered" }]);
});

test("secrets are sealed again when the key is rotated, the former one too", async () => {
  const { db } = await openSeparateDatabase("webhooks-rotation");
  const [current, previous] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const [old, fresh] = [{ tokenKeys: { current: previous } }, { tokenKeys: { current } }];
  const scope = { id: newId(), ownerId: newId(), workspaceId: null };
  const id = newId();
  const secret = await sealWebhookSecret(old, id, "whsec_now");
  const before = await sealWebhookSecret(old, id, "whsec_before");
  await insertWebhook(db, scope, {
    id,
    url: RECEIVER,
    types: ["*"],
    description: null,
    secret,
    subscriberId: null,
    createdAt: new Date(),
  });
  await db.execute(sql`update webhooks set previous_secret = ${before} where id = ${id}`);
  const lost = newId();
  await insertWebhook(db, scope, {
    ...{ id: lost, url: RECEIVER, types: ["*"], description: null, subscriberId: null, createdAt: new Date() },
    // The ciphertext of another row.
    secret,
  });
  expect(await rotateTokenKey(db, { current, previous }, () => undefined)).toEqual({
    ...{ replaced: 0, apps: 0, webhooks: 1, failed: [lost] },
  });
  const { rows } = await db.execute(sql`select secret, previous_secret from webhooks where id = ${id}`);
  expect(await openWebhookSecret(fresh, id, String(rows[0]?.secret))).toBe("whsec_now");
  expect(await openWebhookSecret(fresh, id, String(rows[0]?.previous_secret))).toBe("whsec_before");
});
