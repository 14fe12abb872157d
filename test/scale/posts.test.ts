// Query plans with many rows: every statement on the large tables uses an index.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CRON_AHEAD_MS } from "../../lib/jobs/enqueue.ts";
import { claimExpiringTokens, listAccounts, listActiveAccounts } from "../../lib/queries/accounts.ts";
import { listClockPosts, movePosts } from "../../lib/queries/clock-posts.ts";
import { claimDeliveries } from "../../lib/queries/delivery-claims.ts";
import { listDueAccounts } from "../../lib/queries/due-accounts.ts";
import { findEditablePost } from "../../lib/queries/editable-posts.ts";
import { findFile, findFilesByUrl } from "../../lib/queries/files.ts";
import { requeueFailedPosts } from "../../lib/queries/post-retries.ts";
import { deletePosts } from "../../lib/queries/post-updates.ts";
import { findDuplicatePost, findPost, listPosts } from "../../lib/queries/posts.ts";
import { listSlotPlans } from "../../lib/queries/slots.ts";
import { rawCommand } from "../../lib/queries/sql.ts";
import { insertKey, savePlan, type TenantIds } from "../../lib/queries/tenants.ts";
import { findUpload } from "../../lib/queries/uploads.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";
import { createClient } from "../support/harness.ts";
import { insertPosts, type PostsSpec } from "../support/insert-posts.ts";
import { explainQueries, type Plan } from "../support/query-plans.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";
import { countTableReads } from "../support/table-reads.ts";
import { createWorkspace, insertAccounts } from "./workspace.ts";

const NOW = new Date();
const days = (count: number) => new Date(NOW.getTime() + count * 24 * 60 * 60 * 1000);
const BIG = ["posts", "post_deliveries", "delivery_attempts", "files", "uploads"];

/** A separate database, so that due deliveries and bulk inserts do not affect other tests. */
let database: Database;
let db: Db;
let token: string;
let scope: { id: string; ownerId: string; workspaceId: string | null };
let config: SeparateDatabase["config"];
const get = (path: string) => createClient(token).call("GET", path, { env: config });

beforeAll(async () => {
  ({ database, db, config } = await openSeparateDatabase("explain"));
  const tenant = await createWorkspace(db);
  scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  await savePlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await insertKey(db, tenant, { id: newId(), name: "explain", kind: "key", expiresAt: null });

  const finished: Pick<PostsSpec, "statuses" | "due"> = {
    statuses: ["posted", "posted", "failed", "posted"],
    due: [days(-90), days(-1)],
  };
  await insertBulk(tenant, 5, { count: 20_000, ...finished });
  for (let other = 0; other < 10; other++)
    await insertBulk(await createWorkspace(db), 2, { count: 1_000, ...finished });
  const [busy, waiting] = [await createWorkspace(db), await createWorkspace(db)];
  await insertBulk(busy, 40, { count: 1_000, statuses: ["pending"], due: [days(-0.02), days(-0.01)] });
  await insertBulk(waiting, 100, { count: 20_000, statuses: ["scheduled"], due: [days(1), days(30)] });
  await database.exec(SURROUNDING_ROWS);
}, 180_000);

afterAll(async () => {
  await database.close();
});

/** Related rows: trace, files, uploads and started deliveries; some scheduled posts are by a clock. */
const SURROUNDING_ROWS = `
  update posts set schedule_zone = 'Europe/Berlin' where status = 'scheduled' and id::text like '0%';
  update post_deliveries set stage = 'started' where id in (
    select id from post_deliveries where next_attempt_at < now() order by due_at limit 10);
  insert into delivery_attempts (delivery_id, attempt, step, outcome, at)
    select id, 1, 'publish', 'posted', now() from post_deliveries where next_attempt_at is null;
  insert into files (id, owner_id, workspace_id, object_key, url, kind, content_type, filename, size, sha256, width,
      height, has_video, has_audio, details)
    select md5('file ' || id)::uuid, owner_id, workspace_id, id, 'https://cdn.example.com/' || id, 'image', 'image/png',
      'a.png', 1000, md5(id::text), 1000, 1000, false, false, '{}' from posts where status = 'posted';
  insert into uploads (id, owner_id, workspace_id, object_key, content_type, filename, state, expires_at)
    select id, owner_id, workspace_id, object_key, content_type, filename, 'finalized', now() from files;
  analyze`;

async function insertBulk(tenant: TenantIds, accounts: number, bulk: Pick<PostsSpec, "count" | "statuses" | "due">) {
  const accountIds = await insertAccounts(database, tenant, accounts);
  const label = String(tenant.workspaceId);
  await insertPosts(database.query, { tenant, accountIds, created: [days(-90), NOW], label, ...bulk });
}

