// With many posts in the tables, what the service asks of them is answered from indexes: the plans of Postgres say so.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect, type Db } from "../../lib/db.ts";
import { NUDGE_WITHIN_MS } from "../../lib/publishing/timing.ts";
import * as accounts from "../../lib/queries/accounts.ts";
import * as deliveries from "../../lib/queries/deliveries.ts";
import * as files from "../../lib/queries/files.ts";
import * as posts from "../../lib/queries/posts.ts";
import * as revisions from "../../lib/queries/revisions.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import { type Bulk, insertPosts } from "../bulk.ts";
import { client } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { type Plan, plansOf } from "./plans.ts";

const NOW = new Date();
const days = (count: number) => new Date(NOW.getTime() + count * 24 * 60 * 60 * 1000);
const BIG = ["posts", "post_deliveries", "delivery_attempts", "files", "uploads"];

/** A database of its own: what is due here is nobody else's, and nobody waits for the large inserts. */
let database: Database;
let db: Db;
let token: string;
let scope: { id: string; ownerId: string; workspaceId: string | null };
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });
const get = (path: string) => client(token).call("GET", path, { env: address() });

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  db = connect(address(), "explain");
  const tenant = await workspace();
  scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  await tenants.setPlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await tenants.createKey(db, tenant, { id: newId(), name: "explain", kind: "key", expiresAt: null });

  const settled: Pick<Bulk, "statuses" | "due"> = {
    statuses: ["posted", "posted", "failed", "posted"],
    due: [days(-90), days(-1)],
  };
  await fill(tenant, 5, { count: 20_000, ...settled });
  for (let other = 0; other < 10; other++) await fill(await workspace(), 2, { count: 1_000, ...settled });
  const [busy, waiting] = [await workspace(), await workspace()];
  await fill(busy, 40, { count: 1_000, statuses: ["pending"], due: [days(-0.02), days(-0.01)] });
  await fill(waiting, 100, { count: 20_000, statuses: ["scheduled"], due: [days(1), days(30)] });
  await database.exec(AROUND);
}, 180_000);

afterAll(async () => {
  await database.close();
});

/** What surrounds the posts: their trace, files and uploads, and deliveries that are under way. */
const AROUND = `
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

async function workspace(): Promise<tenants.Tenant> {
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Explain" });
  return tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Explain" });
}

async function fill(tenant: tenants.Tenant, accounts: number, bulk: Pick<Bulk, "count" | "statuses" | "due">) {
  const accountIds = Array.from({ length: accounts }, () => newId());
  await database.query(
    `insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id)
      select id, $1, $2, 'threads', 'byo', 'active', id, id, id from unnest($3::uuid[]) id`,
    [tenant.ownerId, tenant.workspaceId, accountIds],
  );
  const label = String(tenant.workspaceId);
  await insertPosts(database.query, { tenant, accountIds, created: [days(-90), NOW], label, ...bulk });
}

/** The plans of the statements that read one of the big tables; none of those is read from end to end. */
async function plansOfBig(work: () => Promise<unknown>): Promise<Plan[]> {
  const plans = await plansOf(database, work);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

async function indexesOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await plansOfBig(work)).flatMap(({ indexes }) => indexes);
}

test("a plan that reads a table from end to end is seen", async () => {
  const [plan] = await plansOf(database, () => db.execute("select count(*) from posts where caption = 'x'"));
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
  test(`200 GET /posts?${query.replace(/=[^&]+Z/g, "=...")} reads its page from ${index} and its counts from those kept`, async () => {
    let status = 0;
    const plans = await plansOfBig(async () => {
      ({ status } = await get(`/posts?${query}`));
    });
    expect(status).toBe(200);
    const [page, counts] = plans.slice(-2);
    expect(page?.indexes).toEqual(expect.arrayContaining([index, "post_deliveries_post_account"]));
    // The index gives the order: nothing is sorted but the few deliveries of each post.
    expect(page?.sorted).toBe(false);
    expect(counts?.indexes).toContain("post_counts_scope_id_day_status_pk");
  });
}

test("GET /posts/{id} and the twin of a repeated create are found by index", async () => {
  const [post] = await posts.list(db, scope, { limit: 1 }).then((page) => page.posts);
  const id = post?.id ?? "";
  expect(await indexesOf(() => posts.find(db, scope, id))).toContain("posts_pkey");
  const twin = await indexesOf(() => posts.findTwin(db, scope, { id, externalId: "order-1" }));
  expect(twin).toEqual(expect.arrayContaining(["posts_pkey", "posts_scope_external"]));
});

test("what changes a post finds it, its deliveries and its files by index", async () => {
  const { posts: some } = await posts.list(db, scope, { limit: 20 });
  const [id = ""] = some.map((post) => post.id);
  const edit = await indexesOf(() =>
    revisions.findEditable(db, scope, id, { accountIds: [newId()], urls: [`https://cdn.example.com/${id}`] }),
  );
  expect(edit).toEqual(expect.arrayContaining(["posts_pkey", "post_deliveries_post_account", "files_scope_url"]));
  const retry = { postIds: some.map((post) => post.id), accountIds: null, now: NOW, deadlineAt: NOW };
  expect(await indexesOf(() => revisions.requeueFailed(db, scope, retry))).toContain("posts_pkey");
  expect(await indexesOf(() => revisions.remove(db, scope, [newId(), newId()], NOW))).toContain("posts_pkey");
});

