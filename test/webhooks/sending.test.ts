// What a webhook is sent, and what becomes of it: signatures, bodies, the schedule, the abort header, redirects and excerpts.
import { sql } from "drizzle-orm";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { sendDueOfScope } from "../../lib/events/send-webhooks.ts";
import { createTestTenant, queryRows, type TestPublisher } from "../support/harness.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  send,
  type TestWebhook,
  verify,
  writeEvent,
} from "./receiver.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test("the body is the event of the feed, signed by the specification, once", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  await send(sender, webhook);
  const [request, ...others] = await listReceived(webhook);
  expect(others).toEqual([]);
  if (!request) throw new Error("nothing was received");
  const [event] = (await tenant.api.get("/events")).body.data.events;
  expect(verify(webhook.secret, request)).toEqual(event);
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": event.id,
    "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  const forged = { ...request, body: request.body.replace('"live"', '"test"') };
  expect(() => verify(webhook.secret, forged)).toThrow("No matching signature");
  const other = await createTestWebhook(tenant);
  expect(() => verify(other.secret, request)).toThrow("No matching signature");
  const [delivery] = await listDeliveries(tenant, webhook);
  expect(delivery).toMatchObject({ event_id: event.id, type: event.type, status: "delivered", next_attempt_at: null });
  expect(delivery?.attempts).toEqual([
    { at: expect.any(String), status: 200, duration_ms: expect.any(Number), response_excerpt: "ok", error: null },
  ]);
});

test("only events of its types, from its creation on, and none while it is disabled", async () => {
  const tenant = await createTestTenant();
  await writeEvent(tenant);
  const all = await createTestWebhook(tenant);
  const some = await createTestWebhook(tenant, { types: ["post.failed", "account.connected"] });
  const none = await createTestWebhook(tenant, { types: ["post.failed"] });
  await writeEvent(tenant);
  await tenant.api.patch(`/webhooks/${all.id}`, { status: "disabled" });
  await writeEvent(tenant);
  const sender = createSender();
  for (const webhook of [all, some, none]) await send(sender, webhook);
  expect(await listReceived(all)).toHaveLength(0);
  expect(await listReceived(some)).toHaveLength(2);
  expect(await listReceived(none)).toHaveLength(0);
  await tenant.api.patch(`/webhooks/${all.id}`, { status: "enabled" });
  await send(sender, all);
  // The delivery that was open when it was disabled.
  expect(await listReceived(all)).toHaveLength(1);
});

test("a personal key's scope has its own events and no workspace", async () => {
  const tenant = await createTestTenant({ personal: true });
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  await send(createSender(), webhook);
  const [request] = await listReceived(webhook);
  if (!request) throw new Error("nothing was received");
  expect(verify(webhook.secret, request)).toMatchObject({ type: "account.connected", workspace_id: null, sequence: 1 });
});

/** Runs the sender when its next message is due, and returns the time since the last attempt. */
async function runNext(sender: TestPublisher, webhook: TestWebhook): Promise<number | null> {
  const [message] = sender.enqueuedWebhooks.splice(0);
  if (!message) return null;
  expect(message).toEqual({ webhookIds: [webhook.id], delaySeconds: expect.any(Number) });
  sender.advance(message.delaySeconds * 1000);
  await send(sender, webhook);
  return message.delaySeconds * 1000;
}

test("a failure is repeated after 5 s, 5 min, 30 min, 2, 5 and 10 h, then each 10 h to three days, with the same id", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { status: 500, body: "no", times: 100 });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  const waits: number[] = [];
  for (let wait = await runNext(sender, webhook); wait !== null; wait = await runNext(sender, webhook))
    waits.push(wait);
  const expected = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, ...Array(6).fill(10 * HOUR)];
  // A message has a delay in seconds, so that it may come up to one later.
  expect(waits.map((wait, at) => wait - expected[at]).every((late) => late >= 0 && late <= SECOND)).toBe(true);
  expect(waits).toHaveLength(expected.length);
  const requests = await listReceived(webhook);
  expect(requests).toHaveLength(12);
  expect(new Set(requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(12);
  const [delivery] = await listDeliveries(tenant, webhook);
  expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
  expect(delivery?.attempts).toHaveLength(12);
  expect(delivery?.attempts.at(-1)).toMatchObject({ status: 500, response_excerpt: "no", error: null });
  const [first, last] = [delivery?.attempts[0]?.at ?? "", delivery?.attempts.at(-1)?.at ?? ""];
  expect(Date.parse(last) - Date.parse(first)).toBeLessThanOrEqual(3 * DAY);
  expect(Date.parse(last) - Date.parse(first)).toBeGreaterThan(3 * DAY - 10 * HOUR);
});

test("not before it is due; a lost message is made up for by cron", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { status: 503 });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  sender.advance(3_000);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(1);
  const [pending] = await listDeliveries(tenant, webhook);
  expect(pending?.status).toBe("pending");
  sender.advance(3_000);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(2);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "delivered", attempts: [{}, {}] }]);
});

test("`webhook-delivery: abort-message` ends the retries", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { status: 400, headers: { "Webhook-Delivery": "abort-message" } });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  expect(sender.enqueuedWebhooks).toEqual([]);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "aborted", next_attempt_at: null }]);
  sender.advance(4 * DAY);
  await send(sender, webhook);
  expect(await listReceived(webhook)).toHaveLength(1);
  // The receiver is there, so that the webhook does not fail.
  expect((await tenant.api.get(`/webhooks/${webhook.id}`)).body.data.failing_since).toBeNull();
});