/** Returns the rows read, and expects no sequential scan of the large tables. */
async function readTables(statement: Parameters<typeof countTableReads>[1]) {
  const reads = await countTableReads(db, statement);
  for (const table of BIG) expect(reads[table]?.sequentialScans ?? 0).toBe(0);
  return reads;
}

/** Returns the query plans, and expects no sequential scan of the large tables. */
async function explainWithoutScans(work: () => PromiseLike<unknown>): Promise<Plan[]> {
  const plans = await explainQueries(database, work);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

async function listIndexes(work: () => PromiseLike<unknown>): Promise<string[]> {
  return (await explainWithoutScans(work)).flatMap(({ indexes }) => indexes);
}

test("a sequential scan is detected", async () => {
  const [plan] = await explainQueries(database, () => db.execute("select count(*) from posts where caption = 'x'"));
  expect(plan?.scanned).toEqual(["posts"]);
});

const since = `since=${days(-40).toISOString()}`;
const until = `until=${days(-30).toISOString()}`;
for (const [query, index] of [
  ["", "posts_scope_newest"],
  ["status=failed", "posts_scope_status_newest"],
  ["status=draft", "posts_scope_status_newest"],
  [since, "posts_scope_newest"],
  [until, "posts_scope_newest"],
  [`${since}&${until}`, "posts_scope_newest"],
  [`status=failed&${since}&${until}`, "posts_scope_status_newest"],
] as const) {
  test(`200 GET /posts?${query.replace(/=[^&]+Z/g, "=...")} reads its page from ${index} and its counts from post_counts`, async () => {
    let status = 0;
    const plans = await explainWithoutScans(async () => {
      ({ status } = await get(`/posts?${query}`));
    });
    expect(status).toBe(200);
    const [page, counts] = plans.slice(-2);
    expect(page?.indexes).toEqual(expect.arrayContaining([index, "post_deliveries_post_account"]));
    // The index provides the order: only the few deliveries of each post are sorted.
    expect(page?.sorted).toBe(false);
    expect(counts?.indexes).toContain("post_counts_scope_id_day_status_pk");
  });
}

test("GET /posts/{id} and the duplicate of a repeated create use an index", async () => {
  const [post] = await listPosts(db, scope, { limit: 1 }).then((page) => page.posts);
  const id = post?.id ?? "";
  expect(await listIndexes(() => findPost(db, scope, id))).toContain("posts_pkey");
  const duplicate = await listIndexes(() => findDuplicatePost(db, scope, { id, externalId: "order-1" }));
  expect(duplicate).toEqual(expect.arrayContaining(["posts_pkey", "posts_scope_external"]));
});

const OPEN_DELIVERIES = /^post_deliveries_account_(open|queue)$/;

test("a new post reads its accounts and the nearest posts around its time by index", async () => {
  const [{ id = "" } = {}] = await listAccounts(db, scope, "active");
  const planned = { platform: "youtube", timeZone: "UTC", limit: 100, defaultLimit: 100 } as const;
  const reads = await readTables(listActiveAccounts(db, scope, [id], { around: NOW, nearbyHours: 38 }, planned));
  expect(reads.posts?.rows).toBeGreaterThan(0);
  expect(reads.posts?.rows).toBeLessThanOrEqual(4 * 50);
});

test("what a delivery waits for, and whether the uploads of a day are planned, is read by index", async () => {
  const [open] = await database.query<{ id: string; account: string; scope: string }>(
    `select d.id, d.account_id as account, p.scope_id as scope from post_deliveries d join posts p on p.id = d.post_id
      where d.next_attempt_at < now() order by d.due_at desc limit 1`,
  );
  if (!open) throw new Error("No delivery is open.");
  const waiting = sql`select waiting_delivery(${open.account}::uuid, now(), ${open.id}::uuid, ${open.scope}::uuid)`;
  const reads = await readTables(rawCommand(db, waiting));
  expect(reads.posts?.rows).toBe(1);
  expect(reads.post_deliveries?.rows).toBeLessThanOrEqual(2);
  const day = sql`select has_full_upload_day('threads', null, null, ${days(20).toISOString()}::timestamptz, 'UTC', 100, 100)`;
  const { post_deliveries: planned } = await readTables(rawCommand(db, day));
  expect(planned?.rows).toBe(100);
});

test("a post takes the next of 49 slots a week with the open deliveries of its account from an index", async () => {
  const [{ id = "" } = {}] = await listAccounts(db, scope, "active");
  const slots = Array.from({ length: 49 }, (_, at) => ({ weekday: 1 + Math.floor(at / 7), time: `1${at % 7}:00` }));
  const plan = { time_zone: "Europe/Berlin", slots };
  const saved = await createClient(token).call("PUT", `/accounts/${id}/slots`, { body: plan, env: config });
  expect(saved.status).toBe(200);
  const body = { caption: "At the next slot", accounts: [{ id }], scheduled_at: "next_slot" };
  let status = 0;
  const plans = await explainWithoutScans(async () => {
    ({ status } = await createClient(token).call("POST", "/posts", { body, env: config }));
  });
  expect(status).toBe(201);
  expect(plans.at(-1)?.indexes.some((name) => OPEN_DELIVERIES.test(name))).toBe(true);
  const calendar = await listIndexes(() => listSlotPlans(db, scope.id, { from: NOW, until: days(30) }));
  expect(calendar.some((name) => OPEN_DELIVERIES.test(name))).toBe(true);
});

test("updates find the post, its deliveries and its files by index", async () => {
  const { posts: some } = await listPosts(db, scope, { limit: 20 });
  const [id = ""] = some.map((post) => post.id);
  const update = await listIndexes(() =>
    findEditablePost(db, scope, id, {
      ...{ accountIds: [newId()], urls: [`https://cdn.example.com/${id}`] },
      ...{ at: undefined, now: NOW },
    }),
  );
  const wanted = ["posts_pkey", "post_deliveries_post_account", "files_scope_url"];
  expect(update).toEqual(expect.arrayContaining(wanted));
  const firstAttempt = { status: "pending" as const, dueAt: NOW, nextAttemptAt: NOW, deadlineAt: NOW };
  const retry = { postIds: some.map((post) => post.id), accountIds: null, resend: false, firstAttempt, now: NOW };
  expect(await listIndexes(() => requeueFailedPosts(db, scope, retry))).toContain("posts_pkey");
  expect(
    await listIndexes(() => deletePosts(db, scope, [newId(), newId()], { onlyDrafts: false, now: NOW })),
  ).toContain("posts_pkey");
});

test("uploads and files are found by id and by URL", async () => {
  expect(await listIndexes(() => findUpload(db, scope, newId()))).toEqual(
    expect.arrayContaining(["uploads_pkey", "files_pkey"]),
  );
  expect(await listIndexes(() => findFile(db, scope, newId()))).toContain("files_pkey");
  const urls = ["https://cdn.example.com/a", "https://cdn.example.com/b"];
  expect(await listIndexes(() => findFilesByUrl(db, scope, urls))).toContain("files_scope_url");
});

const soon = new Date(NOW.getTime() + CRON_AHEAD_MS);

const sweep = { now: NOW, until: soon, afterAccountId: "00000000-0000-0000-0000-000000000000", limit: 1_000 };

test("accounts with due deliveries are found without reading the deliveries that wait behind the first", async () => {
  const [plan] = await explainWithoutScans(() => listDueAccounts(db, sweep));
  expect(plan?.indexes).toEqual(
    expect.arrayContaining(["post_deliveries_account_queue", "post_deliveries_account_checks"]),
  );
});

test("a claim reads the first due deliveries by id and by account from indexes", async () => {
  const due = (await listDueAccounts(db, sweep)).due.map(({ id }) => id);
  for (const ids of [due, due.slice(0, 1)]) {
    const request = { now: NOW, leaseUntil: soon, leaseToken: newId(), limit: 6 };
    const plans = await explainWithoutScans(() => claimDeliveries(db, { ...request, ids, withoutUploads: true }));
    const wanted = ["post_deliveries_account_queue", "files_scope_url"];
    expect(plans[0]?.indexes).toEqual(expect.arrayContaining(wanted));
  }
});

test("posts by a clock are read in the order of their index, and move by id", async () => {
  const after = { at: NOW, id: "00000000-0000-0000-0000-000000000000" };
  const [list] = await explainWithoutScans(() => listClockPosts(db, after, 500));
  // Test scopes are few, and are read once for all posts.
  expect(list).toEqual({ scanned: ["sandboxes"], indexes: ["posts_by_clock"], sorted: false });
  const moves = Array.from({ length: 500 }, () => ({ id: newId(), from: days(1), to: days(2) }));
  const indexes = await listIndexes(() => movePosts(db, moves, NOW));
  expect(indexes).toEqual(expect.arrayContaining(["posts_pkey", "post_deliveries_post_account"]));
});

test("ending tokens are found by index", async () => {
  const expireBefore = [{ platform: "instagram" as const, until: soon }];
  const refreshedBefore = [{ platform: "pinterest" as const, until: NOW }];
  const indexes = await listIndexes(() =>
    claimExpiringTokens(db, { expireBefore, refreshedBefore, now: NOW, triedBefore: NOW, limit: 10 }),
  );
  expect(indexes).toEqual(expect.arrayContaining(["accounts_token_end", "accounts_token_age"]));
});
