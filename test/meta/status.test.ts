// The public status and health of the service: without a key, cached, and true.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import {
  createBindings,
  createClient,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
} from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";

const anyone = createClient(null);
/** No server listens on this port. */
const NO_DATABASE = { DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };

async function readNetwork(platform: string) {
  const { status, body } = await anyone.get("/status");
  expect(status).toBe(200);
  expect(body.data.period_seconds).toBe(3600);
  return body.data.networks.find((network: { platform: string }) => network.platform === platform);
}

test("200 status counts what a network published in the last hour, with its lateness", async () => {
  const before = await readNetwork("bluesky");
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  await tenant.api.post("/posts", { caption: "a", accounts: [{ id: account.id }] });
  await publishDue(createTestPublisher(new Date()).services, tenant.api.enqueuedDeliveries.at(-1)?.deliveryIds ?? []);
  const after = await readNetwork("bluesky");
  expect(after.published).toBeGreaterThan(before.published);
  expect(after.success_rate).toBeGreaterThan(0);
  expect(after.lateness_p95_ms).toBeGreaterThanOrEqual(after.lateness_p50_ms);
  expect(JSON.stringify(after)).not.toContain(account.id);
});

test("200 status is degraded while posts of a network are overdue", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "pinterest");
  const post = await tenant.api.post("/posts/prepare", { caption: "a", accounts: [{ id: account.id }] });
  const id = post.body.data.id;
  await queryRows(sql`update post_deliveries set status = 'pending', due_at = now() - interval '5 minutes',
    next_attempt_at = now() - interval '5 minutes', deadline_at = now() where post_id = ${id} returning id`);
  expect(await readNetwork("pinterest")).toMatchObject({ status: "degraded" });
  expect((await readNetwork("pinterest")).overdue).toBeGreaterThanOrEqual(1);
  await queryRows(sql`update post_deliveries set next_attempt_at = null where post_id = ${id} returning id`);
});

test("200 status is one query, and none while it is cached", async () => {
  // One object is one isolate.
  const bindings = createBindings([]);
  const measure = async () => {
    const requestId = crypto.randomUUID();
    const { cost } = await measureCost(requestId, () =>
      anyone.call("GET", "/status", { headers: { "X-Request-Id": requestId }, bindings }),
    );
    return cost.database + cost.redis;
  };
  expect(await measure()).toBe(1);
  expect(await measure()).toBe(0);
});

test("200 health, 503 provider_unavailable while the database does not respond", async () => {
  const { status, body, headers } = await anyone.get("/health");
  expect([status, body.data.status, headers.get("cache-control")]).toEqual([200, "ok", "no-store"]);
  for (const path of ["/health", "/status"]) {
    const failed = await anyone.get(path, { env: NO_DATABASE });
    expect([failed.status, failed.body.error_code]).toEqual([503, "provider_unavailable"]);
  }
});

test("500 internal_error when the database fails unexpectedly, without its message", async () => {
  const originalFetch = globalThis.fetch;
  const failure = JSON.stringify({ message: "a secret of the database", severity: "ERROR", code: "XX000" });
  globalThis.fetch = async (input, init) =>
    String(input).endsWith("/sql") ? new Response(failure, { status: 400 }) : originalFetch(input, init);
  try {
    for (const path of ["/health", "/status"]) {
      const { status, body } = await anyone.get(path);
      expect([status, body.error_code]).toEqual([500, "internal_error"]);
      expect(JSON.stringify(body)).not.toContain("secret");
    }
  } finally {
    globalThis.fetch = originalFetch;
  }
});

test("200 an invalid key changes nothing, 405 for another method", async () => {
  expect((await createClient("nonsense").get("/health")).status).toBe(200);
  expect((await anyone.call("POST", "/status", { body: {} })).status).toBe(405);
});
