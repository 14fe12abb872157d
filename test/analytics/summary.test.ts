// GET /analytics/summary and /summary/posts: query validation, empty results and round trips.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { getSecondsUntilNextDay, resolvePeriod, toUtcDay } from "../../lib/schemas/analytics-period.ts";
import { addDays } from "../../lib/shared/time-zone.ts";
import { createTestTenant, queryRows } from "../support/harness.ts";
import { measureRequest } from "../support/measure-round-trips.ts";
import { createTarget, createTrackedAccount, processRefreshes, requestRefresh } from "./refreshes.ts";

const NOW = new Date("2026-03-02T23:59:59.500Z");

describe("period", () => {
  test.each([
    [{}, "2026-02-01", "2026-03-02", "2026-01-02"],
    [{ range: "14d" }, "2026-02-17", "2026-03-02", "2026-02-03"],
    [{ range: "90d" }, "2025-12-03", "2026-03-02", "2025-09-04"],
    [{ range: "1y" }, "2025-03-03", "2026-03-02", "2024-03-03"],
    [{ range: "all" }, null, "2026-03-02", null],
    [{ start: "2026-02-28", end: "2026-03-01" }, "2026-02-28", "2026-03-01", "2026-02-26"],
    [{ start: "2026-02-28", end: "2026-02-28" }, "2026-02-28", "2026-02-28", "2026-02-27"],
  ] as const)("is resolved from %j", (query, first, last, before) => {
    expect(resolvePeriod(query, NOW)).toEqual({ first, last, previousFirst: before });
  });

  test("a day ends at midnight UTC", () => {
    expect(getSecondsUntilNextDay(NOW)).toBe(1);
    expect(getSecondsUntilNextDay(new Date("2026-03-02T00:00:00.000Z"))).toBe(86_400);
  });
});

describe("GET /analytics/summary", () => {
  test("200 returns thirty empty days without targets", async () => {
    const { api } = await createTestTenant();
    const { status, body } = await api.get("/analytics/summary");
    expect(status).toBe(200);
    const { period, kpis, interactionSeries, engagementSeries, ...posting } = body.data;
    expect(period.days).toBe(30);
    const nothing = { value: 0, delta: 0, coverage: null, refreshed_at: null };
    expect(Object.values(kpis)).toEqual(new Array(8).fill(nothing));
    expect(Object.keys(kpis)).toEqual([
      "publishedVideos",
      "activeAccounts",
      "views",
      "likes",
      "comments",
      "shares",
      "saves",
      "engagementRate",
    ]);
    expect(interactionSeries).toHaveLength(30);
    expect(interactionSeries.at(-1)).toEqual({
      date: period.end,
      likes: 0,
      comments: 0,
      shares: 0,
      saves: 0,
      total: 0,
    });
    expect(engagementSeries[0]).toEqual({ date: period.start, views: 0, interactions: 0, engagementRate: 0 });
    expect(posting).toEqual({
      postingHeatmap: Array.from({ length: 7 }, () => new Array(24).fill(0)),
      postingStreak: 0,
      longestPostingStreak: 0,
      contentMix: [],
    });
    const all = (await api.get("/analytics/summary?range=all")).body.data;
    expect([all.period.days, all.kpis.views]).toEqual([
      1,
      { value: 0, delta: null, coverage: null, refreshed_at: null },
    ]);
  });

  // The name is one of the runtime, and none of the database.
  test.each(["US/Pacific-New", "Europe/Kyiv", "Asia/Calcutta"])("200 by the clock of %s", async (time_zone) => {
    const { api } = await createTestTenant();
    expect((await api.get(`/analytics/summary?time_zone=${time_zone}`)).status).toBe(200);
  });

  test("200 postingStreak is 0 when the last day of a past period has no post", async () => {
    const { api } = await createTestTenant();
    const target = await createTarget(api, "tiktok", "tea");
    const today = toUtcDay(new Date());
    const days = [-1, -2, -3, -10, -11].map((days) => addDays(today, days));
    await queryRows(sql`
      insert into analytics_posts
        (id, target_id, platform_post_id, kind, published_at, caption, views, likes, comments, shares, saves)
      select gen_random_uuid(), ${target}, day, 'video', (day || 'T12:00Z')::timestamptz, '', 0, 0, 0, 0, 0
      from jsonb_array_elements_text(${JSON.stringify(days)}::jsonb) day returning id`);
    const streakUntil = async (end: number) => {
      const { data } = (await api.get(`/analytics/summary?start=${addDays(today, -20)}&end=${addDays(today, end)}`))
        .body;
      return [data.postingStreak, data.longestPostingStreak];
    };
    expect(await streakUntil(-9)).toEqual([0, 2]);
    expect(await streakUntil(-10)).toEqual([2, 2]);
    expect(await streakUntil(-2)).toEqual([2, 2]);
    // Today is not over.
    expect(await streakUntil(0)).toEqual([3, 3]);
  });

  test("200 converts instants with an offset to whole UTC days", async () => {
    const { api } = await createTestTenant();
    const start = encodeURIComponent("2026-01-01T23:30:00-02:00");
    // An unescaped plus decodes to a space in a URL; it is accepted as a plus.
    for (const end of ["2026-01-03T00:00Z", "2026-01-04T01:00:00%2B02:00", "2026-01-04T01:00:00+0200"]) {
      const { period } = (await api.get(`/analytics/summary?start=${start}&end=${end}`)).body.data;
      expect(period).toEqual({ start: "2026-01-02", end: "2026-01-03", days: 2 });
    }
  });
});

describe("round trips", () => {
  test("a warm read takes 1, a write 2, an idempotent write 3", async () => {
    const tracked = await createTrackedAccount("tiktok", { posts: 3 });
    const { tenant, targetId } = tracked;
    const refreshId = await requestRefresh(tracked);
    await processRefreshes([refreshId]);
    for (const path of [
      "/analytics/summary",
      "/analytics/summary?range=all&platforms=tiktok&accounts=a",
      "/analytics/summary/posts?range=all&sortBy=engagementRate",
      "/analytics/targets",
      `/analytics/targets/${targetId}`,
      `/analytics/refreshes/${refreshId}`,
    ]) {
      expect([path, await measureRequest(tenant, "GET", path)]).toEqual([path, { status: 200, trips: 1 }]);
    }
    const target = { platform: "youtube", identifier: "@a" };
    expect(await measureRequest(tenant, "POST", "/analytics/targets", target)).toEqual({ status: 201, trips: 2 });
    expect(await measureRequest(tenant, "POST", "/analytics/targets", target)).toEqual({ status: 200, trips: 2 });
    const other = { platform: "youtube", identifier: "@b" };
    expect(await measureRequest(tenant, "POST", "/analytics/targets", other, newId())).toEqual({
      status: 201,
      trips: 3,
    });
    const patch = { favorite: true };
    expect(await measureRequest(tenant, "PATCH", `/analytics/targets/${targetId}`, patch)).toEqual({
      status: 200,
      trips: 2,
    });
    expect(await measureRequest(tenant, "POST", `/analytics/targets/${targetId}/refresh`)).toEqual({
      status: 429,
      trips: 2,
    });
    const fresh = await createTarget(tenant.api, "instagram", "a");
    expect(await measureRequest(tenant, "POST", `/analytics/targets/${fresh}/refresh`)).toEqual({
      status: 202,
      trips: 2,
    });
    expect(await measureRequest(tenant, "DELETE", `/analytics/targets/${fresh}`)).toEqual({ status: 200, trips: 2 });
  });
});
