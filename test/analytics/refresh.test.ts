// Refreshes over HTTP and through the readers: what they bring home, and what they cost.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publisher.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import { uploadedVideo } from "../files/uploaded.ts";
import { database, mintAccount, mintTenant, publisher, rows } from "../harness.ts";
import {
  asked,
  askedAt,
  callsOf,
  HOUR_MS,
  type Network,
  postsOf,
  refreshed,
  relearn,
  stateOf,
  track,
  tracked,
} from "./reading.ts";

const DAY_MS = 24 * HOUR_MS;

const captions = (username: string, from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => `Post ${from - at} of ${username}`);

describe("what is read", () => {
  test.each<[Network, number, Record<string, number>]>([
    ["tiktok", 45, { "video/list": 3 }],
    ["instagram", 60, { media_list: 3 }],
    ["youtube", 120, { "channels.list": 1, "playlistItems.list": 3, "videos.list": 3 }],
  ])("%s: %i posts, newest first, page by page", async (network, posts, calls) => {
    const one = await tracked(network, { posts });
    const id = await asked(one);
    await refreshed([id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "completed", error: null });
    const stored = await postsOf(one.targetId);
    expect(stored.map(({ caption }) => caption)).toEqual(captions(one.account.username, posts, 1));
    for (const { views, likes, shares, saves, permalink } of stored) {
      expect([views > 0, likes > 0 || views < 100, permalink?.startsWith("https://")]).toEqual([true, true, true]);
      // YouTube tells neither shares nor saves, TikTok no saves.
      if (network === "youtube") expect([shares, saves]).toEqual([0, 0]);
      if (network === "tiktok") expect(saves).toBe(0);
    }
    const kinds = new Set(stored.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(network === "instagram" ? ["video", "image", "carousel"] : ["video"]));
    expect(await callsOf(one.account)).toEqual(calls);
    const { kpis } = (await one.tenant.api.get("/analytics/summary?range=all")).body.data;
    expect(kpis.views.value).toBe(stored.reduce((sum, { views }) => sum + views, 0));
    expect(kpis.publishedVideos.value).toBe(posts);
    const { target } = (await one.tenant.api.get(`/analytics/targets/${one.targetId}`)).body.data;
    expect(target.last_refreshed_at).toBe((await stateOf(one, id)).completed_at);
  });

  test("instagram: media of the time before the account was a professional one come without insights", async () => {
    const one = await tracked("instagram", { posts: 30, unmeasured: 3 });
    const id = await asked(one);
    await refreshed([id]);
    const stored = await postsOf(one.targetId);
    expect(stored.map(({ views }) => views > 0)).toEqual([...new Array(27).fill(true), false, false, false]);
    expect(stored.at(-1)?.likes).toBeGreaterThan(0);
    // The page of 25 in one call; the last five refused as a page, read bare, and measured one by one.
    expect(await callsOf(one.account)).toEqual({ media_list: 3, insights: 5 });
  });

  test("no more posts than the policy wants, and no page more than they need", async () => {
    const one = await tracked("tiktok");
    await one.tenant.api.patch(`/analytics/targets/${one.targetId}`, { refreshPolicy: { maxPosts: 25 } });
    const id = await asked(one);
    await refreshed([id]);
    const stored = await postsOf(one.targetId);
    expect(stored.map(({ caption }) => caption)).toEqual(captions(one.account.username, 45, 21));
    expect(await callsOf(one.account)).toEqual({ "video/list": 2 });
  });

  test("an account without posts is read and completed", async () => {
    for (const network of ["tiktok", "instagram", "youtube"] as const) {
      const one = await tracked(network, { posts: 0 });
      const id = await asked(one);
      await refreshed([id]);
      expect(await stateOf(one, id)).toMatchObject({ status: "completed" });
    }
  });

  test("any public channel of YouTube is read through any connected account", async () => {
    const star = await mintAccount(await mintTenant(), "youtube", { facts: { posts: 3 } });
    const tenant = await mintTenant();
    await mintAccount(tenant, "youtube", { facts: { posts: 9 } });
    const one = { tenant, targetId: await track(tenant.api, "youtube", `https://www.youtube.com/@${star.username}`) };
    const id = await asked(one);
    await refreshed([id]);
    expect((await postsOf(one.targetId)).map(({ caption }) => caption)).toEqual(captions(star.username, 3, 1));
  });

  test("a later day adds a snapshot of its own and leaves the earlier one as it was", async () => {
    const one = await tracked("tiktok", { posts: 10 });
    const first = await asked(one);
    await refreshed([first]);
    const snapshotsOf = () =>
      rows<{ day: string; id: string; views: number }>(sql`
        select s.day::text as day, p.platform_post_id as id, s.views::int as views from analytics_snapshots s
        join analytics_posts p on p.id = s.post_id where p.target_id = ${one.targetId} order by s.day, id`);
    const before = await snapshotsOf();
    await relearn(one.account, { facts: { posts: 10, shiftDays: 1 } });
    const tomorrow = new Date(Date.now() + DAY_MS);
    await refreshed([await askedAt(one, tomorrow)], {}, tomorrow);
    const after = await snapshotsOf();
    expect(after.slice(0, before.length)).toEqual(before);
    const [day] = new Set(after.slice(before.length).map((snapshot) => snapshot.day));
    expect(day).toBe(tomorrow.toISOString().slice(0, 10));
    // What the day gained is the difference, post by post, of the two looks.
    const viewsOf = (list: { id: string; views: number }[]) => new Map(list.map(({ id, views }) => [id, views]));
    const now = viewsOf(after);
    const gained = [...viewsOf(before)].reduce((sum, [id, views]) => sum + (now.get(id) ?? 0) - views, 0);
    const [stored] = await rows<{ views: number }>(sql`
      select views::int as views from analytics_target_days where target_id = ${one.targetId} and day = ${day}::date`);
    expect(gained).toBeGreaterThan(0);
    expect(stored?.views).toBe(gained);
  });

  test("a post of this service is told by its id and external_id", async () => {
    const one = await tracked("tiktok", { posts: 3 });
    const { api } = one.tenant;
    const media = { type: "video", url: await uploadedVideo(api) };
    const body = { caption: "ours", accounts: [{ id: one.account.id }], media, external_id: "order-7" };
    const post = (await api.post("/posts", body)).body.data;
    const deliveryIds = api.nudged.flatMap((message) => message.deliveryIds);
    const state = async () => (await api.get(`/posts/${post.id}`)).body.data.accounts.states[0];
    const { world, pass } = publisher(new Date());
    for (let round = 0; round < 20 && (await state()).published_url === null; round++) {
      await publishDue(world, deliveryIds);
      pass(10_000);
    }
    const { published_url } = await state();
    await refreshed([await asked(one)]);
    const { posts } = (await api.get("/analytics/summary/posts?range=14d")).body.data;
    const own = posts.filter(({ postId }: { postId: string | null }) => postId !== null);
    expect(own).toMatchObject([{ postId: post.id, externalId: "order-7", caption: "ours", permalink: published_url }]);
    expect(posts).toHaveLength(4);
    // Another scope that tracks the same account has not made it.
    const stranger = await mintTenant();
    await rows(sql`update analytics_targets set owner_id = ${stranger.ownerId}, workspace_id = ${stranger.workspaceId}
      where id = ${one.targetId} returning id`);
    const seen = (await stranger.api.get("/analytics/summary/posts?range=14d")).body.data.posts;
    expect(seen.map(({ postId, externalId }: Record<string, unknown>) => [postId, externalId])).toEqual(
      new Array(4).fill([null, null]),
    );
  });
});

