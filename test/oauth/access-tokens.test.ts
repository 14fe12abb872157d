// Access tokens of a grant at the API: each request looks one up with its grant, in the round trips of a key.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { grants } from "../../drizzle/schema/keys.ts";
import { grantAccessTokens } from "../../drizzle/schema/oauth.ts";
import { consumeRateLimits } from "../../lib/http/rate-limits.ts";
import { createKeyToken, savePlan } from "../../lib/queries/tenants.ts";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import type { Resource } from "../../lib/shared/resources.ts";
import { sendMcp } from "../mcp/agent.ts";
import {
  createClient,
  createTestAccount,
  createTestTenant,
  openTestDatabase,
  openTestRedis,
  queryRows,
} from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { stopClock } from "../support/stop-clock.ts";

/** A grant with one access token, as an exchange of a code leaves them. */
async function createGrant({ resource = null as Resource | null, accountIds = null as string[] | null } = {}) {
  const tenant = await createTestTenant();
  const db = openTestDatabase();
  const [id, expiresAt] = [newId(), new Date(Date.now() + HOUR_MS)];
  const { publicId, secretHash } = createKeyToken("grant");
  const { ownerId, workspaceId } = tenant;
  const limits = { resource, accountIds, permissions: null };
  await db
    .insert(grants)
    .values({ id, publicId, secretHash, ownerId, workspaceId, clientName: "Test", expiresAt, ...limits });
  const addToken = async (endsAt = expiresAt) => {
    const { token, ...stored } = createKeyToken("grant");
    const own = { publicId: stored.publicId.replace("gr_", "at_"), secretHash: stored.secretHash };
    await db.insert(grantAccessTokens).values({ ...own, grantId: id, expiresAt: endsAt });
    return token.replace("gr_", "at_");
  };
  return { tenant, id, publicId, addToken, token: await addToken() };
}

test("two tokens of one grant are one caller: one idempotency scope, the name of the grant in the audit log", async () => {
  const { tenant, publicId, addToken, token } = await createGrant();
  const account = await createTestAccount(tenant, "bluesky");
  const body = { caption: "Tea", accounts: [{ id: account.id }] };
  const [first, second] = [createClient(token), createClient(await addToken())];
  const created = await first.post("/posts/prepare", body, { "Idempotency-Key": "one" });
  const repeated = await second.post("/posts/prepare", body, { "Idempotency-Key": "one" });
  expect([created.status, repeated.status]).toEqual([201, 201]);
  expect(repeated.headers.get("idempotent-replayed")).toBe("true");
  expect(repeated.body.data.id).toBe(created.body.data.id);
  const byKey = await tenant.api.post("/posts/prepare", body, { "Idempotency-Key": "one" });
  expect(byKey.headers.get("idempotent-replayed")).toBeNull();
  const rows = await queryRows(
    sql`select actor_kind, actor_name from audit_log where record_id = ${created.body.data.id}`,
  );
  expect(rows).toEqual([{ actor_kind: "grant", actor_name: publicId }]);
  // Whoever prepared a draft does not approve it, with whichever token.
  const link = (await first.post(`/posts/${created.body.data.id}/approvals`, {})).body.data;
  const approved = await second.post(`/posts/${created.body.data.id}/approvals/${link.id}/approve`, {});
  expect([approved.status, approved.body.error_code]).toEqual([403, "own_draft"]);
  const [used] = await queryRows<{ last_operation: string }>(
    sql`select last_operation from grants where public_id = ${publicId}`,
  );
  expect(used?.last_operation).toBe("posts.prepare");
});

test("401 for a wrong secret, for one that expired, and for all tokens at once when the grant has ended", async () => {
  const { id, addToken, token } = await createGrant();
  const [api, other] = [createClient(token), createClient(await addToken())];
  const expired = createClient(await addToken(new Date(Date.now() - 1000)));
  const wrong = createClient(`${token.slice(0, -4)}${token.endsWith("AAAA") ? "BBBB" : "AAAA"}`);
  expect([(await api.get("/posts")).status, (await other.get("/posts")).status]).toEqual([200, 200]);
  const codes = async (...clients: ReturnType<typeof createClient>[]) => {
    const responses = await Promise.all(clients.map((client) => client.get("/posts")));
    return responses.map(({ status, body }) => [status, body.error_code]);
  };
  expect(await codes(wrong, expired)).toEqual([
    [401, "invalid_token"],
    [401, "expired_token"],
  ]);
  await queryRows(sql`update grants set revoked_at = now() where id = ${id} returning id`);
  expect(await codes(api, other)).toEqual([
    [401, "revoked_token"],
    [401, "revoked_token"],
  ]);
});

