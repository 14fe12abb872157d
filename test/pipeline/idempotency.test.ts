// Idempotency keys over HTTP: one execution, the same answer again, and a free key after a refusal or a crash.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { openWorld } from "../../lib/call.ts";
import { claim } from "../../lib/idempotency.ts";
import { sha256Hex } from "../../lib/secrets.ts";
import { uploadedVideo } from "../files/uploaded.ts";
import { bindings, client, mintAccount, mintKey, mintTenant, rows, type Tenant, vars } from "../harness.ts";

async function postable() {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "instagram");
  const url = await uploadedVideo(tenant.api);
  return { tenant, body: { caption: "once", accounts: [{ id: account.id }], media: { type: "video", url } } };
}

const count = async (tenant: Tenant) => {
  const [row] = await rows<{ n: number }>(
    sql`select count(*)::int as n from posts where scope_id = ${tenant.workspaceId}`,
  );
  return row?.n;
};

test("201 once and the same answer again for 20 parallel requests with one key", async () => {
  const { tenant, body } = await postable();
  const headers = { "Idempotency-Key": newId() };
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.api.post("/posts", body, headers)));
  const made = answers.filter(({ status }) => status === 201);
  const busy = answers.filter(({ status }) => status === 409);
  expect(made.length).toBeGreaterThan(0);
  expect(made.length + busy.length).toBe(20);
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
  expect(
    busy.every(({ body, headers }) => body.error_code === "request_in_progress" && headers.get("retry-after")),
  ).toBe(true);
  expect(await count(tenant)).toBe(1);
  const again = await tenant.api.post("/posts", body, headers);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(again.body).toEqual(made[0]?.body);
});

test("409 idempotency_key_reused for another body or another operation, whatever the order of its keys", async () => {
  const { tenant, body } = await postable();
  const headers = { "Idempotency-Key": newId() };
  expect((await tenant.api.post("/posts", body, headers)).status).toBe(201);
  const reordered = Object.fromEntries(Object.entries(body).reverse());
  expect((await tenant.api.post("/posts", reordered, headers)).headers.get("idempotent-replayed")).toBe("true");
  const other = await tenant.api.post("/posts", { ...body, caption: "twice" }, headers);
  expect([other.status, other.body.error_code]).toEqual([409, "idempotency_key_reused"]);
  const operation = await tenant.api.post("/files", { contentType: "video/mp4" }, headers);
  expect([operation.status, operation.body.error_code]).toEqual([409, "idempotency_key_reused"]);
});

test("a key belongs to the API key or grant that sent it", async () => {
  const { tenant, body } = await postable();
  const headers = { "Idempotency-Key": newId() };
  const first = await tenant.api.post("/posts", body, headers);
  const grant = client(await mintKey(tenant, { kind: "grant" }));
  const second = await grant.post("/posts", body, headers);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.data.id).not.toBe(first.body.data.id);
});

test("a refused request leaves its key free for another body", async () => {
  const { tenant, body } = await postable();
  const headers = { "Idempotency-Key": newId() };
  const refused = await tenant.api.post("/posts", { ...body, caption: "x".repeat(5000) }, headers);
  expect(refused.status).toBe(400);
  expect((await tenant.api.post("/posts", body, headers)).status).toBe(201);
});

test("a worker that dies after the insert and before the answer: the repeat answers with the first one's post", async () => {
  const { tenant, body } = await postable();
  const key = newId();
  const first = await withoutSecondRedisCall(() => tenant.api.post("/posts", body, { "Idempotency-Key": key }));
  const held = await tenant.api.post("/posts", body, { "Idempotency-Key": key });
  expect(held.body.error_code).toBe("request_in_progress");
  await expireLease(tenant, key);
  const again = await tenant.api.post("/posts", body, { "Idempotency-Key": key });
  expect(again.status).toBe(201);
  expect(again.body.data.id).toBe(first.body.data.id);
  expect(await count(tenant)).toBe(1);
});

/** Runs one request whose claim is made and never ended. */
async function withoutSecondRedisCall<Result>(work: () => Promise<Result>): Promise<Result> {
  const plain = globalThis.fetch;
  let redisCalls = 0;
  globalThis.fetch = async (input, init) => {
    const toRedis = String(input).startsWith(vars.UPSTASH_REDIS_REST_URL ?? "");
    if (toRedis && ++redisCalls > 1) throw new TypeError("the worker is dead");
    return plain(input, init);
  };
  return work().finally(() => {
    globalThis.fetch = plain;
  });
}

async function expireLease(tenant: Tenant, key: string): Promise<void> {
  const [principal] = await rows<{ id: string }>(sql`select id from api_keys where scope_id = ${tenant.workspaceId}`);
  const { redis } = openWorld(bindings([]), newId(), () => undefined);
  await redis.hset(`idem:${principal?.id}:${sha256Hex(key)}`, { until: 0 });
}

test("a dead worker's claim is taken over with the same ids once its lease has run out", async () => {
  const { redis } = openWorld(bindings([]), newId(), () => undefined);
  const [principal, key, print] = [newId(), newId(), "a".repeat(64)];
  const at = new Date();
  const first = await claim(redis, principal, key, print, "one", at, 60_000);
  await expect(claim(redis, principal, key, print, "two", at, 60_000)).rejects.toMatchObject({
    code: "request_in_progress",
  });
  const later = new Date(at.getTime() + 61_000);
  const second = await claim(redis, principal, key, print, "two", later, 60_000);
  if (first.state !== "mine" || second.state !== "mine") throw new Error("both should hold the claim");
  expect([second.seed, second.startedAt]).toEqual([first.seed, first.startedAt]);
  await first.store({ status: 201, body: "from the dead" });
  await second.store({ status: 201, body: "{}" });
  const third = await claim(redis, principal, key, print, "three", later, 60_000);
  expect(third).toMatchObject({ state: "replay", answer: { status: 201, body: "{}" } });
});
