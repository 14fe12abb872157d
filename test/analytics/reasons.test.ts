// Refreshes that can not be made, or not now: how they end, when they are tried again, and in what words.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { refreshDue } from "../../lib/analytics/refresher.ts";
import { lever, mintAccount, mintTenant, publisher, rows } from "../harness.ts";
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
  type Tracked,
  track,
  tracked,
} from "./reading.ts";

describe("a refresh that can not be made ends failed with its reason", () => {
  const failedWith = async (one: Pick<Tracked, "tenant" | "targetId">) => {
    const id = await asked(one);
    await refreshed([id]);
    const { status, error, completed_at } = await stateOf(one, id);
    expect([status, completed_at !== null]).toEqual(["failed", true]);
    return error;
  };

  test.each<[Network, RegExp]>([
    ["tiktok", /TikTok shows the posts of @nobody to that account only.*Connect it/],
    ["instagram", /Instagram shows the posts of @nobody to that account only.*Connect it/],
    ["youtube", /No YouTube account is connected/],
  ])("%s without a connected account that could read it", async (network, reason) => {
    const tenant = await mintTenant();
    if (network !== "youtube") await mintAccount(tenant, network);
    expect(await failedWith({ tenant, targetId: await track(tenant.api, network, "@nobody") })).toMatch(reason);
  });

  test("the account is disconnected, or hosted", async () => {
    const cut = await tracked("instagram");
    await rows(sql`update accounts set status = 'disconnected' where id = ${cut.account.id} returning id`);
    expect(await failedWith(cut)).toMatch(/is disconnected\. Connect it again/);
    const tenant = await mintTenant();
    const hosted = await mintAccount(tenant, "tiktok", { type: "hosted" });
    const targetId = await track(tenant.api, "tiktok", hosted.username);
    expect(await failedWith({ tenant, targetId })).toMatch(/is a hosted account/);
  });

  test("YouTube knows no such channel", async () => {
    const tenant = await mintTenant();
    await mintAccount(tenant, "youtube");
    const targetId = await track(tenant.api, "youtube", "@no-such-channel");
    expect(await failedWith({ tenant, targetId })).toMatch(/YouTube knows no account @no-such-channel/);
  });

  test.each<Network>(["tiktok", "instagram", "youtube"])("%s: the account has not granted reading", async (network) => {
    const one = await tracked(network, { posts: 3, noReading: true });
    expect(await failedWith(one)).toMatch(/does not show the posts of .* allow reading/);
    const [account] = await rows<{ status: string }>(sql`select status from accounts where id = ${one.account.id}`);
    expect(account?.status).toBe("active");
  });

  test("the network takes neither the token nor its refresh", async () => {
    const one = await tracked("tiktok");
    await relearn(one.account, { expired: true });
    await lever("POST", "/_behave", {
      network: "tiktok",
      account: one.account.externalId,
      answer: "refuse",
      call: "oauth/token",
    });
    expect(await failedWith(one)).toMatch(/no longer accepts the account's sign-in/);
  });

  test("silence, eight times", async () => {
    const one = await tracked("tiktok");
    const id = await asked(one);
    const silent = (async () => Promise.reject(new TypeError("fetch failed"))) as typeof fetch;
    const { world, pass, refreshed: messages } = publisher(new Date(), { fetch: silent });
    for (let round = 1; round < 8; round++) {
      await refreshDue(world, [id]);
      expect(await stateOf(one, id)).toMatchObject({
        status: "pending",
        error: expect.stringMatching(/did not answer/),
      });
      pass(HOUR_MS / 2);
    }
    // The queue brings the first tries back by itself, the later ones are left to cron.
    expect(messages[0]?.delaySeconds).toBeGreaterThanOrEqual(15);
    expect(messages.length).toBeLessThan(7);
    await refreshDue(world, [id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "failed", error: expect.stringMatching(/did not answer/) });
  });

  test("a refresh that failed does not count: the target may be refreshed again the same day, once", async () => {
    const one = await tracked("tiktok");
    const { api } = one.tenant;
    const available = async () => (await api.get(`/analytics/targets/${one.targetId}`)).body.data.target;
    const id = await asked(one);
    expect(await available()).toMatchObject({ free_refresh_available: false });
    await refreshed([id], {}, new Date(Date.now() + 7 * HOUR_MS));
    expect(await stateOf(one, id)).toMatchObject({ status: "failed" });
    expect(await available()).toMatchObject({ free_refresh_available: true });
    const again = await asked(one);
    await refreshed([again]);
    expect(await stateOf(one, again)).toMatchObject({ status: "completed" });
    expect((await api.post(`/analytics/targets/${one.targetId}/refresh`)).status).toBe(429);
  });

  test("six hours are over", async () => {
    const one = await tracked("tiktok");
    const id = await asked(one);
    await refreshed([id], {}, new Date(Date.now() + 7 * HOUR_MS));
    expect(await stateOf(one, id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/not done in time/),
    });
  });
});