test("uploads and files are found by id and by URL", async () => {
  expect(await indexesOf(() => uploads.find(db, scope, newId()))).toEqual(
    expect.arrayContaining(["uploads_pkey", "files_pkey"]),
  );
  expect(await indexesOf(() => files.find(db, scope, newId()))).toContain("files_pkey");
  const urls = ["https://cdn.example.com/a", "https://cdn.example.com/b"];
  expect(await indexesOf(() => files.findByUrl(db, scope, urls))).toContain("files_scope_url");
});

const soon = new Date(NOW.getTime() + NUDGE_WITHIN_MS);

test("what is due soon is found without a look at the thousands that wait for later days", async () => {
  const [plan] = await plansOfBig(() => deliveries.upcoming(db, NOW, soon, 5_000));
  expect(plan?.indexes).toContain("post_deliveries_due");
  expect(plan?.mostRows).toBeLessThan(3_000);
});

test("a claim reads the heads of the queues it serves, by id and by account", async () => {
  const due = (await deliveries.upcoming(db, NOW, soon, 500)).map(({ id }) => id);
  const served = await database.query<{ id: string }>(
    "select distinct account_id as id from post_deliveries where next_attempt_at is not null limit 100",
  );
  for (const [ids, accountIds] of [
    [due, served.map(({ id }) => id)],
    [due.slice(0, 1), []],
    [[], served.slice(0, 1).map(({ id }) => id)],
  ] as const) {
    const request = { now: NOW, leaseUntil: soon, leaseToken: newId(), limit: 6 };
    const plans = await plansOfBig(() =>
      deliveries.claim(db, { ...request, ids: [...ids], accountIds: [...accountIds] }),
    );
    const wanted = ["post_deliveries_account_open", "post_deliveries_account_begun", "files_scope_url"];
    expect(plans[0]?.indexes).toEqual(expect.arrayContaining(wanted));
  }
});

test("tokens that age are found without a look at those that do not", async () => {
  const until = [{ platform: "instagram" as const, until: soon }];
  const indexes = await indexesOf(() => accounts.claimAging(db, { until, now: NOW, triedBefore: NOW, limit: 10 }));
  expect(indexes).toContain("accounts_token_end");
});

test("an account that is cut off finds what waits for it by index", async () => {
  const [first] = await database.query<{ id: string }>("select id from accounts limit 1");
  const account = { id: first?.id, tokenVersion: 7 } as deliveries.Claimed["account"];
  const indexes = await indexesOf(() => deliveries.disconnect(db, account, "Connect it again.", "Cancelled.", NOW));
  expect(indexes).toContain("post_deliveries_account_open");
});
