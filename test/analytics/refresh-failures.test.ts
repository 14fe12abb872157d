// Refreshes that fail or are delayed: outcome, retry time and message.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { runRefreshes } from "../../lib/analytics/run-refreshes.ts";
import { claimRefreshes } from "../../lib/queries/analytics-refreshes.ts";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import {
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
} from "../support/harness.ts";
import {
  countNetworkCalls,
  createTarget,
  createTrackedAccount,
  type Network,
  processRefreshes,
  readRefreshState,
  readStoredPosts,
  requestRefresh,
  requestRefreshAt,
  type TrackedAccount,
  updateNetworkAccount,
} from "./refreshes.ts";

describe("failed refreshes", () => {
  const expectFailure = async (tracked: Pick<TrackedAccount, "tenant" | "targetId">) => {
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    const { status, error, completed_at } = await readRefreshState(tracked, id);
    expect([status, completed_at !== null]).toEqual(["failed", true]);
    return error;
  };

  test.each<[Network, RegExp]>([
    ["tiktok", /TikTok allows only the account itself to read the posts of @unknown.*Connect it/],
    ["instagram", /Instagram allows only the account itself to read the posts of @unknown.*Connect it/],
    ["youtube", /requires a connected YouTube account/],
  ])("%s has no connected account that can read the target", async (network, reason) => {
    const tenant = await createTestTenant();
    if (network !== "youtube") await createTestAccount(tenant, network);
    expect(await expectFailure({ tenant, targetId: await createTarget(tenant.api, network, "@unknown") })).toMatch(
      reason,
    );
  });

  test("the account is disconnected or hosted", async () => {
    const disconnected = await createTrackedAccount("instagram");
    await queryRows(
      sql`update accounts set status = 'disconnected' where id = ${disconnected.account.id} returning id`,
    );
    expect(await expectFailure(disconnected)).toMatch(/is disconnected\. Connect it again/);
    const tenant = await createTestTenant();
    const hosted = await createTestAccount(tenant, "tiktok", { type: "hosted" });
    const targetId = await createTarget(tenant.api, "tiktok", hosted.username);
    expect(await expectFailure({ tenant, targetId })).toMatch(/Metrics of hosted accounts cannot be read/);
  });

  test("the YouTube channel does not exist", async () => {
    const tenant = await createTestTenant();
    await createTestAccount(tenant, "youtube");
    const targetId = await createTarget(tenant.api, "youtube", "@no-such-channel");
    expect(await expectFailure({ tenant, targetId })).toMatch(/YouTube has no account @no-such-channel/);
  });

  test.each<Network>(["tiktok", "instagram", "youtube"])(
    "%s: the account has not granted read access",
    async (network) => {
      const tracked = await createTrackedAccount(network, { posts: 3, noReading: true });
      expect(await expectFailure(tracked)).toMatch(/does not let us read the posts of .* allow reading/);
      const [account] = await queryRows<{ status: string }>(
        sql`select status from accounts where id = ${tracked.account.id}`,
      );
      expect(account?.status).toBe("active");
    },
  );

  test("tiktok: an app without the Display API publishes, and analytics says what is missing", async () => {
    const tenant = await createTestTenant();
    const { id, username } = await createTestAccount(tenant, "tiktok", { facts: { posts: 3 } });
    const targetId = await createTarget(tenant.api, "tiktok", username);
    expect(await expectFailure({ tenant, targetId })).toMatch(
      /TikTok does not let us read .*scope_not_authorized.* publishing needs no such permission.* video\.list/,
    );
    const [account] = await queryRows<{ status: string }>(sql`select status from accounts where id = ${id}`);
    expect(account?.status).toBe("active");
  });

  test("the network rejects the token and its refresh", async () => {
    const tracked = await createTrackedAccount("tiktok");
    await updateNetworkAccount(tracked.account, { expired: true });
    await callControl("POST", "/_behave", {
      network: "tiktok",
      account: tracked.account.externalId,
      answer: "refuse",
      call: "oauth/token",
    });
    expect(await expectFailure(tracked)).toMatch(/rejected the account's token .* Reconnect the account/);
  });

  test("the network does not respond eight times", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const id = await requestRefresh(tracked);
    const silent = (async () => Promise.reject(new TypeError("fetch failed"))) as typeof fetch;
    const { services, advance, enqueuedRefreshes: messages } = createTestPublisher(new Date(), { fetch: silent });
    for (let round = 1; round < 8; round++) {
      await runRefreshes(services, [id]);
      expect(await readRefreshState(tracked, id)).toMatchObject({
        status: "pending",
        error: expect.stringMatching(/did not respond/),
      });
      advance(HOUR_MS / 2);
    }
    // Each retry is a delayed message; cron enqueues what a lost message named.
    expect(messages).toHaveLength(7);
    expect(messages[0]?.delaySeconds).toBeGreaterThanOrEqual(15);
    await runRefreshes(services, [id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/did not respond/),
    });
  });

  test("a failed refresh does not consume the daily refresh", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const { api } = tracked.tenant;
    const available = async () => (await api.get(`/analytics/targets/${tracked.targetId}`)).body.data.target;
    const id = await requestRefresh(tracked);
    expect(await available()).toMatchObject({ free_refresh_available: false });
    await processRefreshes([id], {}, new Date(Date.now() + 7 * HOUR_MS));
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "failed" });
    expect(await available()).toMatchObject({ free_refresh_available: true });
    const again = await requestRefresh(tracked);
    await processRefreshes([again]);
    expect(await readRefreshState(tracked, again)).toMatchObject({ status: "completed" });
    expect((await api.post(`/analytics/targets/${tracked.targetId}/refresh`)).status).toBe(429);
  });

  test("five invocations ended while they read it", async () => {
    const [poison, unlucky] = [await createTrackedAccount("tiktok"), await createTrackedAccount("tiktok")];
    const [poisonId, unluckyId] = [await requestRefresh(poison), await requestRefresh(unlucky)];
    // An invocation that ends leaves nothing but its claim, and later the end of its lease.
    const claim = async (id: string) => {
      const ended = new Date(Date.now() - 1_000);
      const request = { ids: [id], now: new Date(), leaseUntil: ended, leaseToken: newId(), limit: 1 };
      expect(await claimRefreshes(openTestDatabase(), request)).toHaveLength(1);
    };
    for (let round = 1; round <= 4; round++) for (const id of [poisonId, unluckyId]) await claim(id);
    await claim(poisonId);
    await processRefreshes([poisonId, unluckyId]);
    expect(await readRefreshState(unlucky, unluckyId)).toMatchObject({ status: "completed", error: null });
    expect(await readRefreshState(poison, poisonId)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/was interrupted several times/),
    });
    expect(await countNetworkCalls(poison.account)).toEqual({});
  });

  test("the deadline of six hours has passed", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const id = await requestRefresh(tracked);
    await processRefreshes([id], {}, new Date(Date.now() + 7 * HOUR_MS));
    expect(await readRefreshState(tracked, id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/did not finish in time/),
    });
  });
});