describe("POST /analytics/targets/{targetId}/refresh", () => {
  test("202 once a day; 409 analytics_conflict while it runs, 429 rate_limited until midnight UTC after", async () => {
    const one = await tracked("tiktok");
    const { api } = one.tenant;
    const path = `/analytics/targets/${one.targetId}`;
    const first = await api.post(`${path}/refresh`);
    expect([first.status, first.body.message]).toEqual([202, "Refresh accepted."]);
    const { refresh } = first.body.data;
    expect(first.body.data).toEqual({
      refresh: {
        id: expect.any(String),
        target_id: one.targetId,
        status: "pending",
        started_at: null,
        completed_at: null,
        error: null,
      },
      wasFree: true,
    });
    expect(api.refreshed).toEqual([{ refreshIds: [refresh.id], delaySeconds: 0 }]);
    expect((await api.get(`/analytics/refreshes/${refresh.id}`)).body.data).toEqual(first.body.data);
    const running = await api.post(`${path}/refresh`);
    expect([running.status, running.body.error_code]).toEqual([409, "analytics_conflict"]);
    expect((await api.get(path)).body.data.target.free_refresh_available).toBe(false);
    await refreshed([refresh.id]);
    const spent = await api.post(`${path}/refresh`);
    expect([spent.status, spent.body.error_code]).toEqual([429, "rate_limited"]);
    const left = spent.body.retry_after_seconds;
    expect(spent.headers.get("retry-after")).toBe(String(left));
    const end = new Date(Date.now() + left * 1_000 + 500).toISOString();
    expect(end).toMatch(/T00:00:0/);
    // The next day it is free again.
    expect(await askedAt(one, new Date(Date.now() + DAY_MS))).not.toBe(refresh.id);
  });

  test("202, 409 and 429 tell what is left of the target's day", async () => {
    const one = await tracked("tiktok");
    const path = `/analytics/targets/${one.targetId}/refresh`;
    const answers = [await one.tenant.api.post(path), await one.tenant.api.post(path)];
    await refreshed([answers[0]?.body.data.refresh.id]);
    answers.push(await one.tenant.api.post(path));
    expect(answers.map(({ status }) => status)).toEqual([202, 409, 429]);
    for (const { headers } of answers) {
      expect(headers.get("ratelimit-policy")).toBe('"analytics_refreshes";q=1;w=86400');
      expect(headers.get("ratelimit")).toMatch(/^"analytics_refreshes";r=0;t=\d+$/);
    }
  });

  test("409 leaves the new day its free refresh while that of the day before still runs", async () => {
    const one = await tracked("tiktok");
    await askedAt(one, new Date(Date.now() - DAY_MS));
    const running = await one.tenant.api.post(`/analytics/targets/${one.targetId}/refresh`);
    expect([running.status, running.headers.get("ratelimit")]).toEqual([409, expect.stringContaining(";r=1;")]);
  });

  test("202 for one of ten at the same moment, 409 for the others, one charge", async () => {
    const one = await tracked("tiktok");
    const path = `/analytics/targets/${one.targetId}/refresh`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => one.tenant.api.post(path)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...new Array(9).fill(409)]);
    const [count] = await rows<{ n: number }>(
      sql`select count(*)::int as n from analytics_refreshes where target_id = ${one.targetId}`,
    );
    expect(count?.n).toBe(1);
  });

  test("202 the same refresh for a repeat with its key, also when it has ended", async () => {
    const one = await tracked("tiktok");
    const path = `/analytics/targets/${one.targetId}/refresh`;
    const key = { "Idempotency-Key": newId() };
    const first = await one.tenant.api.post(path, undefined, key);
    await refreshed([first.body.data.refresh.id]);
    const again = await one.tenant.api.post(path, undefined, key);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test("202 the same refresh for a repeat that draws the same id, whatever has become of it; one charge", async () => {
    const one = await tracked("tiktok");
    const { ownerId, workspaceId } = one.tenant;
    const scope = { id: workspaceId ?? ownerId, ownerId, workspaceId };
    const now = new Date();
    const request = { id: newId(), targetId: one.targetId, now, deadlineAt: new Date(now.getTime() + HOUR_MS) };
    const first = await refreshes.request(database(), scope, request);
    expect(await refreshes.request(database(), scope, request)).toEqual(first);
    await refreshed([request.id]);
    const ended = await refreshes.request(database(), scope, request);
    expect(ended).toMatchObject({ asked: { id: request.id, status: "completed" } });
    expect(await refreshes.request(database(), scope, { ...request, id: newId() })).toEqual({ refused: "spent" });
  });

  test("429 rate_limited where the policy allows no free refresh", async () => {
    const one = await tracked("tiktok");
    const path = `/analytics/targets/${one.targetId}`;
    await one.tenant.api.patch(path, { refreshPolicy: { freeDailyRefresh: false } });
    const refused = await one.tenant.api.post(`${path}/refresh`);
    expect([refused.status, refused.body.error_code]).toEqual([429, "rate_limited"]);
    expect(refused.body.message).toMatch(/freeDailyRefresh/);
    expect(refused.body.retry_after_seconds).toBeGreaterThan(0);
    await one.tenant.api.patch(path, { refreshPolicy: { freeDailyRefresh: true } });
    expect((await one.tenant.api.post(`${path}/refresh`)).status).toBe(202);
  });
});
