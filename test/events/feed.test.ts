// The feed: each change of state is an event with the object as its own read returns it, in the order of the commits.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { inHours } from "../posts/post-requests.ts";
import {
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
  type Tenant,
} from "../support/harness.ts";

interface Event {
  id: string;
  type: string;
  sequence: number;
  created_at: string;
  workspace_id: string | null;
  mode: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the type.
  data: { object: any };
}

async function readFeed({ api }: Tenant, query = ""): Promise<Event[]> {
  const response = await api.get(`/events?limit=200${query}`);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body.data.events;
}

const typesOf = (events: Event[]) => events.map(({ type }) => type);

test("200 a published video: the events of its account, file, delivery and post, as their reads return them", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const account = await createTestAccount(tenant, "instagram");
  const url = await uploadDemoVideo(api);
  const media = { type: "video", url };
  const created = await api.post("/posts", { caption: "a", accounts: [{ id: account.id }], media });
  const { services, advance } = createTestPublisher(new Date());
  const ids = api.enqueuedDeliveries.at(-1)?.deliveryIds ?? [];
  for (let tries = 0; tries < 40; tries++) {
    await publishDue(services, ids);
    if ((await api.get(`/posts/${created.body.data.id}`)).body.data.status === "posted") break;
    advance(5_000);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const events = await readFeed(tenant);
  expect(typesOf(events)).toEqual(["account.connected", "file.verified", "delivery.published", "post.published"]);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  const [connected, verified, delivery, published] = events as [Event, Event, Event, Event];
  const post = (await api.get(`/posts/${created.body.data.id}`)).body.data;
  expect(published.data.object).toEqual(post);
  expect(delivery.data.object).toEqual({ post_id: post.id, ...post.accounts.states[0] });
  expect(connected.data.object).toEqual((await api.get("/accounts")).body.data.accounts[0]);
  expect(verified.data.object).toEqual((await api.get(`/files/${verified.data.object.id}`)).body.data);
  expect(connected).toMatchObject({ mode: "live", workspace_id: tenant.workspaceId });
  expect(events.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id));
  expect(JSON.stringify(events)).not.toContain(account.accessToken);
});

test("200 scheduling, moving and risks of a post; an account that ends puts its posts at risk", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const account = await createTestAccount(tenant, "threads");
  const sent = { caption: "a", accounts: [{ id: account.id }], scheduled_at: inHours(30) };
  const post = (await api.post("/posts", sent)).body.data;
  await api.patch(`/posts/${post.id}`, { scheduled_at: inHours(31) });
  await api.delete(`/accounts/${account.id}`);
  const events = await readFeed(tenant, "&types=post.scheduled,post.at_risk,account.disconnected");
  expect(typesOf(events)).toEqual(["post.scheduled", "post.scheduled", "account.disconnected", "post.at_risk"]);
  expect(events[0]?.data.object.scheduled_at).toBe(post.scheduled_at);
  const read = (await api.get(`/posts/${post.id}`)).body.data;
  expect(events[3]?.data.object).toEqual(read);
  expect(read.accounts.states[0].at_risk.code).toBe("account_disconnected");
});

test("200 pages: each event once, in order; next_after goes on from the newest also when no type matches", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  expect((await api.get("/events")).body.data).toEqual({ events: [], next_after: null, has_more: false });
  for (let n = 0; n < 7; n++) await createTestAccount(tenant, "bluesky");
  const all = await readFeed(tenant);
  const read: string[] = [];
  let after = "";
  for (let more = true; more; ) {
    const { data } = (await api.get(`/events?limit=3${after}`)).body;
    read.push(...data.events.map(({ id }: Event) => id));
    after = `&after=${data.next_after}`;
    more = data.has_more;
  }
  expect(read).toEqual(all.map(({ id }) => id));
  const newest = all.at(-1)?.id;
  const none = { events: [], next_after: newest, has_more: false };
  expect((await api.get("/events?types=post.failed")).body.data).toEqual(none);
  expect((await api.get(`/events?after=${newest}`)).body.data).toEqual(none);
});

test("410 events_expired with the oldest id for an event that has left the feed, 422 for one that never was in it", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  for (let n = 0; n < 3; n++) await createTestAccount(tenant, "bluesky");
  const [first, second, third] = (await readFeed(tenant)) as [Event, Event, Event];
  await queryRows(sql`update events set created_at = now() - interval '31 days', id = overlay(id::text placing '0190' from 1 for 4)::uuid
    where scope_id = ${tenant.workspaceId} and sequence = 1`);
  const expired = `0190${first.id.slice(4)}`;
  const gone = await api.get(`/events?after=${expired}`);
  expect([gone.status, gone.body.error_code, gone.body.oldest_id]).toEqual([410, "events_expired", second.id]);
  expect((await readFeed(tenant)).map(({ id }) => id)).toEqual([second.id, third.id]);
  const other = await createTestTenant();
  await createTestAccount(other, "bluesky");
  const [foreign] = (await readFeed(other)) as [Event];
  for (const after of [foreign.id, newId(), "x", "", first.id.replace("-7", "-4")]) {
    const response = await api.get(`/events?after=${after}`);
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_query"]);
    expect(response.body.issues.fieldErrors.after).toHaveLength(1);
  }
  for (const query of ["limit=0", "limit=201", "types=post.created", "types=", "cursor=x"]) {
    expect((await api.get(`/events?${query}`)).status).toBe(422);
  }
});