test.each([
  [301, { Location: "/other" }],
  [307, { Location: "https://1.1.1.1/" }],
  [304, {}],
  [400, {}],
  [410, {}],
])("%i is a failure, and a redirect is not followed", async (status, headers) => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { status, headers: headers as Record<string, string>, body: "" });
  await writeEvent(tenant);
  await send(createSender(), webhook);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    { status: "pending", attempts: [{ status, response_excerpt: expect.toSatisfy((text) => !text), error: null }] },
  ]);
  expect(await listReceived(webhook)).toHaveLength(1);
});

test("a connection that is closed after reading is a failure without a status; the event comes again", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { drop: true });
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    {
      status: "pending",
      attempts: [{ status: null, response_excerpt: null, error: expect.stringMatching(/connection/) }],
    },
  ]);
  sender.advance(6_000);
  await send(sender, webhook);
  const ids = (await listReceived(webhook)).map(({ headers }) => headers["webhook-id"]);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
});

test("15 s without a response are a failure", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { stall_ms: 50_000 });
  await writeEvent(tenant);
  const startedAt = Date.now();
  await send(createSender(), webhook);
  expect(Date.now() - startedAt).toBeGreaterThan(14_000);
  expect(Date.now() - startedAt).toBeLessThan(50_000);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    { status: "pending", attempts: [{ status: null, error: "The URL did not respond in time." }] },
  ]);
});

test("of the response a KiB is kept, and its end is not awaited", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await behave(webhook, { body: `a\0${"é".repeat(5_000)}`, stall_body_ms: 50_000 });
  await behave(webhook, { body: "slow", stall_body_ms: 50_000 });
  await writeEvent(tenant);
  const startedAt = Date.now();
  await send(createSender(), webhook);
  await writeEvent(tenant);
  await send(createSender(), webhook);
  expect(Date.now() - startedAt).toBeLessThan(50_000);
  const [second, first] = await listDeliveries(tenant, webhook);
  expect([first?.status, second?.status]).toEqual(["delivered", "delivered"]);
  expect(first?.attempts[0]?.response_excerpt).toMatch(/^a\ufffdé{511}$/);
  expect(second?.attempts[0]?.response_excerpt).toBe("slow");
});

test("an event of more than 256 KiB is sent with the id of its object", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const account = await writeEvent(tenant);
  await queryRows(sql`
    update events set snapshot = jsonb_set(snapshot, '{display_name}', to_jsonb(repeat('x', 300000)))
    where scope_id = ${tenant.workspaceId} and object_id = ${account.id}`);
  await send(createSender(), webhook);
  const [request] = await listReceived(webhook);
  if (!request) throw new Error("nothing was received");
  expect(request.body.length).toBeLessThan(1_000);
  expect(verify(webhook.secret, request).data).toEqual({ object: { id: account.id }, is_truncated: true });
});

test("an event that has left the database ends its delivery with the reason", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  await queryRows(sql`delete from events where scope_id = ${tenant.workspaceId}`);
  await send(createSender(), webhook);
  expect(await listReceived(webhook)).toHaveLength(0);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([
    { status: "failed", attempts: [{ status: null, error: expect.stringContaining("30 days") }] },
  ]);
});

test("a message of a scope sends for one webhook, and leaves each other to a message of its own", async () => {
  const tenant = await createTestTenant();
  const webhooks = [];
  for (let n = 0; n < 3; n++) webhooks.push(await createTestWebhook(tenant));
  const idle = await createTestWebhook(tenant, { types: ["post.failed"] });
  await writeEvent(tenant);
  const sender = createSender();
  const scopeId = tenant.workspaceId ?? "";
  await sendDueOfScope(sender.services, scopeId);
  const sent = await Promise.all(webhooks.map(async (webhook) => (await listReceived(webhook)).length));
  expect(sent.toSorted()).toEqual([0, 0, 1]);
  const left = webhooks.filter((_, at) => sent[at] === 0).map(({ id }) => id);
  const enqueued = sender.enqueuedWebhooks.flatMap((message) => ("webhookIds" in message ? message.webhookIds : []));
  expect(enqueued.toSorted()).toEqual(left.toSorted());
  expect(enqueued).not.toContain(idle.id);
  expect(sender.enqueuedWebhooks.every((message) => "webhookIds" in message && message.webhookIds.length === 1)).toBe(
    true,
  );
});

test("for 24 hours after a rotation both secrets verify, then only the new one", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const rotated = await tenant.api.post(`/webhooks/${webhook.id}/rotate-secret`, {});
  const { secret, previous_secret_until: until } = rotated.body.data;
  expect(Math.abs(Date.parse(until) - Date.now() - DAY)).toBeLessThan(MINUTE);
  await writeEvent(tenant);
  await send(createSender(), webhook);
  const [both] = await listReceived(webhook);
  if (!both) throw new Error("nothing was received");
  expect(both.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  expect(verify(webhook.secret, both)).toEqual(verify(secret, both));
  await queryRows(
    sql`update webhooks set previous_secret_until = now() - interval '1 second' where id = ${webhook.id}`,
  );
  await writeEvent(tenant);
  await send(createSender(), webhook);
  const [, one] = await listReceived(webhook);
  if (!one) throw new Error("nothing was received");
  verify(secret, one);
  expect(() => verify(webhook.secret, one)).toThrow();
  const own = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
  const again = await tenant.api.post(`/webhooks/${webhook.id}/rotate-secret`, { secret: own });
  expect(again.body.data.secret).toBe(own);
  expect(new Verifier(own)).toBeDefined();
});
