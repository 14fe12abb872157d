// Tracked accounts over HTTP: responses and isolation between scopes.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { savePlan } from "../../lib/queries/tenants.ts";
import {
  createClient,
  createTestAccount,
  createTestKey,
  createTestTenant,
  openTestDatabase,
  type Tenant,
  type TestResponse,
} from "../support/harness.ts";
import { createTarget, createTrackedAccount, processRefreshes, requestRefresh } from "./refreshes.ts";

const getStatusAndCode = ({ status, body }: TestResponse) => [status, body.error_code];

describe("POST /analytics/targets", () => {
  test("201 returns the target, 200 the same target for another spelling of its account", async () => {
    const tenant = await createTestTenant();
    const body = { platform: "tiktok", identifier: " https://www.tiktok.com/@North.Light?lang=en ", alias: "North" };
    const created = await tenant.api.post("/analytics/targets", body);
    expect(created.status).toBe(201);
    const { target } = created.body.data;
    expect(created.body.data).toEqual({
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
        numbers: {
          views: { coverage: "given", refreshed_at: null, permission: null },
          likes: { coverage: "given", refreshed_at: null, permission: null },
          comments: { coverage: "given", refreshed_at: null, permission: null },
          shares: { coverage: "given", refreshed_at: null, permission: null },
          saves: { coverage: "not_given", refreshed_at: null, permission: null },
        },
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

  test("201 once for ten concurrent requests, and the same response for a retry with the same key", async () => {
    const { api } = await createTestTenant();
    const body = { platform: "youtube", identifier: "@same" };
    const responses = await Promise.all(Array.from({ length: 10 }, () => api.post("/analytics/targets", body)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...new Array(9).fill(200), 201]);
    expect(new Set(responses.map((response) => response.body.data.target.id)).size).toBe(1);
    const key = { "Idempotency-Key": newId() };
    const other = { platform: "youtube", identifier: "@other" };
    const [first, second] = [
      await api.post("/analytics/targets", other, key),
      await api.post("/analytics/targets", other, key),
    ];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  });

  test("ids of YouTube channels keep their case, and two that differ in it are two channels", async () => {
    const { api } = await createTestTenant();
    const add = async (identifier: string) => {
      const { status, body } = await api.post("/analytics/targets", { platform: "youtube", identifier });
      return [status, body.data.target.normalized_identifier];
    };
    const [id, other] = ["UCabcdefghijklmnopqrstuV", "UCabcdefghijklmnopqrstuv"];
    expect(await add(`https://youtube.com/channel/${id}`)).toEqual([201, id]);
    expect(await add(id)).toEqual([200, id]);
    expect(await add(other)).toEqual([201, other]);
    expect(await add("https://youtube.com/@UCName")).toEqual([201, "ucname"]);
    expect(await add("UCshort")).toEqual([201, "ucshort"]);
  });

  test("422 reports the field of an invalid identifier, an unknown network and an empty alias", async () => {
    const { api } = await createTestTenant();
    for (const [body, field] of [
      [{ platform: "tiktok", identifier: "https://example.com/@a" }, "identifier"],
      [{ platform: "tiktok", identifier: "   " }, "identifier"],
      [{ platform: "tiktok", identifier: "a".repeat(301) }, "identifier"],
      [{ platform: "mastodon", identifier: "a" }, "platform"],
      [{ platform: "tiktok", identifier: "a", alias: " " }, "alias"],
      [{ platform: "tiktok" }, "identifier"],
    ] as const) {
      const response = await api.post("/analytics/targets", body);
      expect(getStatusAndCode(response)).toEqual([422, "invalid_payload"]);
      expect(Object.keys(response.body.issues.fieldErrors)).toContain(field);
    }
  });
});

describe("GET /analytics/targets", () => {
  test("200 lists the newest first in pages, with id and target_id", async () => {
    const { api } = await createTestTenant();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.unshift(await createTarget(api, "tiktok", name));
    const first = await api.get("/analytics/targets?limit=2");
    expect(first.body.data).toMatchObject({ total: 3, limit: 2, offset: 0 });
    const second = await api.get("/analytics/targets?limit=2&offset=2");
    const targets = [...first.body.data.targets, ...second.body.data.targets];
    expect(targets.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(targets.map(({ target_id }: { target_id: string }) => target_id)).toEqual(ids);
  });
});

describe("PATCH /analytics/targets/{targetId}", () => {
  test("200 changes the given fields only and returns the target", async () => {
    const { api } = await createTestTenant();
    const id = await createTarget(api, "tiktok", "a");
    const before = (await api.get(`/analytics/targets/${id}`)).body.data.target;
    const renamed = await api.patch(`/analytics/targets/${id}`, { displayName: "  New name ", favorite: true });
    const metadata = { favorite: true, refreshPolicy: { freeDailyRefresh: true, maxPosts: 500 } };
    expect(renamed.body.data).toEqual({ ...before, display_name: "New name", metadata });
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

  test("422 for no field, an empty policy, numbers out of range and null", async () => {
    const { api } = await createTestTenant();
    const id = await createTarget(api, "tiktok", "a");
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
      expect(getStatusAndCode(await api.patch(`/analytics/targets/${id}`, body))).toEqual([422, "invalid_payload"]);
    }
  });
});

describe("DELETE /analytics/targets/{targetId}", () => {
  test("200 deletes the target from every operation, and its account can be tracked again", async () => {
    const tracked = await createTrackedAccount("tiktok");
    const { api } = tracked.tenant;
    const refreshId = await requestRefresh(tracked);
    await processRefreshes([refreshId]);
    const gone = await api.delete(`/analytics/targets/${tracked.targetId}`);
    expect([gone.status, gone.body.data]).toEqual([200, { deleted: true, target_id: tracked.targetId }]);
    expect(gone.body).toMatchObject({ ok: true, code: 200 });
    expect(getStatusAndCode(await api.delete(`/analytics/targets/${tracked.targetId}`))).toEqual([404, "not_found"]);
    expect(getStatusAndCode(await api.get(`/analytics/targets/${tracked.targetId}`))).toEqual([404, "not_found"]);
    expect(getStatusAndCode(await api.patch(`/analytics/targets/${tracked.targetId}`, { favorite: true }))).toEqual([
      404,
      "not_found",
    ]);
    expect(getStatusAndCode(await api.post(`/analytics/targets/${tracked.targetId}/refresh`))).toEqual([
      404,
      "not_found",
    ]);
    expect(getStatusAndCode(await api.get(`/analytics/refreshes/${refreshId}`))).toEqual([404, "not_found"]);
    expect((await api.get("/analytics/targets")).body.data).toMatchObject({ targets: [], total: 0 });
    expect((await api.get("/analytics/summary?range=all")).body.data.kpis.views.value).toBe(0);
    expect((await api.get("/analytics/summary/posts?range=all")).body.data.totalCount).toBe(0);
    expect(await createTarget(api, "tiktok", tracked.account.username)).not.toBe(tracked.targetId);
  });
});

/** A tenant with a refreshed target. */
async function createOwner(): Promise<{ targetId: string; refreshId: string; name: string; tenant: Tenant }> {
  const tracked = await createTrackedAccount("tiktok");
  const refreshId = await requestRefresh(tracked);
  await processRefreshes([refreshId]);
  return { targetId: tracked.targetId, refreshId, name: tracked.account.username, tenant: tracked.tenant };
}

test("404 hides the targets and refreshes of other scopes in every operation", async () => {
  const other = await createOwner();
  const before = (await other.tenant.api.get("/analytics/targets")).body.data;
  // The same owner without a workspace, another workspace, and another owner without a workspace.
  const alone = { ownerId: other.tenant.ownerId, workspaceId: null };
  await savePlan(openTestDatabase(), alone, newId(), { tier: "creator", status: "active", paidUntil: null });
  const personal = createClient(await createTestKey(alone));
  for (const api of [personal, (await createTestTenant()).api, (await createTestTenant({ personal: true })).api]) {
    const path = `/analytics/targets/${other.targetId}`;
    for (const response of [
      await api.get(path),
      await api.get(`${path}?range=all`),
      await api.patch(path, { favorite: true }),
      await api.delete(path),
      await api.post(`${path}/refresh`),
      await api.get(`/analytics/refreshes/${other.refreshId}`),
    ]) {
      expect(getStatusAndCode(response)).toEqual([404, "not_found"]);
    }
    expect((await api.get("/analytics/targets")).body.data).toMatchObject({ targets: [], total: 0 });
    for (const filter of [`&accounts=${other.targetId}`, `&accounts=${other.name}`, ""]) {
      const { kpis, contentMix } = (await api.get(`/analytics/summary?range=all${filter}`)).body.data;
      expect([kpis.publishedVideos.value, kpis.views.value, contentMix]).toEqual([0, 0, []]);
      const posts = await api.get(`/analytics/summary/posts?range=all${filter}`);
      expect(posts.body.data).toEqual({ posts: [], totalCount: 0, hasMore: false, next_cursor: null });
    }
    // Two scopes that track the same account have separate targets.
    const mine = await api.post("/analytics/targets", { platform: "tiktok", identifier: other.name });
    expect([mine.status, mine.body.data.created]).toEqual([201, true]);
    expect(mine.body.data.target.id).not.toBe(other.targetId);
  }
  expect((await other.tenant.api.get("/analytics/targets")).body.data).toEqual(before);
});

test("the account of another scope is not used, even when it is the tracked account", async () => {
  const stranger = await createTestTenant();
  const account = await createTestAccount(stranger, "tiktok", { facts: { posts: 5 } });
  const tenant = await createTestTenant();
  const targetId = await createTarget(tenant.api, "tiktok", account.username);
  const refreshId = await requestRefresh({ tenant, targetId });
  await processRefreshes([refreshId]);
  const { refresh } = (await tenant.api.get(`/analytics/refreshes/${refreshId}`)).body.data;
  expect(refresh).toMatchObject({ status: "failed", error: expect.stringMatching(/not connected/) });
});
