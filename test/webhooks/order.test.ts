// Which deliveries are sent when: in order per object, a few at a time per webhook, and each by one worker.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { sendDue } from "../../lib/events/send-webhooks.ts";
import type { Services } from "../../lib/services/context.ts";
import { createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  moveAccount,
  type SentEvent,
  send,
  type TestWebhook,
  writeEvent,
} from "./receiver.ts";

/** Without their signatures, which are too new for a clock that is ahead. */
async function listSent(webhook: TestWebhook): Promise<SentEvent[]> {
  return (await listReceived(webhook)).map(({ body }) => JSON.parse(body));
}

async function writeEvents(tenant: Tenant, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await writeEvent(tenant);
}

test("later events of an object wait for three attempts of an earlier one, those of other objects do not", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const account = await writeEvent(tenant);
  await moveAccount(account.id);
  await behave(webhook, { status: 500 });
  const sender = createSender();
  await send(sender, webhook);
  expect((await listSent(webhook)).map(({ sequence }) => sequence)).toEqual([1]);
  await writeEvent(tenant);
  await send(sender, webhook);
  expect((await listSent(webhook)).map(({ sequence }) => sequence)).toEqual([1, 3]);
  await behave(webhook, { status: 500, times: 2 });
  sender.advance(6_000);
  await send(sender, webhook);
  expect(await listSent(webhook)).toHaveLength(3);
  sender.advance(301_000);
  // The third attempt fails too, so that the next event goes, in the same run.
  await send(sender, webhook);
  expect((await listSent(webhook)).slice(3).map(({ sequence }) => sequence)).toEqual([1, 2]);
  sender.advance(1_801_000);
  await send(sender, webhook);
  expect((await listSent(webhook)).at(-1)?.sequence).toBe(1);
  expect((await listDeliveries(tenant, webhook)).map(({ status }) => status)).toEqual(
    Array.from({ length: 3 }, () => "delivered"),
  );
});

test("20 events of one object arrive in order in one run, however many workers run", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const account = await writeEvent(tenant);
  for (let n = 0; n < 19; n++) await moveAccount(account.id);
  const sender = createSender();
  await Promise.all(Array.from({ length: 5 }, () => send(sender, webhook)));
  const sequences = (await listSent(webhook)).map(({ sequence }) => sequence);
  expect(sequences).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
});

test("many workers at once send each event once, at most 4 requests each and 16 in all", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvents(tenant, 60);
  await behave(webhook, { stall_ms: 50, times: 60 });
  let running = 0;
  let most = 0;
  const sender = createSender();
  const fetchCounted: typeof fetch = async (input, init) => {
    running += 1;
    most = Math.max(most, running);
    return sender.services.fetch(input, init).finally(() => {
      running -= 1;
    });
  };
  const services: Services = { ...sender.services, fetch: fetchCounted };
  await Promise.all(Array.from({ length: 10 }, () => sendDue(services, webhook.id)));
  expect(most).toBeGreaterThan(4);
  expect(most).toBeLessThanOrEqual(16);
  const ids = (await listSent(webhook)).map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
});

test("a failing webhook has 4 requests at a time, and its scope's other webhook none the less goes at once", async () => {
  const tenant = await createTestTenant();
  const dead = await createTestWebhook(tenant);
  const alive = await createTestWebhook(tenant);
  await queryRows(sql`update webhooks set failing_since = now() where id = ${dead.id}`);
  await writeEvents(tenant, 30);
  await behave(dead, { status: 500, times: 30 });
  const held = Promise.withResolvers<void>();
  const sender = createSender({
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).endsWith(dead.path)) await held.promise;
      return response;
    },
  });
  const sending = Promise.all(Array.from({ length: 5 }, () => send(sender, dead)));
  await expect.poll(async () => (await listReceived(dead)).length).toBe(4);
  await send(sender, alive);
  expect(await listReceived(alive)).toHaveLength(30);
  expect(await listReceived(dead)).toHaveLength(4);
  const [leased] = await queryRows<{ count: number }>(
    sql`select count(*)::int from webhook_deliveries where webhook_id = ${dead.id} and lease_until is not null`,
  );
  expect(leased?.count).toBe(4);
  await tenant.api.delete(`/webhooks/${dead.id}`);
  held.resolve();
  await sending;
});

test("an event whose worker ended is sent again when its lease ends; after five such claims it is given up", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  const sender = createSender();
  /** The worker ends between the request and what it would store. */
  const services: Services = {
    ...sender.services,
    fetch: async (input, init) => {
      await sender.services.fetch(input, init);
      throw Object.assign(new Error("ended"), { name: "NotSentError" });
    },
  };
  for (let claims = 1; claims <= 5; claims++) {
    await sendDue(services, webhook.id);
    expect(await listReceived(webhook)).toHaveLength(claims);
    await sendDue(services, webhook.id);
    sender.advance(62_000);
  }
  expect(await listReceived(webhook)).toHaveLength(5);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "pending", attempts: [] }]);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(5);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    { status: "failed", attempts: [{ error: "Sending was interrupted several times." }] },
  ]);
});

test("a worker that has lost its lease stores nothing", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  await behave(webhook, { status: 500 });
  const sender = createSender();
  const services: Services = {
    ...sender.services,
    fetch: async (input, init) => {
      const response = await sender.services.fetch(input, init);
      sender.advance(62_000);
      await send(sender, webhook);
      return response;
    },
  };
  await sendDue(services, webhook.id);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "delivered", attempts: [{ status: 200 }] }]);
  expect((await tenant.api.get(`/webhooks/${webhook.id}`)).body.data.failing_since).toBeNull();
});

test("what one invocation may not send is left to another one", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvents(tenant, 8);
  const sender = createSender();
  const services: Services = {
    ...sender.services,
    fetch: async (input, init) => {
      sender.advance(30_000);
      return sender.services.fetch(input, init);
    },
  };
  await sendDue(services, webhook.id);
  expect((await listReceived(webhook)).length).toBeLessThan(8);
  expect(sender.enqueuedWebhooks).toContainEqual({ webhookIds: [webhook.id], delaySeconds: 0 });
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(8);
});

test("retries of one second share a message", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvents(tenant, 12);
  await behave(webhook, { status: 500, times: 12 });
  const sender = createSender();
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(12);
  expect(sender.enqueuedWebhooks).toEqual([{ webhookIds: [webhook.id], delaySeconds: expect.any(Number) }]);
});