describe("rate limits of networks", () => {
  test("a rate-limited refresh resumes later from the page where it stopped", async () => {
    const tracked = await createTrackedAccount("tiktok", { posts: 45, readsAtMost: 2 });
    const id = await requestRefresh(tracked);
    const { services, advance } = await processRefreshes([id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({
      status: "pending",
      completed_at: null,
      error: expect.stringMatching(/TikTok is rate limiting requests until .* \(http_429\)\. The next attempt is at /),
    });
    expect(await readStoredPosts(tracked.targetId)).toHaveLength(40);
    await updateNetworkAccount(tracked.account, { facts: { posts: 45 } });
    await runRefreshes(services, [id]);
    expect(await countNetworkCalls(tracked.account)).toEqual({ "video/list": 3 });
    advance(61_000);
    await runRefreshes(services, [id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed", error: null });
    expect(await readStoredPosts(tracked.targetId)).toHaveLength(45);
    expect(await countNetworkCalls(tracked.account)).toEqual({ "video/list": 4 });
  });

  test.each([
    [
      "2026-03-01T05:00:00.000Z",
      { status: "pending", error: expect.stringMatching(/until 2026-03-01T08:00.*next attempt/) },
    ],
    [
      "2026-03-01T12:00:00.000Z",
      { status: "failed", error: expect.stringMatching(/2026-03-02T08:00.*after the deadline/) },
    ],
  ])("YouTube's quota resets at midnight Pacific time: exhausted at %s", async (at, state) => {
    const now = new Date(at);
    const tracked = await createTrackedAccount("youtube", { posts: 5, readsAtMost: 1 });
    const id = await requestRefreshAt(tracked, now);
    await processRefreshes([id], {}, now);
    expect(await readRefreshState(tracked, id)).toMatchObject(state);
  });

  test("Instagram reports its rate limit with status 400", async () => {
    const tracked = await createTrackedAccount("instagram", { posts: 5, readsAtMost: 0 });
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({
      status: "pending",
      error: expect.stringMatching(/\(ig_80002\)/),
    });
  });

  test("an expired cursor restarts at the first page", async () => {
    const tracked = await createTrackedAccount("instagram", { posts: 30 });
    const id = await requestRefresh(tracked);
    await queryRows(sql`update analytics_refreshes set cursor = 'gone', posts_seen = 25 where id = ${id} returning id`);
    await processRefreshes([id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed" });
    expect(await readStoredPosts(tracked.targetId)).toHaveLength(30);
  });

  test("an account with many pages is read by several invocations", async () => {
    const tracked = await createTrackedAccount("tiktok", { posts: 600 });
    await tracked.tenant.api.patch(`/analytics/targets/${tracked.targetId}`, { refreshPolicy: { maxPosts: 600 } });
    const id = await requestRefresh(tracked);
    const { services, enqueuedRefreshes: messages } = createTestPublisher(new Date());
    await runRefreshes(services, [id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "processing", error: null });
    expect(await readStoredPosts(tracked.targetId)).toHaveLength(500);
    expect(messages).toEqual([{ refreshIds: [id], delaySeconds: 0 }]);
    await runRefreshes(services, [id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed" });
    expect(await countNetworkCalls(tracked.account)).toEqual({ "video/list": 30 });
  });
});
