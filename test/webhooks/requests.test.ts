// The endpoints of webhooks: what they accept, store and return, and what another tenant sees of it.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { openWebhookSecret } from "../../lib/events/webhook-secrets.ts";
import { EVENT_TYPES } from "../../lib/shared/event-types.ts";
import { createTestTenant, queryRows, vars } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { createSender, createTestWebhook, listDeliveries, RECEIVER, send, writeEvent } from "./receiver.ts";

const URL = `${RECEIVER}/hook`;
const PRODUCTION = { ENVIRONMENT: "production", PUBLIC_URL: "https://api.example.com", ALLOWED_PRIVATE_HOSTS: "" };

test("201 creates a webhook with its secret, which no other response has; 200 reads, lists and deletes it", async () => {
  const { api } = await createTestTenant();
  const created = await api.post("/webhooks", {
    url: URL,
    types: ["post.published", "post.published"],
    description: " a ",
  });
  expect(created.status).toBe(201);
  const { secret, ...webhook } = created.body.data;
  expect(Buffer.from(secret.replace(/^whsec_/, ""), "base64")).toHaveLength(32);
  expect(webhook).toEqual({
    ...{ id: expect.any(String), url: URL, types: ["post.published"], description: "a", status: "enabled" },
    ...{ failing_since: null, disabled_at: null, disabled_reason: null },
    ...{ created_at: expect.any(String), updated_at: webhook.created_at },
  });
  const read = await api.get(`/webhooks/${webhook.id}`);
  expect(read.body.data).toEqual(webhook);
  const second = await createTestWebhook({ api });
  expect((await api.get("/webhooks")).body.data.webhooks.map(({ id }: { id: string }) => id)).toEqual([
    webhook.id,
    second.id,
  ]);
  const stored = await queryRows<{ secret: string }>(sql`select secret from webhooks where id = ${webhook.id}`);
  expect(stored[0]?.secret).not.toContain(secret.slice(6));
  expect((await api.delete(`/webhooks/${webhook.id}`)).body.data).toEqual({ id: webhook.id, deleted: true });
  expect((await api.get(`/webhooks/${webhook.id}`)).status).toBe(404);
});

test("201 with a secret of the caller, of 24 to 64 bytes", async () => {
  const { api } = await createTestTenant();
  for (const bytes of [24, 64]) {
    const secret = `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
    expect((await createTestWebhook({ api }, { secret })).secret).toBe(secret);
  }
  for (const secret of [23, 65].map((bytes) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`)) {
    const response = await api.post("/webhooks", { url: URL, types: ["*"], secret });
    expect([response.status, response.body.issues.fieldErrors.secret]).toEqual([
      422,
      [expect.stringMatching(/24 to 64/)],
    ]);
  }
});

test.each([
  ["no types", { types: [] }, "types"],
  ["an unknown type", { types: ["post.created"] }, "types"],
  ["a star beside a type", { types: ["*", "post.failed"] }, "types"],
  ["no URL", { url: undefined }, "url"],
  ["ftp", { url: "ftp://example.com/a" }, "url"],
  ["a user name in the URL", { url: "https://a:b@example.com/a" }, "url"],
  ["a long description", { description: "x".repeat(501) }, "description"],
  ["a secret that is no base64", { secret: `whsec_${"*".repeat(40)}` }, "secret"],
  ["a secret without its prefix", { secret: Buffer.alloc(32).toString("base64") }, "secret"],
])("422 for %s", async (_what, change, field) => {
  const { api } = await createTestTenant();
  const response = await api.post("/webhooks", { url: URL, types: ["*"], ...change });
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
});

test.each([
  "https://127.0.0.1/a",
  "https://10.1.2.3/a",
  "https://169.254.169.254/latest/meta-data",
  "https://[::1]/a",
  "https://[::ffff:127.0.0.1]/a",
  "https://[fd00::1]/a",
  "https://localhost/a",
  "https://printer.local/a",
  "https://0x7f000001/a",
])("422 for the private address %s, when it is created and when it is changed", async (url) => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const created = await tenant.api.post("/webhooks", { url, types: ["*"] });
  const changed = await tenant.api.patch(`/webhooks/${webhook.id}`, { url });
  for (const { status, body } of [created, changed]) {
    expect([status, body.error_code]).toEqual([422, "invalid_payload"]);
    expect(body.issues.fieldErrors.url).toEqual([expect.stringContaining("not public")]);
  }
});

