// GET /posts and GET /posts/{id} over HTTP: order, bounds, filters, summary and scope.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant, queryRows, type Tenant, type TestAccount } from "../support/harness.ts";

const STATUSES = ["draft", "pending", "scheduled", "posted", "failed", "partial", "retry", "deleted", "void"] as const;

/** Inserts one post per minute from `from` with these statuses, oldest first. */
async function seedPosts(
  tenant: Tenant,
  account: TestAccount,
  from: Date,
  statuses: readonly string[],
): Promise<string[]> {
  const ids = statuses.map(() => newId());
  const list = JSON.stringify(
    statuses.map((status, at) => ({ id: ids[at], status, at: new Date(from.getTime() + at * 60_000) })),
  );
  await queryRows(sql`
    with p as (
      insert into posts (id, owner_id, workspace_id, caption, status, settings, metadata, payload_hash, created_at)
      select s.id, ${tenant.ownerId}, ${tenant.workspaceId}, 'seeded', s.status, '{}', '{"source": "partner_api"}', '', s.at
      from jsonb_to_recordset(${list}::jsonb) as s(id uuid, status text, at timestamptz) returning id, status)
    insert into post_deliveries (id, post_id, account_id, position, status)
    select gen_random_uuid(), p.id, ${account.id}, 0, case p.status when 'partial' then 'posted' else p.status end from p returning id`);
  return ids;
}

test("200 newest first and filtered by status; the summary counts the whole scope", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const ids = await seedPosts(tenant, account, new Date("2026-01-01T00:00:00Z"), STATUSES);
  const all = await tenant.api.get("/posts");
  expect(all.body.data.posts.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
  const summary = {
    total: 9,
    pending: 3,
    published: 2,
    by_status: { draft: 1, pending: 2, scheduled: 1, posted: 1, partial: 1, failed: 1 },
  };
  expect(all.body.data.summary).toEqual(summary);
  for (const status of STATUSES.slice(0, 7)) {
    const { body } = await tenant.api.get(`/posts?status=${status}&limit=1`);
    expect(body.data.posts.map((post: { status: string }) => post.status)).toEqual([status]);
    expect(body.data.summary).toEqual(summary);
  }
});

test("200 since and until are inclusive with millisecond precision", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  await seedPosts(tenant, account, new Date("2026-01-01T00:00:00.123Z"), ["posted", "posted", "failed"]);
  const between = await tenant.api.get("/posts?since=2026-01-01T00:01:00.123Z&until=2026-01-01T00:02:00.123Z");
  expect(between.body.data.posts).toHaveLength(2);
  expect(between.body.data.summary).toMatchObject({ total: 2, by_status: { posted: 1, failed: 1 } });
  const after = await tenant.api.get("/posts?since=2026-01-01T00:02:00.124Z");
  expect(after.body.data.posts).toEqual([]);
  const ever = await tenant.api.get("/posts?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59.999-12:00");
  expect([ever.body.data.posts.length, ever.body.data.summary.total]).toEqual([3, 3]);
  // An unescaped + is a space in a query string.
  for (const until of ["2026-01-01T02:00:00.123%2B02:00", "2026-01-01T02:00:00.123+02:00", "2026-01-01T05:30+0530"]) {
    const offset = await tenant.api.get(`/posts?since=2026-01-01T00:00:00Z&until=${until}`);
    expect(offset.body.data?.summary.total).toBe(until.includes("0530") ? 0 : 1);
  }
});

test("200 an empty list and summary when since is after until", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  await seedPosts(tenant, account, new Date("2026-01-02T12:00:00Z"), ["posted", "failed"]);
  for (const until of ["2026-01-02T00:00:00Z", "2026-01-01T23:59:59Z", "2025-12-01T00:00:00Z"]) {
    const { body } = await tenant.api.get(`/posts?since=2026-01-02T01:00:00Z&until=${until}`);
    expect([until, body.data.posts, body.data.summary.total]).toEqual([until, [], 0]);
  }
});

test("200 limit is 20 by default, clamped to 1..100, and unknown query keys are ignored", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  await seedPosts(tenant, account, new Date("2026-01-01T00:00:00Z"), Array(101).fill("posted"));
  for (const [limit, length] of [
    ["", 20],
    ["0", 1],
    ["-5", 1],
    ["1", 1],
    ["100", 100],
    ["101", 100],
    ["many", 20],
    ["2.9", 2],
  ]) {
    const { body } = await tenant.api.get(`/posts?page=7${limit === "" ? "" : `&limit=${limit}`}`);
    expect([limit, body.data.posts.length]).toEqual([limit, length]);
  }
});

test("400 invalid_since, invalid_until, invalid_status", async () => {
  const { api } = await createTestTenant();
  for (const name of ["since", "until", "status"]) {
    for (const value of ["yesterday", "2026-01-01", ""]) {
      const response = await api.get(`/posts?${name}=${value}`);
      expect([response.status, response.body.error_code]).toEqual([400, `invalid_${name}`]);
    }
  }
});

test("404 and an empty list for another workspace's posts and for a personal key", async () => {
  const [mine, theirs, alone] = [
    await createTestTenant(),
    await createTestTenant(),
    await createTestTenant({ personal: true }),
  ];
  const [id] = await seedPosts(theirs, await createTestAccount(theirs, "instagram"), new Date(), ["posted"]);
  expect((await theirs.api.get(`/posts/${id}`)).status).toBe(200);
  for (const { api } of [mine, alone]) {
    const response = await api.get(`/posts/${id}`);
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
    expect((await api.get("/posts")).body.data).toMatchObject({ posts: [], summary: { total: 0 } });
  }
});

test("200 without deliveries to accounts that left the scope", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const [kept, moved] = [await createTestAccount(tenant, "instagram"), await createTestAccount(tenant, "tiktok")];
  const [both] = await seedPosts(tenant, kept, new Date("2026-01-01T00:00:00Z"), ["posted"]);
  await queryRows(sql`insert into post_deliveries (id, post_id, account_id, position, status)
    values (gen_random_uuid(), ${both}, ${moved.id}, 1, 'posted') returning id`);
  const [gone] = await seedPosts(tenant, moved, new Date("2026-01-02T00:00:00Z"), ["posted"]);
  await queryRows(sql`update accounts set workspace_id = ${other.workspaceId} where id = ${moved.id} returning id`);
  const list = await tenant.api.get("/posts");
  expect(list.body.data.posts.map(({ id }: { id: string }) => id)).toEqual([both]);
  expect(list.body.data.posts[0].accounts).toMatchObject({ total: 1, states: [{ account_id: kept.id }] });
  expect(list.body.data.summary.total).toBe(1);
  expect((await tenant.api.get(`/posts/${gone}`)).status).toBe(404);
});
