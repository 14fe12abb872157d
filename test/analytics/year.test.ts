// A made-up year of 50 accounts and 20,000 posts, looked at every day: what the API says of it is what follows from it.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { type Asked, periodOf, plusDays } from "../../lib/analytics/period.ts";
import { connect, type Db } from "../../lib/db.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import * as targets from "../../lib/queries/analytics-targets.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { insertPosts } from "../bulk.ts";
import { client } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { plansOf } from "../posts/plans.ts";
import { expectedSummary, gainsOf, type Known } from "./expected.ts";
import { chances, DAYS, insertYear, makeYear, writeYear, type YearPost } from "./year.ts";

const NOW = new Date();
const TODAY = NOW.toISOString().slice(0, 10);
const SHAPE = { targets: 50, posts: 20_000, days: 365, until: NOW };
const SMALL = { targets: 6, posts: 240, days: 60, until: NOW };
const FILTERS = 200;

/** A database of its own, so that nobody waits for the large inserts. */
let database: Database;
let db: Db;
let token: string;
let scope: { id: string; ownerId: string; workspaceId: string | null };
let known: Known[];
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });
const get = async (path: string) => {
  const answer = await client(token).call("GET", path, { env: address() });
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
};

async function workspace(): Promise<tenants.Tenant> {
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Year" });
  return tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Year" });
}

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  db = connect(address(), "year");
  const tenant = await workspace();
  scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  await tenants.setPlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await tenants.createKey(db, tenant, { id: newId(), name: "year", kind: "key", expiresAt: null });
  const year = makeYear(SHAPE);
  await insertYear(db, database.query, tenant, year, SHAPE);
  known = year.map((target) => ({ target, gains: gainsOf(target) }));
  // Somebody else's year lies beside it.
  const small = makeYear(SMALL);
  await insertYear(db, database.query, await workspace(), small, SMALL);
  await publishElsewhere(await workspace());
  await database.exec(`${MANY}; analyze`);
}, 300_000);

/** Posts of this service, which are looked up by the network's id. */
async function publishElsewhere(tenant: tenants.Tenant): Promise<void> {
  const account = newId();
  await database.query(
    `insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id)
      values ($1, $2, $3, 'tiktok', 'byo', 'active', 'a', 'a', 'a')`,
    [account, tenant.ownerId, tenant.workspaceId],
  );
  const when = [new Date(NOW.getTime() - 1_000_000), NOW] as const;
  const bulk = { tenant, accountIds: [account], count: 5_000, statuses: ["posted" as const], created: when, due: when };
  await insertPosts(database.query, { ...bulk, label: "elsewhere" });
  await database.exec("update post_deliveries set platform_post_id = id::text");
}

/** What other scopes track, and their refreshes. */
const MANY = `
  insert into analytics_targets (id, owner_id, platform, identifier, normalized_identifier, display_name, max_posts)
    select gen_random_uuid(), gen_random_uuid(), 'tiktok', n, n, n, 1 from generate_series(1, 3000) n;
  insert into analytics_refreshes (id, target_id, status, was_free, deadline_at)
    select id, id, 'completed', true, now() from analytics_targets where max_posts = 1`;

afterAll(async () => {
  await database.close();
});

interface Filter {
  platforms?: string[];
  accounts?: number[];
  span: Asked;
}

/** A filter, and how a caller might write it. */
function someFilter(chance: () => number): { filter: Filter; query: string } {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(chance() * items.length)] as Item;
  const platforms = chance() < 0.4 ? [pick(["tiktok", "instagram", "youtube"]), pick(["tiktok", "youtube"])] : null;
  const accounts =
    chance() < 0.5 ? Array.from({ length: 1 + Math.floor(chance() * 8) }, () => Math.floor(chance() * 52)) : null;
  const end = plusDays(TODAY, 20 - Math.floor(chance() * 420));
  const start = plusDays(end, -Math.floor(chance() ** 2 * 400));
  const span: Asked = chance() < 0.5 ? { range: pick(["14d", "30d", "90d", "1y", "all"] as const) } : { start, end };
  // Some by handle, some by id; the last two are nobody's.
  const named = accounts?.map((at) => pick([`@Account.${at}`, known[at]?.target.id ?? newId(), `account.${at}`]));
  const dated = span.range ? [`range=${span.range}`] : [`start=${start}`, `end=${pick([end, `${end}T23:59:59.999Z`])}`];
  const query = [
    ...dated,
    ...(platforms ? [`platforms=${platforms.join(",")}`] : []),
    ...(named ? [`accounts=${encodeURIComponent(named.join(" ,"))}`] : []),
  ].join("&");
  return { filter: { ...(platforms ? { platforms } : {}), ...(accounts ? { accounts } : {}), span }, query };
}

