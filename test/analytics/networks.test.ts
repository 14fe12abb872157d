// Analytics of the networks that give fewer numbers: read page by page, with what is not given as null and its reason.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { METRICS, type Metric, REPORTED_METRICS } from "../../lib/shared/metrics.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { createTestAccount, createTestTenant, queryRows } from "../support/harness.ts";
import {
  countNetworkCalls,
  createTarget,
  createTrackedAccount,
  listReadingScopes,
  processRefreshes,
  readRefreshState,
  readStoredPosts,
  requestRefresh,
  requestRefreshAt,
  type TrackedAccount,
  updateNetworkAccount,
} from "./refreshes.ts";

async function refresh(tracked: TrackedAccount, at?: Date) {
  const id = await (at ? requestRefreshAt(tracked, at) : requestRefresh(tracked));
  await processRefreshes([id], {}, at);
  return readRefreshState(tracked, id);
}

const readTarget = async ({ tenant, targetId }: TrackedAccount) =>
  (await tenant.api.get(`/analytics/targets/${targetId}?range=all`)).body.data;

const listCoverage = (numbers: Record<Metric, { coverage: string }>) =>
  Object.fromEntries(METRICS.map((metric) => [metric, numbers[metric].coverage]));

/** The numbers of a page; a page of LinkedIn has no saves. */
const isReported = (platform: Platform, metric: Metric) =>
  REPORTED_METRICS[platform].includes(metric) && !(platform === "linkedin" && metric === "saves");

test.each<[Platform, number, number, Record<string, number>]>([
  ["facebook", 60, 60, { posts_insights: 3 }],
  ["threads", 30, 30, { threads_posts: 2, insights: 30 }],
  ["twitter", 130, 100, { "users/tweets.metrics": 1 }],
  ["linkedin", 60, 60, { "posts.list": 2, shareStatistics: 2 }],
  ["pinterest", 130, 130, { "pins/list": 2 }],
  ["bluesky", 130, 130, { getAuthorFeed: 2 }],
])(
  "%s: of %i posts %i are read page by page, and what it does not give is null",
  async (platform, posts, read, calls) => {
    const tracked = await createTrackedAccount(platform, { posts });
    expect(await refresh(tracked)).toMatchObject({ status: "completed", error: null });
    const stored = await readStoredPosts(tracked.targetId);
    expect(stored).toHaveLength(read);
    expect(stored[0]?.caption).toBe(`Post ${posts} of ${tracked.account.username}`);
    expect(stored.every(({ permalink }) => permalink?.startsWith("https://"))).toBe(true);
    for (const metric of METRICS) {
      const values = stored.map((post) => post[metric]);
      if (isReported(platform, metric)) expect(values.some((value) => (value ?? 0) > 0)).toBe(true);
      else expect(new Set(values)).toEqual(new Set([null]));
    }
    expect(await countNetworkCalls(tracked.account)).toMatchObject(calls);
    const { target, summary } = await readTarget(tracked);
    for (const metric of METRICS) {
      const given = isReported(platform, metric);
      const refreshed_at = given ? target.last_refreshed_at : null;
      expect(target.numbers[metric]).toEqual({
        coverage: given ? "given" : "not_given",
        refreshed_at,
        permission: null,
      });
      expect(summary.kpis[metric]).toMatchObject({ coverage: given ? 1 : 0, refreshed_at });
      expect(summary.kpis[metric].value === null).toBe(!given);
    }
  },
);

test.each<[Platform, string, string, readonly Metric[]]>([
  ["facebook", "read_insights", "posts_insights", ["views"]],
  ["threads", "threads_manage_insights", "insights", ["views", "likes", "comments", "shares"]],
  ["linkedin", "rw_organization_admin", "shareStatistics", ["views", "likes", "comments", "shares"]],
])(
  "%s: without %s its posts are read all the same, and the account says what it lacks",
  async (platform, permission, call, missing) => {
    const tenant = await createTestTenant();
    const scopes = listReadingScopes(platform).filter((scope) => scope !== permission);
    const account = await createTestAccount(tenant, platform, { facts: { posts: 3 }, scopes });
    const targetId = await createTarget(tenant.api, platform, account.username);
    const tracked = { tenant, account, targetId };
    expect(await refresh(tracked)).toMatchObject({ status: "completed" });
    const [post] = await readStoredPosts(targetId);
    expect(missing.map((metric) => post?.[metric])).toEqual(missing.map(() => null));
    const { target } = await readTarget(tracked);
    for (const metric of missing) {
      expect(target.numbers[metric]).toEqual({ coverage: "permission_missing", refreshed_at: null, permission });
    }
    expect((await countNetworkCalls(account))[call]).toBeLessThan(10);
  },
);

