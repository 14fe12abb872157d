// A refresher that dies at any step, is replaced while it hangs, or is nudged twice leaves what an undisturbed one leaves.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { refreshTick } from "../../functions/cron/refresh.ts";
import { refreshDue } from "../../lib/analytics/refresher.ts";
import { LEASE_MS } from "../../lib/analytics/timing.ts";
import type { World } from "../../lib/call.ts";
import { database, mintAccount, mintTenant, publisher, rows } from "../harness.ts";
import { asked, leftOf, track } from "./reading.ts";

const POSTS = 45;
const PAGE = 20;
const MINUTE_MS = 60_000;

/** A TikTok whose figures stand still, so that two runs can be compared: three pages, and fresh tokens on demand. */
async function stillNetwork(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(String(input));
  if (url.pathname.endsWith("/oauth/token/")) {
    return Response.json({ access_token: "fresh", refresh_token: "rotated", expires_in: 86_400 });
  }
  const { cursor = 0 } = JSON.parse(String(init.body)) as { cursor?: number };
  const videos = Array.from({ length: Math.min(PAGE, POSTS - cursor) }, (_, at) => {
    const place = cursor + at;
    return {
      id: `7300${place}`,
      create_time: Date.UTC(2026, 1, 1) / 1000 - place * 40_000,
      share_url: `https://www.tiktok.com/@a/video/7300${place}`,
      video_description: `Post ${place}`,
      duration: 10,
      view_count: 1_000 + place,
      like_count: 100 + place,
      comment_count: 10,
      share_count: 5,
    };
  });
  const next = cursor + videos.length;
  return Response.json({ data: { videos, cursor: next, has_more: next < POSTS }, error: { code: "ok" } });
}

/** A target of a fresh tenant and the refresh that it was asked for. */
async function waiting(soonExpired: boolean) {
  const tenant = await mintTenant();
  const expiry = soonExpired ? { tokenExpiresAt: new Date(Date.now() + MINUTE_MS) } : {};
  const account = await mintAccount(tenant, "tiktok", expiry);
  const targetId = await track(tenant.api, "tiktok", account.username);
  return { tenant, targetId, refreshId: await asked({ tenant, targetId }) };
}

type Deadly = { world: World; steps: () => number; pass(ms: number): void };

/** A world that ends with a step: before it is taken, or after it was but before anybody heard of it. */
function mortal(deathAt: number, when: "before" | "after"): Deadly {
  let steps = 0;
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    steps += 1;
    if (steps > deathAt || (steps === deathAt && when === "before")) throw new Error("dead");
    const result = await work();
    if (steps >= deathAt) throw new Error("dead");
    return result;
  };
  const db = database();
  const execute = (statement: Parameters<typeof db.execute>[0]) => step(async () => db.execute(statement));
  const { world, pass } = publisher(new Date(), {
    fetch: ((input, init) => step(() => stillNetwork(input as string, init))) as typeof fetch,
    db: new Proxy(db, { get: (target, name) => (name === "execute" ? execute : Reflect.get(target, name)) }),
    log: () => undefined,
  });
  return { world, steps: () => steps, pass };
}

/** What cron nudges once the lease of the dead has run out, given to a refresher that lives. */
async function afterwards(refreshId: string): Promise<void> {
  const { world, refreshed } = publisher(new Date(Date.now() + LEASE_MS + MINUTE_MS), {
    fetch: stillNetwork as typeof fetch,
  });
  await refreshTick(world);
  const nudged = refreshed.flatMap(({ refreshIds }) => refreshIds);
  // A refresh that was completed by the dead is nobody's business any more.
  if (nudged.includes(refreshId)) await refreshDue(world, [refreshId]);
}

/** What a run leaves; the day of its snapshots is the only thing that may pass meanwhile. */
async function leftAlike(targetId: string) {
  const left = await leftOf(targetId);
  const [charge] = await rows<{ charged: boolean; refreshed: boolean }>(sql`
    select free_refreshed_on is not null as charged, last_refreshed_at is not null as refreshed
    from analytics_targets where id = ${targetId}`);
  return { ...left, snapshots: left.snapshots.map((one) => ({ ...(one as object), day: null })), charge };
}

