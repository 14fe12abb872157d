// Sending again: tests, redeliveries and replays, and the list of deliveries.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listDeliveries,
  listReceived,
  send,
  verify,
  writeEvent,
} from "./receiver.ts";

const readFeed = async ({ api }: Tenant) => (await api.get("/events?limit=200")).body.data.events;

test("201 a test is sent with the webhook as its object, signed, and is never in the feed", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const webhook = await createTestWebhook(tenant, { types: ["post.failed"] });
  const created = await api.post(`/webhooks/${webhook.id}/test`);
  expect(created.status).toBe(201);
  expect(created.body.data).toMatchObject({ type: "webhook.test", status: "pending", attempts: [] });
  expect(api.enqueuedWebhooks).toContainEqual({ webhookIds: [webhook.id], delaySeconds: 0 });
  await send(createSender(), webhook);
  const [request] = await listReceived(webhook);
  if (!request) throw new Error("nothing was received");
  const read = (await api.get(`/webhooks/${webhook.id}`)).body.data;
  expect(verify(webhook.secret, request)).toEqual({
    ...{ id: created.body.data.event_id, type: "webhook.test", created_at: expect.any(String) },
    ...{ workspace_id: tenant.workspaceId, sequence: 0, mode: "live", data: { object: read } },
  });
  expect(request.body).not.toContain(webhook.secret);
  expect(await readFeed(tenant)).toEqual([]);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ id: created.body.data.id, status: "delivered" }]);
});

test("200 a redelivery sends the same event with the same id, and begins the schedule again", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  const sender = createSender();
  await send(sender, webhook);
  const [delivered] = await listDeliveries(tenant, webhook);
  const path = `/webhooks/${webhook.id}/deliveries/${delivered?.id}/redeliver`;
  await behave(webhook, { status: 500, times: 2 });
  sender.advance(60_000);
  const redelivered = await api.post(path);
  expect([redelivered.status, redelivered.body.data]).toMatchObject([200, { id: delivered?.id, status: "pending" }]);
  await send(sender, webhook);
  const [failed] = await listDeliveries(tenant, webhook);
  expect(failed).toMatchObject({ status: "pending", attempts: [{ status: 200 }, { status: 500 }] });
  const wait = Date.parse(failed?.next_attempt_at ?? "") - Date.parse(failed?.attempts[1]?.at ?? "");
  expect(wait).toBe(5_000);
  sender.advance(6_000);
  await send(sender, webhook);
  sender.advance(301_000);
  await send(sender, webhook);
  const requests = await listReceived(webhook);
  expect(requests).toHaveLength(4);
  expect(new Set(requests.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
  expect(await listDeliveries(tenant, webhook)).toMatchObject([{ status: "delivered", next_attempt_at: null }]);
  expect((await api.post(`/webhooks/${webhook.id}/deliveries/${newId()}/redeliver`)).status).toBe(404);
});

test("200 a replay sends the events after one of them again, in order, with their ids, also those from before the webhook", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  for (let n = 0; n < 3; n++) await writeEvent(tenant);
  const webhook = await createTestWebhook(tenant, { types: ["account.connected"] });
  const account = await writeEvent(tenant);
  await queryRows(sql`update accounts set status = 'disconnected' where id = ${account.id}`);
  const sender = createSender();
  await send(sender, webhook);
  const feed = await readFeed(tenant);
  const wanted = feed.filter(({ type }: { type: string }) => type === "account.connected");
  expect([feed.length, wanted.length, (await listReceived(webhook)).length]).toEqual([5, 4, 1]);
  sender.advance(10_000);
  const replayed = await api.post(`/webhooks/${webhook.id}/replay`, { after: feed[0].id });
  expect(replayed.body.data).toEqual({ replayed: 3, next_after: wanted[3].id, has_more: false });
  await send(sender, webhook);
  const requests = (await listReceived(webhook)).slice(1);
  expect(requests.map(({ headers }) => headers["webhook-id"]).toSorted()).toEqual(
    wanted.slice(1).map(({ id }: { id: string }) => id),
  );
  for (const request of requests) expect(feed).toContainEqual(verify(webhook.secret, request));
  // One delivery for an event, however often it is sent.
  expect(await listDeliveries(tenant, webhook)).toHaveLength(3);
  const all = await api.post(`/webhooks/${webhook.id}/replay`, { after: null });
  expect(all.body.data.replayed).toBe(4);
  const last = await api.post(`/webhooks/${webhook.id}/replay`, { after: feed[4].id });
  expect(last.body.data).toEqual({ replayed: 0, next_after: feed[4].id, has_more: false });
});

test("410 events_expired and 422 for an event that is not, or never was, in the feed", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const webhook = await createTestWebhook(tenant);
  for (let n = 0; n < 2; n++) await writeEvent(tenant);
  const [first, second] = await readFeed(tenant);
  await queryRows(sql`
    update events set created_at = now() - interval '31 days', id = overlay(id::text placing '0190' from 1 for 4)::uuid
    where scope_id = ${tenant.workspaceId} and sequence = 1`);
  const replay = (after: unknown) => api.post(`/webhooks/${webhook.id}/replay`, { after });
  const gone = await replay(`0190${first.id.slice(4)}`);
  expect([gone.status, gone.body.error_code, gone.body.oldest_id]).toEqual([410, "events_expired", second.id]);
  for (const after of [newId(), "x", 5, undefined]) {
    const response = await replay(after);
    expect([response.status, Object.keys(response.body.issues.fieldErrors)]).toEqual([422, ["after"]]);
  }
});

test("200 lists deliveries by pages and status, that of the newest event first", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const webhook = await createTestWebhook(tenant);
  for (let n = 0; n < 5; n++) await writeEvent(tenant);
  const abort = { status: 500, headers: { "webhook-delivery": "abort-message" }, times: 2 };
  await behave(webhook, abort);
  await send(createSender(), webhook);
  for (let n = 0; n < 2; n++) await writeEvent(tenant);
  const feed = (await readFeed(tenant)).map(({ id }: { id: string }) => id);
  const all = await listDeliveries(tenant, webhook);
  expect(all.map(({ event_id: id }) => id)).toEqual(feed.toReversed());
  const read: string[] = [];
  for (let cursor = ""; ; ) {
    const { data } = (await api.get(`/webhooks/${webhook.id}/deliveries?limit=3${cursor}`)).body;
    read.push(...data.deliveries.map(({ id }: { id: string }) => id));
    if (data.next_cursor === null) break;
    cursor = `&cursor=${data.next_cursor}`;
  }
  expect(read).toEqual(all.map(({ id }) => id));
  for (const [status, count] of [
    ["pending", 2],
    ["delivered", 3],
    ["aborted", 2],
    ["failed", 0],
  ] as const) {
    const some = await listDeliveries(tenant, webhook, `&status=${status}`);
    expect(some).toEqual(all.filter((delivery) => delivery.status === status));
    expect(some).toHaveLength(count);
  }
  for (const query of ["status=done", "limit=0", "limit=101", "cursor=x", "offset=1"]) {
    expect((await api.get(`/webhooks/${webhook.id}/deliveries?${query}`)).status).toBe(422);
  }
});
