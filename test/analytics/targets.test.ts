// Tracked accounts over HTTP: what names an account, what a target tells, and what nobody else sees of it.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { handleOf, type Network } from "../../lib/analytics/identifier.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { type Answer, client, database, mintAccount, mintKey, mintTenant, type Tenant } from "../harness.ts";
import { asked, refreshed, track, tracked } from "./reading.ts";

const told = ({ status, body }: Answer) => [status, body.error_code];

describe("POST /analytics/targets", () => {
  test("201 tells the whole target, 200 the same one for another spelling of its account", async () => {
    const tenant = await mintTenant();
    const body = { platform: "tiktok", identifier: " https://www.tiktok.com/@North.Light?lang=en ", alias: "North" };
    const made = await tenant.api.post("/analytics/targets", body);
    expect(made.status).toBe(201);
    const { target } = made.body.data;
    expect(made.body.data).toEqual({
      created: true,
      target: {
        id: expect.any(String),
        user_id: tenant.ownerId,
        workspace_id: tenant.workspaceId,
        platform: "tiktok",
        identifier: "https://www.tiktok.com/@North.Light?lang=en",
        normalized_identifier: "north.light",
        display_name: "North",
        metadata: { favorite: false, refreshPolicy: { freeDailyRefresh: true, maxPosts: 500 } },
        last_refreshed_at: null,
        free_refresh_available: true,
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    });
    const again = await tenant.api.post("/analytics/targets", { platform: "tiktok", identifier: "@NORTH.light" });
    expect([again.status, again.body.data]).toEqual([200, { created: false, target }]);
    const accented = ["@cafe\u0301", "@CAF\u00c9"].map((identifier) => ({ platform: "youtube", identifier }));
    for (const [at, account] of accented.entries()) {
      expect((await tenant.api.post("/analytics/targets", account)).status).toBe(at === 0 ? 201 : 200);
    }
    const elsewhere = await tenant.api.post("/analytics/targets", { platform: "instagram", identifier: "north.light" });
    expect(elsewhere.status).toBe(201);
    expect(elsewhere.body.data.target).toMatchObject({ display_name: "north.light" });
  });

  test("201 once for ten at the same moment, and once for a repeat with the same key", async () => {
    const { api } = await mintTenant();
    const body = { platform: "youtube", identifier: "@same" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.post("/analytics/targets", body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...new Array(9).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.data.target.id)).size).toBe(1);
    const key = { "Idempotency-Key": newId() };
    const other = { platform: "youtube", identifier: "@other" };
    const [first, second] = [
      await api.post("/analytics/targets", other, key),
      await api.post("/analytics/targets", other, key),
    ];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  });

  test.each<[Network, string, string | null]>([
    ["tiktok", "@Name_1", "Name_1"],
    ["tiktok", "tiktok.com/@name/video/7300", "name"],
    ["tiktok", "https://m.tiktok.com/@name/", "name"],
    ["tiktok", "https://vm.tiktok.com/ZMabc/", null],
    ["tiktok", "https://www.instagram.com/name", null],
    ["tiktok", "https://tiktok.com.example.com/@name", null],
    ["instagram", "https://www.instagram.com/name/reels/?hl=en", "name"],
    ["instagram", "instagram.com/reel/Cabc", null],
    ["instagram", "two words", null],
    ["instagram", "@", null],
    ["instagram", "a,b", null],
    ["youtube", "https://youtube.com/@N%C3%B6rd/shorts", "Nörd"],
    ["youtube", "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv", "UCabcdefghijklmnopqrstuv"],
    ["youtube", "https://www.youtube.com/c/Name", "Name"],
    ["youtube", "https://www.youtube.com/watch?v=abc", null],
    ["youtube", "https://www.youtube.com/", null],
  ])("of %s, %s names %s", (platform, text, handle) => {
    expect(handleOf(platform, text)).toBe(handle);
  });

  test("422 names the field: no account, an unknown network, an empty alias", async () => {
    const { api } = await mintTenant();
    for (const [body, field] of [
      [{ platform: "tiktok", identifier: "https://example.com/@a" }, "identifier"],
      [{ platform: "tiktok", identifier: "   " }, "identifier"],
      [{ platform: "tiktok", identifier: "a".repeat(301) }, "identifier"],
      [{ platform: "threads", identifier: "a" }, "platform"],
      [{ platform: "tiktok", identifier: "a", alias: " " }, "alias"],
      [{ platform: "tiktok" }, "identifier"],
    ] as const) {
      const answer = await api.post("/analytics/targets", body);
      expect(told(answer)).toEqual([422, "invalid_payload"]);
      expect(Object.keys(answer.body.issues.fieldErrors)).toContain(field);
    }
  });
});