test("422 for http outside of the local stack", async () => {
  const { api } = await createTestTenant();
  const body = { url: "http://1.1.1.1/a", types: ["*"] };
  const refused = await api.call("POST", "/webhooks", { body, env: PRODUCTION });
  expect([refused.status, refused.body.issues.fieldErrors.url]).toEqual([422, ["Must be an https URL."]]);
  const https = { ...body, url: "https://1.1.1.1/a" };
  expect((await api.call("POST", "/webhooks", { body: https, env: PRODUCTION })).status).toBe(201);
  expect((await api.post("/webhooks", body)).status).toBe(201);
});

test("409 too_many_webhooks for the 21st, also of 30 at once", async () => {
  const { api } = await createTestTenant();
  const responses = await Promise.all(
    Array.from({ length: 30 }, () => api.post("/webhooks", { url: URL, types: ["*"] })),
  );
  const refused = responses.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => [status, body.error_code])).toEqual(
    Array.from({ length: 10 }, () => [409, "too_many_webhooks"]),
  );
  expect((await api.get("/webhooks")).body.data.webhooks).toHaveLength(20);
});

test("200 changes a webhook; enabling it forgets why it was disabled", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const { id } = await createTestWebhook(tenant);
  const change = { url: `${URL}/2`, types: EVENT_TYPES.slice(0, 3), description: null };
  expect((await api.patch(`/webhooks/${id}`, change)).body.data).toMatchObject(change);
  const disabled = (await api.patch(`/webhooks/${id}`, { status: "disabled" })).body.data;
  expect(disabled).toMatchObject({ status: "disabled", disabled_reason: "request", ...change });
  const again = (await api.patch(`/webhooks/${id}`, { status: "disabled" })).body.data;
  expect(again.disabled_at).toBe(disabled.disabled_at);
  await queryRows(sql`
    update webhooks set disabled_reason = 'failures', failing_since = now() - interval '5 days', warned_percent = 90 where id = ${id}`);
  const enabled = (await api.patch(`/webhooks/${id}`, { status: "enabled" })).body.data;
  expect(enabled).toMatchObject({ status: "enabled", disabled_at: null, disabled_reason: null, failing_since: null });
  expect(await queryRows(sql`select warned_percent from webhooks where id = ${id}`)).toEqual([{ warned_percent: 0 }]);
  expect(api.enqueuedWebhooks).toContainEqual({ webhookIds: [id], delaySeconds: 0 });
  expect((await api.patch(`/webhooks/${id}`, {})).status).toBe(422);
});

test("404 for the webhooks, secrets and deliveries of another tenant, whatever is sent", async () => {
  const tenant = await createTestTenant();
  const other = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  const own = await createTestWebhook(other);
  await writeEvent(tenant);
  await send(createSender(), webhook);
  const [delivery] = await listDeliveries(tenant, webhook);
  const paths = [
    ["GET", `/webhooks/${webhook.id}`],
    ["PATCH", `/webhooks/${webhook.id}`, { description: "mine" }],
    ["DELETE", `/webhooks/${webhook.id}`],
    ["POST", `/webhooks/${webhook.id}/rotate-secret`, {}],
    ["POST", `/webhooks/${webhook.id}/test`],
    ["GET", `/webhooks/${webhook.id}/deliveries`],
    ["POST", `/webhooks/${webhook.id}/deliveries/${delivery?.id}/redeliver`],
    ["POST", `/webhooks/${own.id}/deliveries/${delivery?.id}/redeliver`],
    ["POST", `/webhooks/${webhook.id}/replay`, { after: null }],
  ] as const;
  const before = await queryRows(sql`select * from webhooks where id = ${webhook.id}`);
  for (const [method, path, body] of paths) {
    const response = await other.api.call(method, path, { body });
    expect([method, path, response.status, response.body.error_code]).toEqual([method, path, 404, "not_found"]);
  }
  expect(await queryRows(sql`select * from webhooks where id = ${webhook.id}`)).toEqual(before);
  expect((await other.api.get("/webhooks")).body.data.webhooks).toHaveLength(1);
  expect(await listDeliveries(tenant, webhook)).toEqual([delivery]);
});

test("409 webhook_disabled for a test, a redelivery and a replay of a disabled webhook", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  await send(createSender(), webhook);
  const [delivery] = await listDeliveries(tenant, webhook);
  await api.patch(`/webhooks/${webhook.id}`, { status: "disabled" });
  for (const [path, body] of [
    ["test", undefined],
    [`deliveries/${delivery?.id}/redeliver`, undefined],
    ["replay", { after: null }],
  ] as const) {
    const response = await api.post(`/webhooks/${webhook.id}/${path}`, body);
    expect([response.status, response.body.error_code]).toEqual([409, "webhook_disabled"]);
  }
  expect(await listDeliveries(tenant, webhook)).toEqual([delivery]);
});

