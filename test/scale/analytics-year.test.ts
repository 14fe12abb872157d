// A generated year of 50 accounts and 20,000 posts with daily observations: responses equal an independent computation.

import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRefresh, insertRefreshRequest } from "../../lib/queries/analytics-refresh-requests.ts";
import { claimRefreshes, listUpcomingRefreshes, savePageOfPosts } from "../../lib/queries/analytics-refreshes.ts";
import {
  deleteTarget,
  insertTarget,
  listTargets,
  purgeDeletedTargets,
  updateTarget,
} from "../../lib/queries/analytics-targets.ts";
import { type PeriodQuery, resolvePeriod } from "../../lib/schemas/analytics-period.ts";
import { at } from "../../lib/shared/at.ts";
import { addDays } from "../../lib/shared/time-zone.ts";
import { DAYS, generateYear, writeYear, type YearPost } from "../analytics/year.ts";
import { createClient } from "../support/harness.ts";
import { explainQueries } from "../support/query-plans.ts";
import { createRandom } from "../support/random.ts";
import { buildExpectedSummary, computeGains, type TargetGains } from "./expected-summary.ts";
import { createWorkspace } from "./workspace.ts";
import { NOW, openYearDatabase, SMALL, TODAY, type YearDatabase } from "./year-database.ts";

const FILTERS = 200;

let year: YearDatabase;
let targetGains: TargetGains[];
const get = async (path: string) => {
  const response = await createClient(year.token).call("GET", path, { env: year.config });
  if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
};

beforeAll(async () => {
  year = await openYearDatabase();
  targetGains = year.targets.map((target) => ({ target, gains: computeGains(target) }));
}, 300_000);
afterAll(async () => {
  await year.database.close();
});

interface Filter {
  platforms?: string[];
  accounts?: number[];
  span: PeriodQuery;
}

/** A random filter and its query string. */
function pickFilter(random: () => number): { filter: Filter; query: string } {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const platforms = random() < 0.4 ? [pick(["tiktok", "instagram", "youtube"]), pick(["tiktok", "youtube"])] : null;
  const accounts =
    random() < 0.5 ? Array.from({ length: 1 + Math.floor(random() * 8) }, () => Math.floor(random() * 52)) : null;
  const end = addDays(TODAY, 20 - Math.floor(random() * 420));
  const start = addDays(end, -Math.floor(random() ** 2 * 400));
  const span: PeriodQuery =
    random() < 0.5 ? { range: pick(["14d", "30d", "90d", "1y", "all"] as const) } : { start, end };
  // By handle or by id; the last two do not exist.
  const named = accounts?.map((at) => pick([`@Account.${at}`, targetGains[at]?.target.id ?? newId(), `account.${at}`]));
  const dated = span.range ? [`range=${span.range}`] : [`start=${start}`, `end=${pick([end, `${end}T23:59:59.999Z`])}`];
  const query = [
    ...dated,
    ...(platforms ? [`platforms=${platforms.join(",")}`] : []),
    ...(named ? [`accounts=${encodeURIComponent(named.join(" ,"))}`] : []),
  ].join("&");
  return { filter: { ...(platforms ? { platforms } : {}), ...(accounts ? { accounts } : {}), span }, query };
}

function filterTargets({ platforms, accounts }: Filter): TargetGains[] {
  return targetGains.filter(
    ({ target }, at) => (!platforms || platforms.includes(target.platform)) && (!accounts || accounts.includes(at)),
  );
}

/** The period that ends on the day of the response, so that midnight during the test does not matter. */
function toExpectedPeriod(span: PeriodQuery, { end }: { end: string }) {
  expect([TODAY, addDays(TODAY, 1), span.end]).toContain(end);
  return resolvePeriod(span, new Date(`${end}T12:00:00Z`));
}