describe("GET /analytics/targets", () => {
  test("200 lists the newest first, page by page, each id twice", async () => {
    const { api } = await mintTenant();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.unshift(await track(api, "tiktok", name));
    const first = await api.get("/analytics/targets?limit=2");
    expect(first.body.data).toMatchObject({ total: 3, limit: 2, offset: 0 });
    const second = await api.get("/analytics/targets?limit=2&offset=2");
    const targets = [...first.body.data.targets, ...second.body.data.targets];
    expect(targets.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(targets.map(({ target_id }: { target_id: string }) => target_id)).toEqual(ids);
  });

  test("400 invalid_query for what is no page", async () => {
    const { api } = await mintTenant();
    for (const query of ["limit=0", "limit=101", "offset=-1", "limit=x", "sort=name"]) {
      expect(told(await api.get(`/analytics/targets?${query}`))).toEqual([400, "invalid_query"]);
    }
  });
});

describe("PATCH /analytics/targets/{targetId}", () => {
  test("200 answers the target itself, with what was given changed and the rest as it was", async () => {
    const { api } = await mintTenant();
    const id = await track(api, "tiktok", "a");
    const before = (await api.get(`/analytics/targets/${id}`)).body.data.target;
    const named = await api.patch(`/analytics/targets/${id}`, { displayName: "  New name ", favorite: true });
    const metadata = { favorite: true, refreshPolicy: { freeDailyRefresh: true, maxPosts: 500 } };
    expect(named.body.data).toEqual({ ...before, display_name: "New name", metadata });
    const policy = await api.patch(`/analytics/targets/${id}`, { refreshPolicy: { maxPosts: 7 } });
    expect(policy.body.data.metadata.refreshPolicy).toEqual({ freeDailyRefresh: true, maxPosts: 7 });
    const closed = await api.patch(`/analytics/targets/${id}`, {
      favorite: false,
      refreshPolicy: { freeDailyRefresh: false },
    });
    expect(closed.body.data).toMatchObject({
      display_name: "New name",
      metadata: { favorite: false, refreshPolicy: { freeDailyRefresh: false, maxPosts: 7 } },
      free_refresh_available: false,
    });
    expect((await api.get(`/analytics/targets/${id}`)).body.data.target).toEqual(closed.body.data);
  });

  test("422 for no field, an empty policy, numbers out of bounds and null", async () => {
    const { api } = await mintTenant();
    const id = await track(api, "tiktok", "a");
    for (const body of [
      {},
      { refreshPolicy: {} },
      { refreshPolicy: { maxPosts: 0 } },
      { refreshPolicy: { maxPosts: 2_001 } },
      { refreshPolicy: { maxPosts: 1.5 } },
      { displayName: "" },
      { displayName: "x".repeat(101) },
      { favorite: null },
      { display_name: "a" },
    ]) {
      expect(told(await api.patch(`/analytics/targets/${id}`, body))).toEqual([422, "invalid_payload"]);
    }
  });
});

describe("DELETE /analytics/targets/{targetId}", () => {
  test("200 deleted and target_id; then it is gone from every operation, and its account may be tracked anew", async () => {
    const one = await tracked("tiktok");
    const { api } = one.tenant;
    const refreshId = await asked(one);
    await refreshed([refreshId]);
    const gone = await api.delete(`/analytics/targets/${one.targetId}`);
    expect([gone.status, gone.body.data]).toEqual([200, { deleted: true, target_id: one.targetId }]);
    expect(gone.body).toMatchObject({ ok: true, code: 200 });
    expect(told(await api.delete(`/analytics/targets/${one.targetId}`))).toEqual([404, "not_found"]);
    expect(told(await api.get(`/analytics/targets/${one.targetId}`))).toEqual([404, "not_found"]);
    expect(told(await api.patch(`/analytics/targets/${one.targetId}`, { favorite: true }))).toEqual([404, "not_found"]);
    expect(told(await api.post(`/analytics/targets/${one.targetId}/refresh`))).toEqual([404, "not_found"]);
    expect(told(await api.get(`/analytics/refreshes/${refreshId}`))).toEqual([404, "not_found"]);
    expect((await api.get("/analytics/targets")).body.data).toMatchObject({ targets: [], total: 0 });
    expect((await api.get("/analytics/summary?range=all")).body.data.kpis.views.value).toBe(0);
    expect((await api.get("/analytics/summary/posts?range=all")).body.data.totalCount).toBe(0);
    expect(await track(api, "tiktok", one.account.username)).not.toBe(one.targetId);
  });

  test("400 missing_target_id, 404 for what is no id or nobody's", async () => {
    const { api } = await mintTenant();
    const missing = await api.delete("/analytics/targets/");
    expect(told(missing)).toEqual([400, "missing_target_id"]);
    expect(missing.body).not.toHaveProperty("data");
    for (const id of ["not-an-id", "123", newId()]) {
      expect(told(await api.delete(`/analytics/targets/${id}`))).toEqual([404, "not_found"]);
    }
  });

  test("401 without a valid key and 403, never 402, without a plan; the target stays", async () => {
    const tenant = await mintTenant();
    const id = await track(tenant.api, "tiktok", "a");
    const path = `/analytics/targets/${id}`;
    expect(told(await client(null).delete(path))).toEqual([401, "missing_token"]);
    expect(told(await client("pk_x.y").delete(path))).toEqual([401, "invalid_token"]);
    const expired = client(await mintKey(tenant, { expiresAt: new Date(Date.now() - 1_000) }));
    expect(told(await expired.delete(path))).toEqual([401, "expired_token"]);
    const lapsed = await mintTenant({ plan: null });
    expect(told(await lapsed.api.delete(path))).toEqual([403, "subscription_required"]);
    const scheduler = await mintTenant({ plan: { tier: "scheduler", status: "active", paidUntil: null } });
    expect(told(await scheduler.api.delete(path))).toEqual([403, "tier_not_allowed"]);
    expect((await tenant.api.get(path)).status).toBe(200);
  });
});

/** Somebody with a target of one refresh and its posts. */
async function owner(): Promise<{ targetId: string; refreshId: string; name: string; tenant: Tenant }> {
  const one = await tracked("tiktok");
  const refreshId = await asked(one);
  await refreshed([refreshId]);
  return { targetId: one.targetId, refreshId, name: one.account.username, tenant: one.tenant };
}

test("404 in every operation for the ids of other scopes, and nothing of theirs is changed or counted", async () => {
  const theirs = await owner();
  const before = (await theirs.tenant.api.get("/analytics/targets")).body.data;
  // The same owner without a workspace, another workspace, and somebody without one.
  const alone = { ownerId: theirs.tenant.ownerId, workspaceId: null };
  await tenants.setPlan(database(), alone, newId(), { tier: "creator", status: "active", paidUntil: null });
  const personal = client(await mintKey(alone));
  for (const api of [personal, (await mintTenant()).api, (await mintTenant({ personal: true })).api]) {
    const path = `/analytics/targets/${theirs.targetId}`;
    for (const answer of [
      await api.get(path),
      await api.get(`${path}?range=all`),
      await api.patch(path, { favorite: true }),
      await api.delete(path),
      await api.post(`${path}/refresh`),
      await api.get(`/analytics/refreshes/${theirs.refreshId}`),
    ]) {
      expect(told(answer)).toEqual([404, "not_found"]);
    }
    expect((await api.get("/analytics/targets")).body.data).toMatchObject({ targets: [], total: 0 });
    for (const filter of [`&accounts=${theirs.targetId}`, `&accounts=${theirs.name}`, ""]) {
      const { kpis, contentMix } = (await api.get(`/analytics/summary?range=all${filter}`)).body.data;
      expect([kpis.publishedVideos.value, kpis.views.value, contentMix]).toEqual([0, 0, []]);
      const posts = await api.get(`/analytics/summary/posts?range=all${filter}`);
      expect(posts.body.data).toEqual({ posts: [], totalCount: 0, hasMore: false });
    }
    // The same account tracked by two scopes is two targets.
    const mine = await api.post("/analytics/targets", { platform: "tiktok", identifier: theirs.name });
    expect([mine.status, mine.body.data.created]).toEqual([201, true]);
    expect(mine.body.data.target.id).not.toBe(theirs.targetId);
  }
  expect((await theirs.tenant.api.get("/analytics/targets")).body.data).toEqual(before);
});

test("an account of another scope is not read through, although it is the target's own", async () => {
  const stranger = await mintTenant();
  const account = await mintAccount(stranger, "tiktok", { facts: { posts: 5 } });
  const tenant = await mintTenant();
  const targetId = await track(tenant.api, "tiktok", account.username);
  const refreshId = await asked({ tenant, targetId });
  await refreshed([refreshId]);
  const { refresh } = (await tenant.api.get(`/analytics/refreshes/${refreshId}`)).body.data;
  expect(refresh).toMatchObject({ status: "failed", error: expect.stringMatching(/not connected/) });
});