/** Loses the response of the statement that changes webhooks: the change is stored, and the caller gets 503. */
async function losingResponse<Result>(work: () => Promise<Result>): Promise<Result> {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await plain(input, init);
    if (/(insert into|update) \\"webhooks/.test(String(init?.body ?? ""))) throw new TypeError("fetch failed");
    return response;
  };
  try {
    return await work();
  } finally {
    globalThis.fetch = plain;
  }
}

test("a retry with the same Idempotency-Key finds the webhook and the secret that the first request stored", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const create = () => api.post("/webhooks", { url: URL, types: ["*"] }, { "Idempotency-Key": "create" });
  expect((await losingResponse(create)).status).toBe(503);
  const [stored] = (await api.get("/webhooks")).body.data.webhooks;
  const { secret, ...created } = (await create()).body.data;
  expect(created).toEqual(stored);
  const readSecrets = () =>
    queryRows<{ secret: string; previous: string }>(
      sql`select secret, previous_secret as previous from webhooks where id = ${stored.id}`,
    );
  const [before] = await readSecrets();
  const rotate = () => api.post(`/webhooks/${stored.id}/rotate-secret`, {}, { "Idempotency-Key": "rotate" });
  expect((await losingResponse(rotate)).status).toBe(503);
  const rotated = await rotate();
  expect([rotated.status, rotated.body.data.secret]).not.toEqual([200, secret]);
  const [after] = await readSecrets();
  // The secret that the receiver has still signs, so that it was not rotated twice.
  expect(after?.previous).toBe(before?.secret);
  const open = (sealed = "") => openWebhookSecret({ tokenKeys: { current: vars.TOKEN_KEY ?? "" } }, stored.id, sealed);
  expect(await open(after?.secret)).toBe(rotated.body.data.secret);
  expect(await open(after?.previous)).toBe(secret);
});

test("200 for a repeated rotation to the same secret: nothing changes, and the answer has the end of the one before", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const webhook = await createTestWebhook(tenant);
  const rotate = async (secret: string) =>
    (await api.post(`/webhooks/${webhook.id}/rotate-secret`, { secret })).body.data.previous_secret_until;
  // There is none before the first secret.
  expect(Date.parse(await rotate(webhook.secret))).toBeLessThanOrEqual(Date.now());
  const chosen = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  await rotate(chosen);
  const [row] = await queryRows<{ until: string }>(sql`
    update webhooks set previous_secret_until = now() + interval '21 hours' where id = ${webhook.id}
    returning previous_secret_until as until`);
  expect(await rotate(chosen)).toBe(new Date(row?.until ?? "").toISOString());
});

test("the audit log has who made, changed and deleted a webhook", async () => {
  const tenant = await createTestTenant();
  const { id } = await createTestWebhook(tenant);
  await tenant.api.patch(`/webhooks/${id}`, { description: "b" });
  await tenant.api.delete(`/webhooks/${id}`);
  const rows = await queryRows<{ action: string }>(
    sql`select action from audit_log where record_id = ${id} order by id`,
  );
  expect(rows.map(({ action }) => action)).toEqual(["webhooks.create", "webhooks.update", "webhooks.delete"]);
});

test("a read takes 1 round trip, a write 2, with an idempotency key 3", async () => {
  const tenant = await createTestTenant();
  const webhook = await createTestWebhook(tenant);
  await writeEvent(tenant);
  await send(createSender(), webhook);
  const [delivery] = await listDeliveries(tenant, webhook);
  const measure = async (method: string, path: string, body?: unknown, key?: string) => {
    const requestId = newId();
    const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
    const { result, cost } = await measureCost(requestId, () => tenant.api.call(method, path, { body, headers }));
    return [result.status, cost.round_trips];
  };
  const path = `/webhooks/${webhook.id}`;
  expect(await measure("GET", "/webhooks")).toEqual([200, 1]);
  expect(await measure("GET", path)).toEqual([200, 1]);
  expect(await measure("GET", `${path}/deliveries`)).toEqual([200, 1]);
  const writes = [
    ["POST", "/webhooks", { url: URL, types: ["*"] }, 201],
    ["PATCH", path, { description: "b" }, 200],
    ["POST", `${path}/rotate-secret`, {}, 200],
    ["POST", `${path}/test`, undefined, 201],
    ["POST", `${path}/deliveries/${delivery?.id}/redeliver`, undefined, 200],
    ["POST", `${path}/replay`, { after: null }, 200],
  ] as const;
  for (const [method, to, body, status] of writes) {
    expect([to, await measure(method, to, body)]).toEqual([to, [status, 2]]);
    expect([to, await measure(method, to, body, newId())]).toEqual([to, [status, 3]]);
  }
  expect(await measure("DELETE", path)).toEqual([200, 2]);
});
