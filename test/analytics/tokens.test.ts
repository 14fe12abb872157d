// What refreshes do with the tokens of accounts, and what cron does for refreshes.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { refreshTick } from "../../functions/cron/refresh.ts";
import { refreshDue } from "../../lib/analytics/refresher.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import { database, mintAccount, mintTenant, publisher, rows } from "../harness.ts";
import { asked, postsOf, refreshed, relearn, stateOf, track, tracked } from "./reading.ts";

describe("tokens", () => {
  const tokensOf = async (id: string) =>
    (
      await rows<{ token_version: number; lease_token: string | null }>(
        sql`select token_version, lease_token from accounts where id = ${id}`,
      )
    )[0];

  test("a token that the network no longer takes is traded once, and the new one kept", async () => {
    const one = await tracked("tiktok");
    await relearn(one.account, { facts: { posts: 45 }, expired: true });
    const id = await asked(one);
    await refreshed([id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "completed" });
    expect(await tokensOf(one.account.id)).toEqual({ token_version: 1, lease_token: null });
  });

  test("a token that dies soon is traded before it is used", async () => {
    const tenant = await mintTenant();
    const tokenExpiresAt = new Date(Date.now() + 60_000);
    const account = await mintAccount(tenant, "instagram", { facts: { posts: 3 }, tokenExpiresAt });
    const one = { tenant, targetId: await track(tenant.api, "instagram", account.username) };
    await refreshed([await asked(one)]);
    expect(await postsOf(one.targetId)).toHaveLength(3);
    expect(await tokensOf(account.id)).toEqual({ token_version: 1, lease_token: null });
  });

  test("while a publisher holds the account nothing is traded; the refresh waits for it", async () => {
    const one = await tracked("tiktok");
    await relearn(one.account, { facts: { posts: 45 }, expired: true });
    const thief = newId();
    await rows(sql`update accounts set lease_token = ${thief}, lease_until = now() + interval '30 seconds'
      where id = ${one.account.id} returning id`);
    const id = await asked(one);
    const { world, pass } = await refreshed([id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "pending", error: expect.stringMatching(/published to/) });
    expect(await tokensOf(one.account.id)).toEqual({ token_version: 0, lease_token: thief });
    pass(60_000);
    await refreshDue(world, [id]);
    expect(await stateOf(one, id)).toMatchObject({ status: "completed" });
  });

  test("a token that somebody else traded meanwhile is used, not traded again", async () => {
    const tenant = await mintTenant();
    const account = await mintAccount(tenant, "tiktok", { facts: { posts: 45 } });
    const ids: string[] = [];
    for (const name of [account.username, account.externalId]) {
      ids.push(await asked({ tenant, targetId: await track(tenant.api, "tiktok", name) }));
    }
    await relearn(account, { facts: { posts: 45 }, expired: true });
    const { world, pass } = await refreshed(ids);
    pass(60_000);
    await refreshDue(world, ids);
    for (const id of ids) expect(await stateOf({ tenant }, id)).toMatchObject({ status: "completed" });
    expect(await tokensOf(account.id)).toEqual({ token_version: 1, lease_token: null });
  });
});

test("cron nudges what the queue lost and what a dead refresher held, and takes deleted targets away", async () => {
  const lost = await tracked("tiktok");
  const held = await tracked("tiktok");
  const [lostId, heldId] = [await asked(lost), await asked(held)];
  const minute = 60_000;
  const dead = { now: new Date(), leaseUntil: new Date(Date.now() + minute), leaseToken: newId(), limit: 1 };
  expect(await refreshes.claim(database(), { ...dead, ids: [heldId] })).toHaveLength(1);
  const nudgedAt = async (at: Date) => {
    const { world, refreshed: messages } = publisher(at);
    await refreshTick(world);
    return messages.flatMap(({ refreshIds }) => refreshIds);
  };
  const early = await nudgedAt(new Date());
  expect([early.includes(lostId), early.includes(heldId)]).toEqual([true, false]);
  const late = await nudgedAt(new Date(Date.now() + 2 * minute));
  expect([late.includes(lostId), late.includes(heldId)]).toEqual([true, true]);

  await refreshed([lostId]);
  await lost.tenant.api.delete(`/analytics/targets/${lost.targetId}`);
  await nudgedAt(new Date());
  expect(await postsOf(lost.targetId)).toEqual([]);
  const left = await rows(sql`select id from analytics_targets where id = ${lost.targetId}
    union all select id from analytics_refreshes where target_id = ${lost.targetId}
    union all select target_id from analytics_target_days where target_id = ${lost.targetId}`);
  expect(left).toEqual([]);
});