test(`summaries equal an independent computation for ${FILTERS} random filters`, async () => {
  const random = createRandom(4);
  let nonEmpty = 0;
  for (let round = 0; round < FILTERS; round++) {
    const { filter, query } = pickFilter(random);
    const summary = await get(`/analytics/summary?${query}`);
    const expected = buildExpectedSummary(filterTargets(filter), toExpectedPeriod(filter.span, summary.period));
    expect([query, summary]).toEqual([query, expected]);
    if (summary.kpis.views.value > 0) nonEmpty += 1;
  }
  // Most filters match posts.
  expect(nonEmpty).toBeGreaterThan(FILTERS / 2);
}, 120_000);

test("the summary of a target covers only this target", async () => {
  for (const at of [0, 7, 49]) {
    const one = targetGains[at];
    const { target, summary } = await get(`/analytics/targets/${one?.target.id}?range=90d`);
    expect(target).toMatchObject({ id: one?.target.id, display_name: `The account.${at}` });
    expect(summary).toEqual(buildExpectedSummary(one ? [one] : [], toExpectedPeriod({ range: "90d" }, summary.period)));
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
  test("are sorted, and pages neither overlap nor skip, for 40 random filters", async () => {
    const random = createRandom(5);
    for (let round = 0; round < 40; round++) {
      const { filter, query } = pickFilter(random);
      const sort = (Object.keys(SORTS) as (keyof typeof SORTS)[])[round % 4] ?? "views";
      const order = round % 3 === 0 ? "asc" : "desc";
      const limit = 1 + Math.floor(random() * 100);
      const offset = Math.floor(random() ** 3 * 2_000);
      const paging = `sortBy=${sort}&sortOrder=${order}&limit=${limit}&offset=${offset}`;
      const response = await get(`/analytics/summary/posts?${query}&${paging}`);
      const period = resolvePeriod(filter.span, new Date());
      const isInPeriod = ({ publishedAt }: YearPost) => {
        const day = publishedAt.toISOString().slice(0, 10);
        return day <= period.last && (period.first === null || day >= period.first);
      };
      const sign = order === "asc" ? 1 : -1;
      const all = filterTargets(filter)
        .flatMap(({ target }) => target.posts.filter(isInPeriod))
        .sort((a, b) => sign * (SORTS[sort](a) - SORTS[sort](b)) || (a.id < b.id ? -1 : 1));
      const page = all.slice(offset, offset + limit);
      const ids = response.posts.map(({ id }: { id: string }) => id);
      expect([query, paging, ids]).toEqual([query, paging, page.map(({ id }) => id)]);
      expect([response.totalCount, response.hasMore]).toEqual([all.length, offset + page.length < all.length]);
    }
  }, 60_000);

  test("have their metrics and the display name of the target", async () => {
    const [first] = (await get("/analytics/summary/posts?accounts=account.3&range=all&limit=1")).posts;
    const post = targetGains[3]?.target.posts[0];
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
      numbers: expect.objectContaining({ views: { coverage: "given", refreshed_at: null, permission: null } }),
      engagementRate: post && SORTS.engagementRate(post),
      platform: "tiktok",
      accountIdentifier: "account.3",
      accountDisplayName: "The account.3",
    });
  });
});

