// Idempotency keys over HTTP: one execution, replayed responses, and free keys after errors and crashes.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { claimKey } from "../../lib/http/idempotency.ts";
import { openServices } from "../../lib/services/context.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import {
  createBindings,
  createClient,
  createTestAccount,
  createTestKey,
  createTestTenant,
  vars,
} from "../support/harness.ts";
import { countPosts, expireLease } from "./idempotency-records.ts";

async function createPostInput() {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const url = await uploadDemoVideo(tenant.api);
  return { tenant, body: { caption: "once", accounts: [{ id: account.id }], media: { type: "video", url } } };
}

test("201 executes once for 20 parallel requests with one key and replays the response", async () => {
  const { tenant, body } = await createPostInput();
  const headers = { "Idempotency-Key": newId() };
  const responses = await Promise.all(Array.from({ length: 20 }, () => tenant.api.post("/posts", body, headers)));
  const made = responses.filter(({ status }) => status === 201);
  const busy = responses.filter(({ status }) => status === 409);
  expect(made.length).toBeGreaterThan(0);
  expect(made.length + busy.length).toBe(20);
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
  expect(
    busy.every(({ body, headers }) => body.error_code === "request_in_progress" && headers.get("retry-after")),
  ).toBe(true);
  expect(await countPosts(tenant)).toBe(1);
  const again = await tenant.api.post("/posts", body, headers);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(again.body).toEqual(made[0]?.body);
});

test("409 idempotency_key_reused for another body or operation; the order of JSON keys does not matter", async () => {
  const { tenant, body } = await createPostInput();
  const headers = { "Idempotency-Key": newId() };
  expect((await tenant.api.post("/posts", body, headers)).status).toBe(201);
  const reordered = Object.fromEntries(Object.entries(body).reverse());
  expect((await tenant.api.post("/posts", reordered, headers)).headers.get("idempotent-replayed")).toBe("true");
  const other = await tenant.api.post("/posts", { ...body, caption: "twice" }, headers);
  expect([other.status, other.body.error_code]).toEqual([409, "idempotency_key_reused"]);
  const operation = await tenant.api.post("/files", { contentType: "video/mp4" }, headers);
  expect([operation.status, operation.body.error_code]).toEqual([409, "idempotency_key_reused"]);
});

test("201 idempotency keys are scoped to the API key or grant", async () => {
  const { tenant, body } = await createPostInput();
  const headers = { "Idempotency-Key": newId() };
  const first = await tenant.api.post("/posts", body, headers);
  const grant = createClient(await createTestKey(tenant, { kind: "grant" }));
  const second = await grant.post("/posts", body, headers);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.data.id).not.toBe(first.body.data.id);
});

test("201 replays for the same ids in capitals, in the body and in the path", async () => {
  const { tenant, body } = await createPostInput();
  const headers = { "Idempotency-Key": newId() };
  expect((await tenant.api.post("/posts", body, headers)).status).toBe(201);
  const capitals = { ...body, accounts: body.accounts.map(({ id }) => ({ id: id.toUpperCase() })) };
  expect((await tenant.api.post("/posts", capitals, headers)).headers.get("idempotent-replayed")).toBe("true");
  const { id } = (await tenant.api.post("/packs", { name: "Old" })).body.data;
  const key = { "Idempotency-Key": newId() };
  const first = await tenant.api.call("PATCH", `/packs/${id}`, { body: { name: "New" }, headers: key });
  const path = `/packs/${id.toUpperCase()}`;
  const again = await tenant.api.call("PATCH", path, { body: { name: "New" }, headers: key });
  expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"]);
});

test("409 idempotency_key_reused for a text that contains an id in another letter case", async () => {
  const { tenant, body } = await createPostInput();
  for (const caption of [(id: string) => `see ${id}`, (id: string) => `${id} is new`, (id: string) => `"${id}"`]) {
    const [id, headers] = [newId(), { "Idempotency-Key": newId() }];
    expect((await tenant.api.post("/posts", { ...body, caption: caption(id) }, headers)).status).toBe(201);
    const other = { ...body, caption: caption(id.toUpperCase()) };
    const reused = await tenant.api.post("/posts", other, headers);
    expect([reused.status, reused.body.error_code]).toEqual([409, "idempotency_key_reused"]);
    const accounts = body.accounts.map((account) => ({ id: account.id.toUpperCase() }));
    const same = await tenant.api.post("/posts", { ...body, accounts, caption: caption(id) }, headers);
    expect([same.status, same.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  }
});

test("201 a rejected request leaves its key free for another body", async () => {
  const { tenant, body } = await createPostInput();
  const headers = { "Idempotency-Key": newId() };
  const rejected = await tenant.api.post("/posts", { ...body, caption: "x".repeat(5000) }, headers);
  expect(rejected.status).toBe(400);
  expect((await tenant.api.post("/posts", body, headers)).status).toBe(201);
});

test("201 a retry returns the first post when the Worker crashed between insert and response", async () => {
  const { tenant, body } = await createPostInput();
  const key = newId();
  const first = await withoutSecondRedisCall(() => tenant.api.post("/posts", body, { "Idempotency-Key": key }));
  const held = await tenant.api.post("/posts", body, { "Idempotency-Key": key });
  expect(held.body.error_code).toBe("request_in_progress");
  await expireLease(tenant, key);
  const again = await tenant.api.post("/posts", body, { "Idempotency-Key": key });
  expect(again.status).toBe(201);
  expect(again.body.data.id).toBe(first.body.data.id);
  expect(await countPosts(tenant)).toBe(1);
});

/** Runs one request whose claim is never released. */
async function withoutSecondRedisCall<Result>(work: () => Promise<Result>): Promise<Result> {
  const plain = globalThis.fetch;
  let redisCalls = 0;
  globalThis.fetch = async (input, init) => {
    const toRedis = String(input).startsWith(vars.UPSTASH_REDIS_REST_URL ?? "");
    if (toRedis && ++redisCalls > 1) throw new TypeError("the worker is dead");
    return plain(input, init);
  };
  return withFastPauses(work).finally(() => {
    globalThis.fetch = plain;
  });
}

test("201 takes over the claim of a crashed Worker with the same ids after its lease", async () => {
  const { redis } = openServices(createBindings([]), newId(), () => undefined);
  const [principal, key, fingerprint] = [newId(), newId(), "a".repeat(64)];
  const at = new Date();
  const first = await claimKey(redis, principal, key, fingerprint, "one", at, 60_000);
  // As long again as it has run, at least a second, and at most the rest of the lease.
  for (const [ranMs, seconds] of [
    [10, 1],
    [1_500, 2],
    [20_000, 20],
    [45_000, 15],
    [59_900, 1],
  ] as const) {
    const claiming = claimKey(redis, principal, key, fingerprint, "two", new Date(at.getTime() + ranMs), 60_000);
    await expect(claiming).rejects.toMatchObject({
      code: "request_in_progress",
      extra: { retry_after_seconds: seconds },
    });
  }
  const later = new Date(at.getTime() + 61_000);
  const second = await claimKey(redis, principal, key, fingerprint, "two", later, 60_000);
  if (first.state !== "owned" || second.state !== "owned") throw new Error("both should hold the claim");
  expect([second.seed, second.startedAt]).toEqual([first.seed, first.startedAt]);
  await first.store({ status: 201, body: "from the dead" });
  await second.store({ status: 201, body: "{}" });
  const third = await claimKey(redis, principal, key, fingerprint, "three", later, 60_000);
  expect(third).toMatchObject({ state: "replay", response: { status: 201, body: "{}" } });
});
