// Refreshes requested over HTTP: one a day, and its quota.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { insertRefreshRequest } from "../../lib/queries/analytics-refresh-requests.ts";
import { DAY_MS, HOUR_MS } from "../../lib/shared/durations.ts";
import { openTestDatabase, queryRows } from "../support/harness.ts";
import { createTrackedAccount, processRefreshes, requestRefreshAt } from "./refreshes.ts";

describe("POST /analytics/targets/{targetId}/refresh", () => {
  test("202 once a day, 409 analytics_conflict while it runs, 429 rate_limited until midnight UTC", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const { api } = tracked.tenant;
    const path = `/analytics/targets/${tracked.targetId}`;
    const first = await api.post(`${path}/refresh`);
    expect([first.status, first.body.message]).toEqual([202, "Refresh accepted."]);
    const { refresh } = first.body.data;
    expect(first.body.data).toEqual({ ...refresh, refresh, wasFree: true });
    expect(refresh).toEqual({
      id: expect.any(String),
      target_id: tracked.targetId,
      workspace_id: tracked.tenant.workspaceId,
      status: "pending",
      started_at: null,
      completed_at: null,
      error: null,
      free_refresh_used: true,
      credits_used: null,
    });
    expect(api.enqueuedRefreshes).toEqual([{ refreshIds: [refresh.id], delaySeconds: 0 }]);
    expect((await api.get(`/analytics/refreshes/${refresh.id}`)).body.data).toEqual(first.body.data);
    const running = await api.post(`${path}/refresh`);
    expect([running.status, running.body.error_code]).toEqual([409, "analytics_conflict"]);
    expect((await api.get(path)).body.data.target.free_refresh_available).toBe(false);
    await processRefreshes([refresh.id]);
    const spent = await api.post(`${path}/refresh`);
    expect([spent.status, spent.body.error_code]).toEqual([429, "rate_limited"]);
    const retryAfter = spent.body.retry_after_seconds;
    expect(spent.headers.get("retry-after")).toBe(String(retryAfter));
    const end = new Date(Date.now() + retryAfter * 1_000 + 500).toISOString();
    expect(end).toMatch(/T00:00:0/);
    // The next day a refresh is free again.
    expect(await requestRefreshAt(tracked, new Date(Date.now() + DAY_MS))).not.toBe(refresh.id);
  });

  test("202, 409 and 429 report the remaining daily quota", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const path = `/analytics/targets/${tracked.targetId}/refresh`;
    const responses = [await tracked.tenant.api.post(path), await tracked.tenant.api.post(path)];
    await processRefreshes([responses[0]?.body.data.refresh.id]);
    responses.push(await tracked.tenant.api.post(path));
    expect(responses.map(({ status }) => status)).toEqual([202, 409, 429]);
    for (const { headers } of responses) {
      expect(headers.get("ratelimit-policy")).toBe('"analytics_refreshes";q=1;w=86400');
      expect(headers.get("ratelimit")).toMatch(/^"analytics_refreshes";r=0;t=\d+$/);
    }
  });

  test("409 keeps the free refresh of the new day while yesterday's refresh runs", async () => {
    const tracked = await createTrackedAccount("tiktok");
    await requestRefreshAt(tracked, new Date(Date.now() - DAY_MS));
    const running = await tracked.tenant.api.post(`/analytics/targets/${tracked.targetId}/refresh`);
    expect([running.status, running.headers.get("ratelimit")]).toEqual([409, expect.stringContaining(";r=1;")]);
  });

  test("202 for one of ten concurrent requests, 409 for the others", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const path = `/analytics/targets/${tracked.targetId}/refresh`;
    const responses = await Promise.all(Array.from({ length: 10 }, () => tracked.tenant.api.post(path)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([202, ...new Array(9).fill(409)]);
    const [count] = await queryRows<{ n: number }>(
      sql`select count(*)::int as n from analytics_refreshes where target_id = ${tracked.targetId}`,
    );
    expect(count?.n).toBe(1);
  });

  test("202 returns the same refresh for the same Idempotency-Key, also after it has ended", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const path = `/analytics/targets/${tracked.targetId}/refresh`;
    const key = { "Idempotency-Key": newId() };
    const first = await tracked.tenant.api.post(path, undefined, key);
    await processRefreshes([first.body.data.refresh.id]);
    const again = await tracked.tenant.api.post(path, undefined, key);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test("202 returns the same refresh for a retry with the same id, and consumes the quota once", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const { ownerId, workspaceId } = tracked.tenant;
    const scope = { id: workspaceId ?? ownerId, ownerId, workspaceId };
    const now = new Date();
    const request = { id: newId(), targetId: tracked.targetId, now, deadlineAt: new Date(now.getTime() + HOUR_MS) };
    const first = await insertRefreshRequest(openTestDatabase(), scope, request);
    expect(await insertRefreshRequest(openTestDatabase(), scope, request)).toEqual(first);
    await processRefreshes([request.id]);
    const ended = await insertRefreshRequest(openTestDatabase(), scope, request);
    expect(ended).toMatchObject({ requested: { id: request.id, status: "completed" } });
    expect(await insertRefreshRequest(openTestDatabase(), scope, { ...request, id: newId() })).toEqual({
      rejected: "used",
    });
  });

  test("429 rate_limited when the policy allows no free refresh", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const path = `/analytics/targets/${tracked.targetId}`;
    await tracked.tenant.api.patch(path, { refreshPolicy: { freeDailyRefresh: false } });
    const rejected = await tracked.tenant.api.post(`${path}/refresh`);
    expect([rejected.status, rejected.body.error_code]).toEqual([429, "rate_limited"]);
    expect(rejected.body.message).toMatch(/freeDailyRefresh/);
    expect(rejected.body.retry_after_seconds).toBeGreaterThan(0);
    await tracked.tenant.api.patch(path, { refreshPolicy: { freeDailyRefresh: true } });
    expect((await tracked.tenant.api.post(`${path}/refresh`)).status).toBe(202);
  });
});
