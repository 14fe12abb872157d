// Token refreshes during analytics refreshes, and the cron job of refreshes.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { enqueueDueRefreshes } from "../../functions/cron/refreshes.ts";
import { runRefreshes } from "../../lib/analytics/run-refreshes.ts";
import { claimRefreshes } from "../../lib/queries/analytics-refreshes.ts";
import {
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
} from "../support/harness.ts";
import {
  createTarget,
  createTrackedAccount,
  listReadingScopes,
  processRefreshes,
  readRefreshState,
  readStoredPosts,
  requestRefresh,
  updateNetworkAccount,
} from "./refreshes.ts";

describe("tokens", () => {
  const readToken = async (id: string) =>
    (
      await queryRows<{ token_version: number; lease_token: string | null }>(
        sql`select token_version, lease_token from accounts where id = ${id}`,
      )
    )[0];

  test("a rejected token is refreshed once and stored", async () => {
    const tracked = await createTrackedAccount("tiktok");
    await updateNetworkAccount(tracked.account, { facts: { posts: 45 }, expired: true });
    const id = await requestRefresh(tracked);
    await processRefreshes([id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed" });
    expect(await readToken(tracked.account.id)).toEqual({ token_version: 1, lease_token: null });
  });

  test("a token that expires soon is refreshed before its use", async () => {
    const tenant = await createTestTenant();
    const tokenExpiresAt = new Date(Date.now() + 60_000);
    const account = await createTestAccount(tenant, "instagram", { facts: { posts: 3 }, tokenExpiresAt });
    const tracked = { tenant, targetId: await createTarget(tenant.api, "instagram", account.username) };
    await processRefreshes([await requestRefresh(tracked)]);
    expect(await readStoredPosts(tracked.targetId)).toHaveLength(3);
    expect(await readToken(account.id)).toEqual({ token_version: 1, lease_token: null });
  });

  test("the refresh waits while a publisher holds the lease of the account", async () => {
    const tracked = await createTrackedAccount("tiktok");
    await updateNetworkAccount(tracked.account, { facts: { posts: 45 }, expired: true });
    const otherLease = newId();
    await queryRows(sql`update accounts set lease_token = ${otherLease}, lease_until = now() + interval '30 seconds'
      where id = ${tracked.account.id} returning id`);
    const id = await requestRefresh(tracked);
    const { services, advance } = await processRefreshes([id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({
      status: "pending",
      error: expect.stringMatching(/^Another operation uses this account/),
    });
    expect(await readToken(tracked.account.id)).toEqual({ token_version: 0, lease_token: otherLease });
    advance(60_000);
    await runRefreshes(services, [id]);
    expect(await readRefreshState(tracked, id)).toMatchObject({ status: "completed" });
  });

  test("a token that was refreshed concurrently is used, not refreshed again", async () => {
    const tenant = await createTestTenant();
    const scopes = listReadingScopes("tiktok");
    const account = await createTestAccount(tenant, "tiktok", { facts: { posts: 45 }, scopes });
    const ids: string[] = [];
    for (const name of [account.username, account.externalId]) {
      ids.push(await requestRefresh({ tenant, targetId: await createTarget(tenant.api, "tiktok", name) }));
    }
    await updateNetworkAccount(account, { facts: { posts: 45 }, expired: true });
    const { services, advance } = await processRefreshes(ids);
    advance(60_000);
    await runRefreshes(services, ids);
    for (const id of ids) expect(await readRefreshState({ tenant }, id)).toMatchObject({ status: "completed" });
    expect(await readToken(account.id)).toEqual({ token_version: 1, lease_token: null });
  });
});

test("cron enqueues lost and abandoned refreshes, and purges deleted targets", async () => {
  const lost = await createTrackedAccount("tiktok");
  const held = await createTrackedAccount("tiktok");
  const [lostId, heldId] = [await requestRefresh(lost), await requestRefresh(held)];
  const minute = 60_000;
  const crashed = { now: new Date(), leaseUntil: new Date(Date.now() + minute), leaseToken: newId(), limit: 1 };
  expect(await claimRefreshes(openTestDatabase(), { ...crashed, ids: [heldId] })).toHaveLength(1);
  const listEnqueued = async (at: Date) => {
    const { services, enqueuedRefreshes: messages } = createTestPublisher(at);
    await enqueueDueRefreshes(services);
    return messages.flatMap(({ refreshIds }) => refreshIds);
  };
  const early = await listEnqueued(new Date());
  expect([early.includes(lostId), early.includes(heldId)]).toEqual([true, false]);
  const late = await listEnqueued(new Date(Date.now() + 2 * minute));
  expect([late.includes(lostId), late.includes(heldId)]).toEqual([true, true]);

  await processRefreshes([lostId]);
  await lost.tenant.api.delete(`/analytics/targets/${lost.targetId}`);
  await listEnqueued(new Date());
  expect(await readStoredPosts(lost.targetId)).toEqual([]);
  const remaining = await queryRows(sql`select id from analytics_targets where id = ${lost.targetId}
    union all select id from analytics_refreshes where target_id = ${lost.targetId}
    union all select target_id from analytics_target_days where target_id = ${lost.targetId}`);
  expect(remaining).toEqual([]);
});
