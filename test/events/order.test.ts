// The order of the feed under concurrency: no reader passes over an event, and none is repeated. The writers run concurrently
// where the tests use a real PostgreSQL; the embedded one runs a statement at a time.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant, openTestDatabase, queryRows, type Tenant } from "../support/harness.ts";

const WRITERS = 100;
const ROUNDS = 3;

type Event = { id: string; sequence: number; type: string };

const setStatus = (accountIds: string[], status: "paused" | "active" | "disconnected") =>
  openTestDatabase().execute(sql`update accounts set status = ${status}
    where id = any(${`{${accountIds.join(",")}}`}::uuid[])`);

/** Reads pages until `isOver` and nothing more is there. */
async function follow(tenant: Tenant, limit: number, types: string, isOver: () => boolean): Promise<Event[]> {
  const read: Event[] = [];
  let after = "";
  for (;;) {
    const wasOver = isOver();
    const { status, body } = await tenant.api.get(`/events?limit=${limit}${types}${after}`);
    expect(status).toBe(200);
    read.push(...body.data.events);
    if (body.data.next_after) after = `&after=${body.data.next_after}`;
    if (wasOver && !body.data.has_more) return read;
  }
}

test("200 three readers with different pages see each event of a hundred concurrent writers once, in order", async () => {
  const tenant = await createTestTenant();
  const accounts = await Promise.all(Array.from({ length: WRITERS }, () => createTestAccount(tenant, "bluesky")));
  let over = false;
  const readers = [
    follow(tenant, 1, "", () => over),
    follow(tenant, 7, "", () => over),
    follow(tenant, 200, "", () => over),
    follow(tenant, 50, "&types=account.disconnected", () => over),
  ];
  await Promise.all(
    accounts.map(async ({ id }) => {
      for (let round = 0; round < ROUNDS; round++) {
        await setStatus([id], "disconnected");
        await setStatus([id], "active");
      }
    }),
  );
  over = true;
  const [single, some, many, filtered] = (await Promise.all(readers)) as [Event[], Event[], Event[], Event[]];
  const rows = await queryRows<Event>(
    sql`select id, sequence, type from events where scope_id = ${tenant.workspaceId} order by sequence`,
  );
  expect(rows).toHaveLength(WRITERS + 2 * WRITERS * ROUNDS);
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, place) => place + 1));
  const ids = rows.map(({ id }) => id);
  expect(ids.toSorted()).toEqual(ids);
  for (const reader of [single, some, many]) expect(reader.map(({ id }) => id)).toEqual(ids);
  const disconnected = rows.filter(({ type }) => type === "account.disconnected");
  expect(filtered.map(({ id }) => id)).toEqual(disconnected.map(({ id }) => id));
}, 240_000);

test("a statement over several scopes numbers each of them, and none waits for another in a circle", async () => {
  const tenants = await Promise.all(Array.from({ length: 4 }, () => createTestTenant()));
  const accounts = await Promise.all(tenants.map((tenant) => createTestAccount(tenant, "bluesky")));
  const pairs = await Promise.all(tenants.map((tenant) => createTestAccount(tenant, "bluesky")));
  const [ids, reversed] = [accounts.map(({ id }) => id), pairs.map(({ id }) => id).toReversed()];
  for (let round = 0; round < 10; round++) {
    await Promise.all([setStatus(ids, "disconnected"), setStatus(reversed, "disconnected")]);
    await Promise.all([setStatus(reversed, "active"), setStatus(ids, "active")]);
  }
  for (const tenant of tenants) {
    const { data } = (await tenant.api.get("/events?limit=200")).body;
    expect(data.events.map(({ sequence }: Event) => sequence)).toEqual(Array.from({ length: 42 }, (_, at) => at + 1));
  }
});

test("a transaction that rolls back takes no number", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const db = openTestDatabase();
  const failing = db.batch([
    db.execute(sql`update accounts set status = 'disconnected' where id = ${account.id}`),
    db.execute(sql`select 1 / 0`),
  ]);
  await expect(failing).rejects.toThrow();
  await setStatus([account.id], "disconnected");
  const { data } = (await tenant.api.get("/events")).body;
  expect(data.events.map(({ sequence, type }: Event) => [sequence, type])).toEqual([
    [1, "account.connected"],
    [2, "account.disconnected"],
  ]);
  expect(await queryRows(sql`select 1 from new_events where scope_id = ${tenant.workspaceId}`)).toEqual([]);
});

test("404 for nothing: a key reads the events of its own scope only", async () => {
  const [tenant, other] = await Promise.all([createTestTenant(), createTestTenant()]);
  const account = await createTestAccount(tenant, "bluesky");
  const { data } = (await other.api.get("/events")).body;
  expect(data.events).toEqual([]);
  const [event] = (await tenant.api.get("/events")).body.data.events;
  expect(event.data.object.id).toBe(account.id);
  expect((await other.api.get(`/events?after=${event.id}`)).status).toBe(422);
  expect((await other.api.get(`/events?after=${newId()}`)).status).toBe(422);
});