test("a read takes 1 round trip", async () => {
  const tenant = await createTestTenant();
  await readFeed(tenant);
  const { measureCost } = await import("../support/measure-round-trips.ts");
  const requestId = newId();
  const { cost } = await measureCost(requestId, () =>
    tenant.api.call("GET", "/events", { headers: { "X-Request-Id": requestId } }),
  );
  expect(cost.round_trips).toBe(1);
});

/** Makes all events of the scope as old as that, their ids too; the ids in order. */
const makeOlder = async ({ workspaceId }: Tenant, days: number): Promise<string[]> => {
  const at = Date.now() - days * 24 * 60 * 60 * 1000;
  const hex = at.toString(16).padStart(12, "0");
  const start = `${hex.slice(0, 8)}-${hex.slice(8)}`;
  const rows = await queryRows<{ id: string; sequence: string }>(sql`
    update events set created_at = ${new Date(at).toISOString()}, id = overlay(id::text placing ${start} from 1 for 13)::uuid
    where scope_id = ${workspaceId} returning id, sequence`);
  return rows.toSorted((a, b) => Number(a.sequence) - Number(b.sequence)).map(({ id }) => id);
};

test("200 a feed whose events have all left it has a place to continue from, and misses nothing after it", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  for (let n = 0; n < 3; n++) await createTestAccount(tenant, "bluesky");
  const old = await makeOlder(tenant, 31);
  const { data } = (await api.get("/events")).body;
  expect(data).toEqual({ events: [], next_after: expect.any(String), has_more: false });
  expect(old).not.toContain(data.next_after);
  expect(data.next_after > (old.at(-1) ?? "")).toBe(true);
  const again = (await api.get(`/events?after=${data.next_after}`)).body.data;
  expect(again).toEqual({ events: [], next_after: expect.any(String), has_more: false });
  for (let n = 0; n < 2; n++) await createTestAccount(tenant, "bluesky");
  for (const after of [data.next_after, again.next_after]) {
    const page = (await api.get(`/events?limit=1&after=${after}`)).body.data;
    expect(page.events.map(({ sequence }: Event) => sequence)).toEqual([4]);
    const rest = (await api.get(`/events?after=${page.next_after}`)).body.data;
    expect(rest.events.map(({ sequence }: Event) => sequence)).toEqual([5]);
  }
  const webhook = await api.post("/webhooks", { url: "https://1.1.1.1/", types: ["*"] });
  const replay = await api.post(`/webhooks/${webhook.body.data.id}/replay`, { after: data.next_after });
  expect([replay.status, replay.body.data?.replayed]).toEqual([200, 2]);
});

test("200 who reads a quiet feed now and then is never told that the position has expired", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  await createTestAccount(tenant, "bluesky");
  const [only] = await makeOlder(tenant, 20);
  const quiet = (await api.get(`/events?after=${only}`)).body.data;
  expect(quiet.events).toEqual([]);
  await makeOlder(tenant, 40);
  await createTestAccount(tenant, "bluesky");
  const page = (await api.get(`/events?after=${quiet.next_after}`)).body.data;
  expect(page.events.map(({ sequence }: Event) => sequence)).toEqual([2]);
});

test("422 for a place in the future, and for one of before a reset, whose number another event has since", async () => {
  const tenant = await createTestTenant();
  await createTestAccount(tenant, "bluesky");
  await makeOlder(tenant, 31);
  const { next_after: place } = (await tenant.api.get("/events")).body.data;
  const read = async (hours: number) => {
    const hex = (Date.now() + hours * 3_600_000).toString(16).padStart(12, "0");
    return tenant.api.get(`/events?after=${hex.slice(0, 8)}-${hex.slice(8)}${place.slice(13)}`);
  };
  expect([(await read(1)).status, (await read(-1)).status]).toEqual([422, 200]);
  for (const table of [sql`events`, sql`event_counters`])
    await queryRows(sql`delete from ${table} where scope_id = ${tenant.workspaceId}`);
  await createTestAccount(tenant, "bluesky");
  expect((await read(-1)).status).toBe(422);
});

test("410 for a place of more than 30 days ago, 422 for one of a scope with more events", async () => {
  const tenant = await createTestTenant();
  await createTestAccount(tenant, "bluesky");
  await makeOlder(tenant, 31);
  const { next_after: place } = (await tenant.api.get("/events")).body.data;
  const status = async (after: string) => (await tenant.api.get(`/events?after=${after}`)).status;
  expect(await status(`0190${place.slice(4)}`)).toBe(410);
  const later = `${place.slice(0, 26)}ff${place.slice(28)}`;
  expect([await status(place), await status(later)]).toEqual([200, 422]);
});
