// Refreshes read through the readers of the networks: pages, numbers, snapshots.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createTestAccount, createTestPublisher, createTestTenant, queryRows } from "../support/harness.ts";
import {
  countNetworkCalls,
  createTarget,
  createTrackedAccount,
  listReadingScopes,
  type Network,
  processRefreshes,
  readRefreshState,
  readStoredPosts,
  requestRefresh,
  requestRefreshAt,
  updateNetworkAccount,
} from "./refreshes.ts";

const captions = (username: string, from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => `Post ${from - at} of ${username}`);

describe("reading", () => {
  test.each<[Network, number, Record<string, number>]>([
    ["tiktok", 45, { "video/list": 3 }],
    ["instagram", 60, { media_list: 3 }],
    ["youtube", 120, { "channels.list": 1, "playlistItems.list": 3, "videos.list": 3 }],
  ])("%s: reads %i posts page by page, newest first", async (network, posts, calls) => {
    const tracked = await createTrackedAccount(network, { posts });
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed", error: null });
    const stored = await readStoredPosts(tracked.targetId);
    expect(stored.map(({ caption }) => caption)).toEqual(captions(tracked.account.username, posts, 1));
    for (const { views, likes, shares, saves, permalink } of stored) {
      expect([(views ?? 0) > 0, (likes ?? 0) > 0 || (views ?? 0) < 100, permalink?.startsWith("https://")]).toEqual([
        true,
        true,
        true,
      ]);
      // YouTube reports neither shares nor saves, TikTok no saves.
      if (network === "youtube") expect([shares, saves]).toEqual([null, null]);
      if (network === "tiktok") expect(saves).toBeNull();
    }
    const kinds = new Set(stored.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(network === "instagram" ? ["video", "image", "carousel"] : ["video"]));
    expect(await countNetworkCalls(tracked.account)).toEqual(calls);
    const { kpis } = (await tracked.tenant.api.get("/analytics/summary?range=all")).body.data;
    expect(kpis.views.value).toBe(stored.reduce((sum, { views }) => sum + (views ?? 0), 0));
    expect(kpis.publishedVideos.value).toBe(posts);
    const { target } = (await tracked.tenant.api.get(`/analytics/targets/${tracked.targetId}`)).body.data;
    expect(target.last_refreshed_at).toBe((await readRefreshState(tracked, id)).completed_at);
  });

  test.each<Network>(["youtube", "instagram"])(
    "%s: hidden likes are null, in no rate, and counted once they are shown",
    async (network) => {
      const tracked = await createTrackedAccount(network, { posts: 3, hidesLikes: true });
      const shown = await createTestAccount(tracked.tenant, network, {
        ...{ facts: { posts: 2 }, scopes: listReadingScopes(network) },
      });
      const shownTarget = await createTarget(tracked.tenant.api, network, shown.username);
      const before = new Date(Date.now() - 2 * DAY_MS);
      await processRefreshes([await requestRefreshAt(tracked, before)], {}, before);
      await processRefreshes([await requestRefresh({ ...tracked, targetId: shownTarget })]);
      const read = async (path: string) => (await tracked.tenant.api.get(path)).body.data;
      const list = "/analytics/summary/posts?range=all&sortBy=likes";
      const { posts } = await read(list);
      const hidden = posts.filter(
        ({ accountIdentifier }: { accountIdentifier: string }) => accountIdentifier === tracked.account.username,
      );
      expect(posts).toHaveLength(5);
      expect(hidden.map(({ metrics }: { metrics: unknown }) => metrics)).toEqual(
        new Array(3).fill(expect.objectContaining({ likes: null, views: expect.any(Number) })),
      );
      expect(hidden.map((post: { engagementRate: unknown }) => post.engagementRate)).toEqual([null, null, null]);
      const next = (await read(`${list}&limit=4`)).next_cursor;
      expect((await read(`${list}&limit=4&cursor=${next}`)).posts).toEqual(posts.slice(4));

      // The rate of the whole is that of the account that shows its likes.
      const [all, alone] = [
        await read("/analytics/summary?range=all"),
        await read(`/analytics/summary?range=all&accounts=${shown.username}`),
      ];
      expect(all.kpis.engagementRate.value).toBe(alone.kpis.engagementRate.value);
      expect(all.kpis.likes.value).toBe(alone.kpis.likes.value);
      expect(all.kpis.views.value).toBeGreaterThan(alone.kpis.views.value);

      await updateNetworkAccount(tracked.account, { facts: { posts: 3 } });
      await processRefreshes([await requestRefresh(tracked)]);
      const later = await read("/analytics/summary?range=all");
      expect(later.kpis.likes.value).toBeGreaterThan(alone.kpis.likes.value);
    },
  );

  test("instagram: media from before the account was professional have no insights", async () => {
    const tracked = await createTrackedAccount("instagram", { posts: 30, unmeasured: 3 });
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    const stored = await readStoredPosts(tracked.targetId);
    expect(stored.map(({ views }) => (views ?? 0) > 0)).toEqual([...new Array(27).fill(true), false, false, false]);
    expect(stored.at(-1)?.likes).toBeGreaterThan(0);
    // The first page of 25 in one call; the last five are rejected as a page, read without insights, then one by one.
    expect(await countNetworkCalls(tracked.account)).toEqual({ media_list: 3, insights: 5 });
  });

  test("reads no more posts and pages than maxPosts requires", async () => {
    const tracked = await createTrackedAccount("tiktok");
    await tracked.tenant.api.patch(`/analytics/targets/${tracked.targetId}`, { refreshPolicy: { maxPosts: 25 } });
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    const stored = await readStoredPosts(tracked.targetId);
    expect(stored.map(({ caption }) => caption)).toEqual(captions(tracked.account.username, 45, 21));
    expect(await countNetworkCalls(tracked.account)).toEqual({ "video/list": 2 });
  });

  test("completes for an account without posts", async () => {
    for (const network of ["tiktok", "instagram", "youtube"] as const) {
      const tracked = await createTrackedAccount(network, { posts: 0 });
      const id = await requestRefresh(tracked);
      await processRefreshes([id]);
      expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed" });
    }
  });

  test("reads any public YouTube channel with any connected account", async () => {
    const star = await createTestAccount(await createTestTenant(), "youtube", { facts: { posts: 3 } });
    const tenant = await createTestTenant();
    await createTestAccount(tenant, "youtube", { facts: { posts: 9 } });
    const tracked = {
      tenant,
      targetId: await createTarget(tenant.api, "youtube", `https://www.youtube.com/@${star.username}`),
    };
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    expect((await readStoredPosts(tracked.targetId)).map(({ caption }) => caption)).toEqual(
      captions(star.username, 3, 1),
    );
  });

  test("a later day adds a snapshot and leaves earlier ones unchanged", async () => {
    const tracked = await createTrackedAccount("tiktok", { posts: 10 });
    const first = await requestRefresh(tracked);
    await processRefreshes([first]);
    const readSnapshots = () =>
      queryRows<{ day: string; id: string; views: number }>(sql`
        select s.day::text as day, p.platform_post_id as id, s.views::int as views from analytics_snapshots s
        join analytics_posts p on p.id = s.post_id where p.target_id = ${tracked.targetId} order by s.day, id`);
    const before = await readSnapshots();
    await updateNetworkAccount(tracked.account, { facts: { posts: 10, shiftDays: 1 } });
    const tomorrow = new Date(Date.now() + DAY_MS);
    await processRefreshes([await requestRefreshAt(tracked, tomorrow)], {}, tomorrow);
    const after = await readSnapshots();
    expect(after.slice(0, before.length)).toEqual(before);
    const [day] = new Set(after.slice(before.length).map((snapshot) => snapshot.day));
    expect(day).toBe(tomorrow.toISOString().slice(0, 10));
    // The gain of the day is the sum of the differences of both snapshots.
    const getViews = (list: { id: string; views: number }[]) => new Map(list.map(({ id, views }) => [id, views]));
    const now = getViews(after);
    const gained = [...getViews(before)].reduce((sum, [id, views]) => sum + (now.get(id) ?? 0) - views, 0);
    const [stored] = await queryRows<{ views: number }>(sql`
      select views::int as views from analytics_target_days where target_id = ${tracked.targetId} and day = ${day}::date`);
    expect(gained).toBeGreaterThan(0);
    expect(stored?.views).toBe(gained);
  });

  test("posts of this service have postId and externalId", async () => {
    const tracked = await createTrackedAccount("tiktok", { posts: 3 });
    const { api } = tracked.tenant;
    const media = { type: "video", url: await uploadDemoVideo(api) };
    const body = { caption: "ours", accounts: [{ id: tracked.account.id }], media, external_id: "order-7" };
    const post = (await api.post("/posts", body)).body.data;
    const deliveryIds = api.enqueuedDeliveries.flatMap((message) => message.deliveryIds);
    const state = async () => (await api.get(`/posts/${post.id}`)).body.data.accounts.states[0];
    const { services, advance } = createTestPublisher(new Date());
    for (let round = 0; round < 20 && (await state()).published_url === null; round++) {
      await publishDue(services, deliveryIds);
      advance(10_000);
    }
    const { published_url } = await state();
    await processRefreshes([await requestRefresh(tracked)]);
    const { posts } = (await api.get("/analytics/summary/posts?range=14d")).body.data;
    const own = posts.filter(({ postId }: { postId: string | null }) => postId !== null);
    expect(own).toMatchObject([{ postId: post.id, externalId: "order-7", caption: "ours", permalink: published_url }]);
    expect(posts).toHaveLength(4);
    // Another scope that tracks the same account does not see the ids.
    const stranger = await createTestTenant();
    await queryRows(sql`update analytics_targets set owner_id = ${stranger.ownerId}, workspace_id = ${stranger.workspaceId}
      where id = ${tracked.targetId} returning id`);
    const seen = (await stranger.api.get("/analytics/summary/posts?range=14d")).body.data.posts;
    expect(seen.map(({ postId, externalId }: Record<string, unknown>) => [postId, externalId])).toEqual(
      new Array(4).fill([null, null]),
    );
  });
});