describe("quotas", () => {
  test("a network that asks for patience is asked again later, from the page where it stopped", async () => {
    const one = await tracked("tiktok", { posts: 45, readsAtMost: 2 });
    const id = await asked(one);
    const { world, pass } = await refreshed([id]);
    expect(await stateOf(one, id)).toMatchObject({
      status: "pending",
      completed_at: null,
      error: expect.stringMatching(/TikTok takes no more questions before .* \(http_429\)\. We ask again/),
    });
    expect(await postsOf(one.targetId)).toHaveLength(40);
    await relearn(one.account, { facts: { posts: 45 } });
    await refreshDue(world, [id]);
    expect(await callsOf(one.account)).toEqual({ "video/list": 3 });
    pass(61_000);
    await refreshDue(world, [id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "completed", error: null });
    expect(await postsOf(one.targetId)).toHaveLength(45);
    expect(await callsOf(one.account)).toEqual({ "video/list": 4 });
  });

  test.each([
    ["2026-03-01T05:00:00.000Z", { status: "pending", error: expect.stringMatching(/before 2026-03-01T08:00.*again/) }],
    ["2026-03-01T12:00:00.000Z", { status: "failed", error: expect.stringMatching(/2026-03-02T08:00.*too late/) }],
  ])("YouTube's quota begins anew at midnight Pacific: spent at %s", async (at, state) => {
    const now = new Date(at);
    const one = await tracked("youtube", { posts: 5, readsAtMost: 1 });
    const id = await askedAt(one, now);
    await refreshed([id], {}, now);
    expect(await stateOf(one, id)).toMatchObject(state);
  });

  test("Instagram tells its limit as a bad request", async () => {
    const one = await tracked("instagram", { posts: 5, readsAtMost: 0 });
    const id = await asked(one);
    await refreshed([id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "pending", error: expect.stringMatching(/\(ig_80002\)/) });
  });

  test("a cursor that has lost its meaning begins the account anew", async () => {
    const one = await tracked("instagram", { posts: 30 });
    const id = await asked(one);
    await rows(sql`update analytics_refreshes set cursor = 'gone', posts_seen = 25 where id = ${id} returning id`);
    await refreshed([id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "completed" });
    expect(await postsOf(one.targetId)).toHaveLength(30);
  });

  test("an account of many pages is read by several invocations, one after another", async () => {
    const one = await tracked("tiktok", { posts: 600 });
    await one.tenant.api.patch(`/analytics/targets/${one.targetId}`, { refreshPolicy: { maxPosts: 600 } });
    const id = await asked(one);
    const { world, refreshed: messages } = publisher(new Date());
    await refreshDue(world, [id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "processing", error: null });
    expect(await postsOf(one.targetId)).toHaveLength(500);
    expect(messages).toEqual([{ refreshIds: [id], delaySeconds: 0 }]);
    await refreshDue(world, [id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "completed" });
    expect(await callsOf(one.account)).toEqual({ "video/list": 30 });
  });
});