test.each<[Platform, string, Metric]>([
  ["facebook", "post_media_view", "views"],
  ["facebook", "reactions", "likes"],
  ["threads", "likes", "likes"],
  ["instagram", "shares", "shares"],
])("%s: a retired %s empties no other number, and what was known of it stays", async (platform, retired, metric) => {
  const tracked = await createTrackedAccount(platform, { posts: 4 });
  const before = new Date(Date.now() - 2 * DAY_MS);
  await refresh(tracked, before);
  const known = await readStoredPosts(tracked.targetId);
  await updateNetworkAccount(tracked.account, { facts: { posts: 4, retired: [retired] } });
  expect(await refresh(tracked)).toMatchObject({ status: "completed", error: null });
  const stored = await readStoredPosts(tracked.targetId);
  expect(stored.map((post) => post[metric])).toEqual(known.map((post) => post[metric]));
  const others = METRICS.filter((one) => one !== metric && isReported(platform, one));
  for (const other of others) expect(stored.some((post) => post[other] !== null)).toBe(true);
  const { target } = await readTarget(tracked);
  expect(target.numbers[metric]).toEqual({
    ...{ coverage: "refused", permission: null },
    refreshed_at: before.toISOString(),
  });
  expect(listCoverage(target.numbers)).toMatchObject(Object.fromEntries(others.map((other) => [other, "given"])));
});

test.each<Platform>(["facebook", "threads", "twitter", "linkedin", "pinterest", "bluesky"])(
  "%s: counts as strings are counts, and lists that are left out are no numbers",
  async (platform) => {
    const text = await createTrackedAccount(platform, { posts: 2, textCounts: true });
    expect(await refresh(text)).toMatchObject({ status: "completed" });
    expect((await readStoredPosts(text.targetId))[0]?.likes).toEqual(expect.any(Number));
    const sparse = await createTrackedAccount(platform, { posts: 2, sparse: true });
    expect(await refresh(sparse)).toMatchObject({ status: "completed", error: null });
    expect(await readStoredPosts(sparse.targetId)).toHaveLength(2);
  },
);

test("facebook: hidden likes are null, never 0", async () => {
  const tracked = await createTrackedAccount("facebook", { posts: 2, hidesLikes: true });
  await refresh(tracked);
  expect((await readStoredPosts(tracked.targetId)).map(({ likes }) => likes)).toEqual([null, null]);
  const { posts } = (await tracked.tenant.api.get("/analytics/summary/posts?range=all")).body.data;
  expect(posts[0]).toMatchObject({ metrics: { likes: null }, engagementRate: null });
  expect(posts[0].numbers.likes.coverage).toBe("given");
});

test("twitter: an API that knows the older name of the fields is read by it", async () => {
  const tracked = await createTrackedAccount("twitter", { posts: 2, plainTimeline: true });
  expect(await refresh(tracked)).toMatchObject({ status: "completed" });
  expect(await readStoredPosts(tracked.targetId)).toHaveLength(2);
});

test("linkedin: the posts of a member that this service published are read, as no app may list them", async () => {
  const tracked = await createTrackedAccount("linkedin", { posts: 2 });
  const { account, tenant } = tracked;
  const externalId = `ann${account.externalId}`;
  await queryRows(sql`update accounts set external_id = ${externalId} where id = ${account.id} returning id`);
  const scopes = ["openid", "profile", "w_member_social", "r_member_postAnalytics"];
  await updateNetworkAccount({ ...account, externalId }, { facts: { posts: 2 }, scopes });
  expect(await refresh(tracked)).toMatchObject({ status: "completed" });
  expect(await readStoredPosts(tracked.targetId)).toEqual([]);
  const post = await tenant.api.post("/posts", { caption: "From here", accounts: [{ id: account.id }] });
  const urn = "urn:li:share:7401";
  await queryRows(sql`update post_deliveries set status = 'posted', stage = 'done', next_attempt_at = null,
    published_at = now(), platform_post_id = ${urn} where post_id = ${post.body.data.id} returning id`);
  await refresh(tracked, new Date(Date.now() + DAY_MS));
  expect(await readStoredPosts(tracked.targetId)).toMatchObject([{ caption: "From here", kind: "text", views: null }]);
});

test("x is the other name of twitter, in a new target and in a filter", async () => {
  const { api } = await createTestTenant();
  const { status, body } = await api.post("/analytics/targets", { platform: "x", identifier: "@northlight" });
  expect([status, body.data.target.platform]).toEqual([201, "twitter"]);
  expect((await api.get("/analytics/summary?platforms=x,bluesky")).status).toBe(200);
});