function picked({ platforms, accounts }: Filter): Known[] {
  return known.filter(
    ({ target }, at) => (!platforms || platforms.includes(target.platform)) && (!accounts || accounts.includes(at)),
  );
}

/** The period as its answer tells it, so that a midnight while this runs is none of our business. */
function periodTold(span: Asked, { end }: { end: string }) {
  expect([TODAY, plusDays(TODAY, 1), span.end]).toContain(end);
  return periodOf(span, new Date(`${end}T12:00:00Z`));
}

test(`summaries equal an independent computation for ${FILTERS} random filters`, async () => {
  const chance = chances(4);
  let told = 0;
  for (let round = 0; round < FILTERS; round++) {
    const { filter, query } = someFilter(chance);
    const summary = await get(`/analytics/summary?${query}`);
    const expected = expectedSummary(picked(filter), periodTold(filter.span, summary.period));
    expect([query, summary]).toEqual([query, expected]);
    if (summary.kpis.views.value > 0) told += 1;
  }
  // Most of them have something to tell.
  expect(told).toBeGreaterThan(FILTERS / 2);
}, 120_000);

test("the summary of one target is its own", async () => {
  for (const at of [0, 7, 49]) {
    const one = known[at];
    const { target, summary } = await get(`/analytics/targets/${one?.target.id}?range=90d`);
    expect(target).toMatchObject({ id: one?.target.id, display_name: `The account.${at}` });
    expect(summary).toEqual(expectedSummary(one ? [one] : [], periodTold({ range: "90d" }, summary.period)));
  }
});

const SORTS = {
  publishedAt: (post: YearPost) => post.publishedAt.getTime(),
  views: (post: YearPost) => post.seen.at(-1)?.metrics.views ?? 0,
  saves: (post: YearPost) => post.seen.at(-1)?.metrics.saves ?? 0,
  engagementRate: (post: YearPost) => {
    const { views = 0, likes = 0, comments = 0, shares = 0, saves = 0 } = post.seen.at(-1)?.metrics ?? {};
    return views > 0 ? (likes + comments + shares + saves) / views : 0;
  },
} as const;

describe("posts of the period", () => {
  test("come sorted and in pages that neither overlap nor skip, for 40 random filters", async () => {
    const chance = chances(5);
    for (let round = 0; round < 40; round++) {
      const { filter, query } = someFilter(chance);
      const sort = (Object.keys(SORTS) as (keyof typeof SORTS)[])[round % 4] ?? "views";
      const order = round % 3 === 0 ? "asc" : "desc";
      const limit = 1 + Math.floor(chance() * 100);
      const offset = Math.floor(chance() ** 3 * 2_000);
      const paging = `sortBy=${sort}&sortOrder=${order}&limit=${limit}&offset=${offset}`;
      const answer = await get(`/analytics/summary/posts?${query}&${paging}`);
      const period = periodOf(filter.span, new Date());
      const inside = ({ publishedAt }: YearPost) => {
        const day = publishedAt.toISOString().slice(0, 10);
        return day <= period.last && (period.first === null || day >= period.first);
      };
      const sign = order === "asc" ? 1 : -1;
      const all = picked(filter)
        .flatMap(({ target }) => target.posts.filter(inside))
        .sort((a, b) => sign * (SORTS[sort](a) - SORTS[sort](b)) || (a.id < b.id ? -1 : 1));
      const page = all.slice(offset, offset + limit);
      const ids = answer.posts.map(({ id }: { id: string }) => id);
      expect([query, paging, ids]).toEqual([query, paging, page.map(({ id }) => id)]);
      expect([answer.totalCount, answer.hasMore]).toEqual([all.length, offset + page.length < all.length]);
    }
  }, 60_000);

  test("tell their figures, and their account as it is called here", async () => {
    const [first] = (await get("/analytics/summary/posts?accounts=account.3&range=all&limit=1")).posts;
    const post = known[3]?.target.posts[0];
    expect(first).toEqual({
      id: post?.id,
      platformPostId: post?.platformPostId,
      postId: null,
      externalId: null,
      publishedAt: post?.publishedAt.toISOString(),
      caption: `Post ${post?.platformPostId}`,
      permalink: `https://example.com/${post?.platformPostId}`,
      thumbnailUrl: null,
      durationSeconds: 12,
      metrics: post?.seen.at(-1)?.metrics,
      engagementRate: post && SORTS.engagementRate(post),
      platform: "tiktok",
      accountIdentifier: "account.3",
      accountDisplayName: "The account.3",
    });
  });
});