test("two months written page by page equal a bulk insert of the same observations", async () => {
  const { database, db } = year;
  const small = generateYear(SMALL);
  const ids = small.map(({ id }) => id);
  await writeYear(db, database.query, await createWorkspace(db), small, SMALL);
  const kept = await database.query(
    "select target_id, day, views, likes, comments, shares, saves from analytics_target_days where target_id = any($1) order by 1, 2",
    [ids],
  );
  // The incrementally stored days equal the differences of the snapshots, and the snapshots equal the observations.
  const saved = await database.query<Record<string, unknown>>(
    "with gone as (delete from analytics_target_days where target_id = any($1) returning 1) select count(*)::int as n from gone",
    [ids],
  );
  const nonEmpty = await database.query(`${DAYS} order by 1, 2`);
  expect(kept).toEqual(nonEmpty);
  expect(saved).toEqual([{ n: kept.length }]);
  const snapshots = await database.query(
    `select p.platform_post_id as id, to_char(s.day, 'YYYY-MM-DD') as day, s.views::int as views, s.likes::int as likes
      from analytics_snapshots s join analytics_posts p on p.id = s.post_id where p.target_id = any($1) order by 1, 2`,
    [ids],
  );
  const seen = small
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

describe("query plans", () => {
  const BIG = ["analytics_posts", "analytics_snapshots", "analytics_target_days", "post_deliveries", "posts"];

  async function indexesOf(work: () => PromiseLike<unknown>): Promise<string[]> {
    const plans = await explainQueries(year.database, work);
    for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
    return plans.flatMap(({ indexes }) => indexes);
  }

  test("a sequential scan of a large table is detected", async () => {
    const [plan] = await explainQueries(year.database, () =>
      year.db.execute("select count(*) from analytics_posts where caption = 'x'"),
    );
    expect(plan?.scanned).toEqual(["analytics_posts"]);
  });

  for (const query of ["range=14d", "range=1y", "range=all", "accounts=account.7&range=90d", "platforms=youtube"]) {
    test(`GET /analytics/summary?${query} uses indexes for days and posts`, async () => {
      const indexes = await indexesOf(() => get(`/analytics/summary?${query}`));
      expect(indexes).toContain("analytics_target_days_target_id_day_pk");
      // When the period covers every post, any index of the target's posts is fine.
      expect(indexes.some((index) => /^analytics_posts_target_(published|post)$/.test(index))).toBe(true);
    });
  }

  test("GET /analytics/summary/posts uses indexes for its page and for our own posts", async () => {
    const indexes = await indexesOf(() => get("/analytics/summary/posts?range=90d&sortBy=views"));
    const wanted = ["analytics_posts_target_published", "post_deliveries_platform_post"];
    expect(indexes).toEqual(expect.arrayContaining(wanted));
  });

  test("writing a page and purging deleted targets use indexes", async () => {
    const claimed = { id: newId(), leaseToken: newId() };
    const page = { posts: [], seen: 0, cursor: null, missing: {} };
    const written = await indexesOf(() => savePageOfPosts(year.db, claimed, page, NOW, NOW));
    expect(written).toEqual(expect.arrayContaining(["analytics_refreshes_pkey", "analytics_posts_target_post"]));
    expect(await indexesOf(() => purgeDeletedTargets(year.db, 200))).toContain("analytics_targets_deleted");
  });

  test("queries of targets and refreshes use indexes in large tables", async () => {
    const many = ["analytics_targets", "analytics_refreshes"];
    const scannedBy = async (work: () => PromiseLike<unknown>) =>
      (await explainQueries(year.database, work))
        .flatMap(({ scanned }) => scanned)
        .filter((table) => many.includes(table));
    const id = at(targetGains, 0).target.id;
    const identity = { platform: "tiktok", identifier: "x", normalizedIdentifier: "x", displayName: "x" } as const;
    const request = { now: NOW, leaseUntil: NOW, leaseToken: newId(), ids: [newId()], limit: 4 };
    for (const work of [
      () => listTargets(year.db, year.scope, { limit: 50, offset: 0 }, TODAY),
      () => insertTarget(year.db, year.scope, { id: newId(), ...identity, maxPosts: 1, createdAt: NOW }, TODAY),
      () => updateTarget(year.db, year.scope, id, { favorite: true }, NOW),
      () => deleteTarget(year.db, year.scope, newId(), NOW),
      () => findRefresh(year.db, year.scope, newId()),
      () => insertRefreshRequest(year.db, year.scope, { id: newId(), targetId: id, now: NOW, deadlineAt: NOW }),
      () => claimRefreshes(year.db, request),
      () => listUpcomingRefreshes(year.db, NOW, NOW, 500),
    ]) {
      expect([work.toString(), await scannedBy(work)]).toEqual([work.toString(), []]);
    }
  });
});