test("402 once the plan has ended, and a grant of no account sees none", async () => {
  const { tenant, token } = await createGrant({ accountIds: [] });
  const account = await createTestAccount(tenant, "threads");
  const api = createClient(token);
  expect((await tenant.api.get("/accounts")).body.data.accounts).toHaveLength(1);
  expect((await api.get("/accounts")).body.data.accounts).toEqual([]);
  const body = { caption: "Tea", accounts: [{ id: account.id }] };
  expect((await tenant.api.post("/posts/prepare", body)).status).toBe(201);
  expect((await api.get("/posts")).body.data.posts).toEqual([]);
  expect((await api.get("/events")).body.data.events).toEqual([]);
  const prepared = await api.post("/posts/prepare", body);
  expect([prepared.status, prepared.body.fields?.[0]?.code]).toEqual([400, "unknown_accounts"]);
  await savePlan(openTestDatabase(), tenant, newId(), { tier: "creator", status: "canceled", paidUntil: null });
  expect((await api.get("/accounts")).status).toBe(402);
});

test.each([
  [null, 200, 200],
  ["api", 200, 401],
  ["mcp", 401, 200],
] as const)("a token for %s: %i at the API, %i at /mcp", async (resource, atApi, atMcp) => {
  const { token } = await createGrant({ resource });
  // With a cold isolate, and with one that knows the token.
  for (let round = 0; round < 2; round += 1) {
    expect((await createClient(token).get("/accounts")).status).toBe(atApi);
    const params = { name: "list_accounts", arguments: {} };
    const headers = { Authorization: `Bearer ${token}`, "MCP-Protocol-Version": "2025-11-25" };
    expect((await sendMcp("tools/call", params, headers)).status).toBe(atMcp);
    const polled = await sendMcp("events/poll", { name: "post.scheduled" }, headers);
    expect(polled.status).toBe(atMcp);
    if (atMcp === 200) expect(await polled.text()).toContain('"hasMore":false');
  }
});

test("an access token costs the round trips of a key", async () => {
  const { token } = await createGrant();
  const api = createClient(token);
  await api.get("/accounts");
  const id = newId();
  const { cost } = await measureCost(id, () => api.get("/accounts", { headers: { "X-Request-Id": id } }));
  expect(cost).toEqual({ database: 1, redis: 0, round_trips: 1 });
});

test("429 for a grant that uses up its own limit, while a key of the workspace and another grant go on", async () => {
  stopClock();
  const { tenant, id, token } = await createGrant();
  const other = await createGrant();
  const account = await createTestAccount(tenant, "bluesky");
  const body = { caption: "Tea", accounts: [{ id: account.id }] };
  const api = createClient(token);
  const allowed = await api.post("/posts/prepare", body);
  expect(allowed.headers.get("ratelimit")).toContain('"grant_operations";r=299;');
  const subject = { customer: tenant.workspaceId ?? "", grant: id };
  await consumeRateLimits(openTestRedis(), ["grant_operations"], subject, new Date(), { grant_operations: 299 });
  const refused = await api.post("/posts/prepare", body);
  expect([refused.status, refused.body.error_code]).toEqual([429, "rate_limited"]);
  expect(refused.body.message).toContain("grant_operations");
  // Reads are not limited.
  expect((await api.get("/posts")).status).toBe(200);
  const byKey = await tenant.api.post("/posts/prepare", body);
  expect([byKey.status, byKey.headers.get("ratelimit")?.includes("grant_operations")]).toEqual([201, false]);
  expect((await createClient(other.token).post("/posts/prepare", body)).status).toBe(400);
});
