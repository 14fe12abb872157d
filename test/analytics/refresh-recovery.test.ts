// A refresh that crashes at any step, hangs or is delivered twice leaves the same rows as an undisturbed one.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { enqueueDueRefreshes } from "../../functions/cron/refreshes.ts";
import { runRefreshes } from "../../lib/analytics/run-refreshes.ts";
import { LEASE_MS } from "../../lib/analytics/timing.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import { createTestAccount, createTestPublisher, createTestTenant, queryRows } from "../support/harness.ts";
import { createTarget, readStoredRows, requestRefresh } from "./refreshes.ts";

const POSTS = 45;
const PAGE = 20;

/** A fake TikTok with constant metrics, so that runs can be compared: three pages, and token refreshes. */
async function fakeNetwork(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
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

/** A target of a new tenant with a pending refresh. */
async function createPendingRefresh(soonExpired: boolean) {
  const tenant = await createTestTenant();
  const expiry = soonExpired ? { tokenExpiresAt: new Date(Date.now() + MINUTE_MS) } : {};
  const account = await createTestAccount(tenant, "tiktok", expiry);
  const targetId = await createTarget(tenant.api, "tiktok", account.username);
  return { tenant, targetId, refreshId: await requestRefresh({ tenant, targetId }) };
}

/**
 * Runs a refresh whose calls to the database and the network fail from call `crashAt` on: before the call is sent, or
 * after it took effect but before its response arrives. Returns the number of calls.
 */
async function runCrashing(refreshId: string, crashAt: number, when: "before" | "after"): Promise<number> {
  let calls = 0;
  const countCall = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    calls += 1;
    if (calls > crashAt || (calls === crashAt && when === "before")) throw new Error("crashed");
    const result = await call();
    if (calls >= crashAt) throw new Error("crashed");
    return result;
  };
  const { services } = createTestPublisher(new Date(), {
    fetch: ((input, init) => countCall(() => fakeNetwork(input as string, init))) as typeof fetch,
    log: () => undefined,
  });
  const originalFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const own = new Headers(init?.headers).get("x-request-id") === services.requestId;
    return own ? countCall(() => originalFetch(input, init)) : originalFetch(input, init);
  };
  try {
    await withFastPauses(() => runRefreshes(services, [refreshId])).catch(() => undefined);
  } finally {
    globalThis.fetch = originalFetch;
  }
  return calls;
}

/** Runs what cron enqueues after the lease of the crashed run has expired. */
async function recoverRefresh(refreshId: string): Promise<void> {
  const { services, enqueuedRefreshes } = createTestPublisher(new Date(Date.now() + LEASE_MS + MINUTE_MS), {
    fetch: fakeNetwork as typeof fetch,
  });
  await enqueueDueRefreshes(services);
  const enqueued = enqueuedRefreshes.flatMap(({ refreshIds }) => refreshIds);
  // Cron does not enqueue a refresh that the crashed run had completed.
  if (enqueued.includes(refreshId)) await runRefreshes(services, [refreshId]);
}

/** The rows that a run leaves, without the day of the snapshots, which may change at midnight. */
async function readStoredState(targetId: string) {
  const state = await readStoredRows(targetId);
  const [quota] = await queryRows<{ consumed: boolean; refreshed: boolean }>(sql`
    select free_refreshed_on is not null as consumed, last_refreshed_at is not null as refreshed
    from analytics_targets where id = ${targetId}`);
  return { ...state, snapshots: state.snapshots.map((one) => ({ ...(one as object), day: null })), quota };
}

for (const soonExpired of [false, true]) {
  const runUndisturbed = async () => {
    const { targetId, refreshId } = await createPendingRefresh(soonExpired);
    const calls = await runCrashing(refreshId, Number.POSITIVE_INFINITY, "before");
    return { state: await readStoredState(targetId), calls };
  };

  test(`a crash at any call${soonExpired ? ", also of a token refresh" : ""} is recovered by cron: same rows, quota consumed once`, async () => {
    const undisturbed = await runUndisturbed();
    expect(undisturbed.state.posts).toHaveLength(POSTS);
    expect(undisturbed.state.snapshots).toHaveLength(POSTS);
    expect(undisturbed.state.refreshes).toEqual([
      { status: "completed", was_free: true, posts_seen: POSTS, error: null, next_attempt_at: null, lease_token: null },
    ]);
    expect(undisturbed.state.quota).toEqual({ consumed: true, refreshed: true });
    // The claim, three pages read and written, and four steps of a token refresh.
    expect(undisturbed.calls).toBe(soonExpired ? 11 : 7);
    for (let call = 1; call <= undisturbed.calls; call++) {
      for (const when of ["before", "after"] as const) {
        const { tenant, targetId, refreshId } = await createPendingRefresh(soonExpired);
        expect(await runCrashing(refreshId, call, when)).toBeGreaterThanOrEqual(call);
        await recoverRefresh(refreshId);
        expect([call, when, await readStoredState(targetId)]).toEqual([call, when, undisturbed.state]);
        const again = await tenant.api.post(`/analytics/targets/${targetId}/refresh`);
        expect([again.status, again.body.error_code]).toEqual([429, "rate_limited"]);
      }
    }
  });
}

test("a refresh that is delivered concurrently and again later runs once and consumes the quota once", async () => {
  const { targetId, refreshId } = await createPendingRefresh(false);
  let pages = 0;
  const counting = ((input, init) => {
    pages += 1;
    return fakeNetwork(input as string, init);
  }) as typeof fetch;
  const instances = [0, 1, 2].map(() => createTestPublisher(new Date(), { fetch: counting }).services);
  await Promise.all(instances.map((services) => runRefreshes(services, [refreshId])));
  expect(pages).toBe(3);
  const once = await readStoredState(targetId);
  expect([once.posts.length, once.refreshes.length]).toEqual([POSTS, 1]);
  for (const services of instances) await runRefreshes(services, [refreshId, refreshId]);
  expect(pages).toBe(3);
  expect(await readStoredState(targetId)).toEqual(once);
});

test("a hanging run is replaced when its lease expires, and writes nothing when it resumes", async () => {
  const { targetId, refreshId } = await createPendingRefresh(false);
  let wake = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let calls = 0;
  const hanging = (async (input, init) => {
    calls += 1;
    if (calls === 2) await asleep;
    return fakeNetwork(input as string, init);
  }) as typeof fetch;
  const { services } = createTestPublisher(new Date(), { fetch: hanging });
  const slow = runRefreshes(services, [refreshId]);
  await expect.poll(() => calls).toBe(2);
  await recoverRefresh(refreshId);
  const state = await readStoredState(targetId);
  expect([state.posts.length, state.refreshes]).toEqual([POSTS, [expect.objectContaining({ status: "completed" })]]);
  wake();
  await slow;
  expect(await readStoredState(targetId)).toEqual(state);
});

test("deleting a target during its refresh stops the refresh", async () => {
  const { tenant, targetId, refreshId } = await createPendingRefresh(false);
  let calls = 0;
  const deleting = (async (input, init) => {
    calls += 1;
    if (calls === 2) await tenant.api.delete(`/analytics/targets/${targetId}`);
    return fakeNetwork(input as string, init);
  }) as typeof fetch;
  await runRefreshes(createTestPublisher(new Date(), { fetch: deleting }).services, [refreshId]);
  expect(calls).toBe(2);
  const state = await readStoredRows(targetId);
  expect(state.posts).toHaveLength(PAGE);
  expect(state.refreshes).toMatchObject([
    { status: "failed", error: "The target was deleted.", next_attempt_at: null },
  ]);
});