for (const soonExpired of [false, true]) {
  const clean = async () => {
    const { targetId, refreshId } = await waiting(soonExpired);
    const { world, steps } = mortal(Number.POSITIVE_INFINITY, "before");
    await refreshDue(world, [refreshId]);
    return { left: await leftAlike(targetId), steps: steps() };
  };

  test(`killed at each step${soonExpired ? ", also of trading the token" : ""}, and found by cron: the same rows, one charge`, async () => {
    const undisturbed = await clean();
    expect(undisturbed.left.posts).toHaveLength(POSTS);
    expect(undisturbed.left.snapshots).toHaveLength(POSTS);
    expect(undisturbed.left.refreshes).toEqual([
      { status: "completed", was_free: true, posts_seen: POSTS, error: null, next_attempt_at: null, lease_token: null },
    ]);
    expect(undisturbed.left.charge).toEqual({ charged: true, refreshed: true });
    // The claim, three pages read and written; and four steps that trade a token.
    expect(undisturbed.steps).toBe(soonExpired ? 11 : 7);
    for (let step = 1; step <= undisturbed.steps; step++) {
      for (const when of ["before", "after"] as const) {
        const { tenant, targetId, refreshId } = await waiting(soonExpired);
        const { world, steps } = mortal(step, when);
        await refreshDue(world, [refreshId]).catch(() => undefined);
        expect(steps()).toBeGreaterThanOrEqual(step);
        await afterwards(refreshId);
        expect([step, when, await leftAlike(targetId)]).toEqual([step, when, undisturbed.left]);
        const again = await tenant.api.post(`/analytics/targets/${targetId}/refresh`);
        expect([again.status, again.body.error_code]).toEqual([429, "rate_limited"]);
      }
    }
  }, 60_000);
}

test("delivered twice, at once and again afterwards: read once, the same rows, one charge", async () => {
  const { targetId, refreshId } = await waiting(false);
  let pages = 0;
  const counting = ((input, init) => {
    pages += 1;
    return stillNetwork(input as string, init);
  }) as typeof fetch;
  const worlds = [0, 1, 2].map(() => publisher(new Date(), { fetch: counting }).world);
  await Promise.all(worlds.map((world) => refreshDue(world, [refreshId])));
  expect(pages).toBe(3);
  const once = await leftAlike(targetId);
  expect([once.posts.length, once.refreshes.length]).toEqual([POSTS, 1]);
  for (const world of worlds) await refreshDue(world, [refreshId, refreshId]);
  expect(pages).toBe(3);
  expect(await leftAlike(targetId)).toEqual(once);
});

test("a refresher that hangs is replaced when its lease ends, and writes nothing when it wakes", async () => {
  const { targetId, refreshId } = await waiting(false);
  let wake = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let calls = 0;
  const hanging = (async (input, init) => {
    calls += 1;
    if (calls === 2) await asleep;
    return stillNetwork(input as string, init);
  }) as typeof fetch;
  const { world } = publisher(new Date(), { fetch: hanging });
  const slow = refreshDue(world, [refreshId]);
  await expect.poll(() => calls).toBe(2);
  await afterwards(refreshId);
  const left = await leftAlike(targetId);
  expect([left.posts.length, left.refreshes]).toEqual([POSTS, [expect.objectContaining({ status: "completed" })]]);
  wake();
  await slow;
  expect(await leftAlike(targetId)).toEqual(left);
});

test("a target that is deleted while it is read: the refresher stops, and nothing more of it is written", async () => {
  const { tenant, targetId, refreshId } = await waiting(false);
  let calls = 0;
  const deleting = (async (input, init) => {
    calls += 1;
    if (calls === 2) await tenant.api.delete(`/analytics/targets/${targetId}`);
    return stillNetwork(input as string, init);
  }) as typeof fetch;
  await refreshDue(publisher(new Date(), { fetch: deleting }).world, [refreshId]);
  expect(calls).toBe(2);
  const left = await leftOf(targetId);
  expect(left.posts).toHaveLength(PAGE);
  expect(left.refreshes).toMatchObject([{ status: "failed", error: "The target was deleted.", next_attempt_at: null }]);
});