test("two months written look by look, as refreshes write them, leave what a bulk insert of the same looks leaves", async () => {
  const year = makeYear(SMALL);
  const ids = year.map(({ id }) => id);
  await writeYear(db, database.query, await workspace(), year, SMALL);
  const kept = await database.query(
    "select target_id, day, views, likes, comments, shares, saves from analytics_target_days where target_id = any($1) order by 1, 2",
    [ids],
  );
  // The days that were kept step by step are the differences of the snapshots, and those are what was seen.
  const saved = await database.query<Record<string, unknown>>(
    "with gone as (delete from analytics_target_days where target_id = any($1) returning 1) select count(*)::int as n from gone",
    [ids],
  );
  const told = await database.query(`${DAYS} order by 1, 2`);
  expect(kept).toEqual(told);
  expect(saved).toEqual([{ n: kept.length }]);
  const snapshots = await database.query(
    `select p.platform_post_id as id, to_char(s.day, 'YYYY-MM-DD') as day, s.views::int as views, s.likes::int as likes
      from analytics_snapshots s join analytics_posts p on p.id = s.post_id where p.target_id = any($1) order by 1, 2`,
    [ids],
  );
  const seen = year
    .flatMap(({ posts }) => posts)
    .flatMap((post) =>
      post.seen.map(({ day, metrics }) => ({
        id: post.platformPostId,
        day,
        views: metrics.views,
        likes: metrics.likes,
      })),
    )
    .sort((a, b) => (a.id === b.id ? (a.day < b.day ? -1 : 1) : a.id < b.id ? -1 : 1));
  expect(snapshots).toEqual(seen);
});

describe("plans", () => {
  const BIG = ["analytics_posts", "analytics_snapshots", "analytics_target_days", "post_deliveries", "posts"];

  async function indexesOf(work: () => Promise<unknown>): Promise<string[]> {
    const plans = await plansOf(database, work);
    for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
    return plans.flatMap(({ indexes }) => indexes);
  }

  test("a plan that reads a big table from end to end is seen", async () => {
    const [plan] = await plansOf(database, () =>
      db.execute("select count(*) from analytics_posts where caption = 'x'"),
    );
    expect(plan?.scanned).toEqual(["analytics_posts"]);
  });

  for (const query of ["range=14d", "range=1y", "range=all", "accounts=account.7&range=90d", "platforms=youtube"]) {
    test(`GET /analytics/summary?${query} reads days and posts of its targets by index`, async () => {
      const indexes = await indexesOf(() => get(`/analytics/summary?${query}`));
      expect(indexes).toContain("analytics_target_days_target_id_day_pk");
      // Where the period holds every post, any index of the target's posts will do.
      expect(indexes.some((index) => /^analytics_posts_target_(published|post)$/.test(index))).toBe(true);
    });
  }

  test("GET /analytics/summary/posts finds its page and our own posts by index", async () => {
    const indexes = await indexesOf(() => get("/analytics/summary/posts?range=90d&sortBy=views"));
    const wanted = ["analytics_posts_target_published", "post_deliveries_platform_post"];
    expect(indexes).toEqual(expect.arrayContaining(wanted));
  });

  test("a page of a refresh is written by index, and a deleted target is found by its own", async () => {
    const claimed = { id: newId(), leaseToken: newId() };
    const page = { posts: [], seen: 0, cursor: null };
    const written = await indexesOf(() => refreshes.keepPage(db, claimed, page, NOW, NOW));
    expect(written).toEqual(expect.arrayContaining(["analytics_refreshes_pkey", "analytics_posts_target_post"]));
    expect(await indexesOf(() => targets.purge(db, 200))).toContain("analytics_targets_deleted");
  });

  test("targets and refreshes are found by index where there are many", async () => {
    const many = ["analytics_targets", "analytics_refreshes"];
    const scannedBy = async (work: () => Promise<unknown>) =>
      (await plansOf(database, work)).flatMap(({ scanned }) => scanned).filter((table) => many.includes(table));
    const id = known[0]?.target.id ?? "";
    const identity = { platform: "tiktok", identifier: "x", normalizedIdentifier: "x", displayName: "x" } as const;
    const request = { now: NOW, leaseUntil: NOW, leaseToken: newId(), ids: [newId()], limit: 4 };
    for (const work of [
      () => targets.list(db, scope, { limit: 50, offset: 0 }, TODAY),
      () => targets.insert(db, scope, { id: newId(), ...identity, maxPosts: 1, createdAt: NOW }, TODAY),
      () => targets.update(db, scope, id, { favorite: true }, NOW),
      () => targets.remove(db, scope, newId(), NOW),
      () => refreshes.find(db, scope, newId()),
      () => refreshes.request(db, scope, { id: newId(), targetId: id, now: NOW, deadlineAt: NOW }),
      () => refreshes.claim(db, request),
      () => refreshes.upcoming(db, NOW, NOW, 500),
    ]) {
      expect([work.toString(), await scannedBy(work)]).toEqual([work.toString(), []]);
    }
  });
});
