// Retries of a create whose first execution crashed or failed: the retry finds the post.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { claimKey } from "../../lib/http/idempotency.ts";
import { savePlan } from "../../lib/queries/tenants.ts";
import { openServices } from "../../lib/services/context.ts";
import { DEMO_VIDEO, putBytes } from "../files/upload-file.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import {
  createBindings,
  createTestAccount,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  vars,
} from "../support/harness.ts";
import { countPosts, expireLease } from "./idempotency-records.ts";

/** A media host whose file can become unavailable; `env` allows its private address. */
let host: Server;
let env: Record<string, string>;
let urlGone = false;

beforeAll(async () => {
  host = createServer((_request, response) => {
    response.writeHead(urlGone ? 404 : 200, { "content-type": "video/mp4", "content-length": 4 }).end("clip");
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const { port } = host.address() as AddressInfo;
  env = { ALLOWED_PRIVATE_HOSTS: `${vars.ALLOWED_PRIVATE_HOSTS},127.0.0.1:${port}` };
});

afterAll(() => {
  host.close();
});

afterEach(() => {
  urlGone = false;
  vi.useRealTimers();
});

/** Advances the clock of this process; only `Date` is replaced, so that I/O continues. */
function advanceClock(ms: number) {
  const now = Date.now() + ms;
  vi.useFakeTimers({ toFake: ["Date"], now });
}

async function createPostInput() {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const { port } = host.address() as AddressInfo;
  const media = { type: "video", url: `http://127.0.0.1:${port}/${newId()}.mp4` };
  const body = { caption: "once", accounts: [{ id: account.id }], media };
  const key = newId();
  const create = (more: object) =>
    tenant.api.call("POST", "/posts", { body: { ...body, ...more }, headers: { "Idempotency-Key": key }, env });
  return { tenant, body, key, create };
}

/** Runs one request; `broken` selects the calls to Redis or the database whose responses are lost. */
async function withLostCalls<Result>(broken: (url: string, body: string) => boolean, work: () => Promise<Result>) {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await plain(input, init);
    if (broken(String(input), String(init?.body ?? ""))) throw new TypeError("fetch failed");
    return response;
  };
  return work().finally(() => {
    globalThis.fetch = plain;
  });
}

/** The Worker crashes after its response: its claim is not released. */
async function withCrash<Result>(work: () => Promise<Result>): Promise<Result> {
  const plain = globalThis.fetch;
  let isDead = false;
  globalThis.fetch = async (input, init) => {
    const isRedis = String(input).startsWith(vars.UPSTASH_REDIS_REST_URL ?? "-");
    if (isRedis && isDead) throw new TypeError("the worker is dead");
    const response = await plain(input, init);
    // A Redis that has not seen the script yet is sent it in a second call.
    if (isRedis) isDead = !(await response.clone().text()).includes("NOSCRIPT");
    return response;
  };
  return withFastPauses(work).finally(() => {
    globalThis.fetch = plain;
  });
}

const isPostInsert = (url: string, body: string) =>
  url === vars.DATABASE_FETCH_URL && /insert into (\\")?posts/.test(body);

const setPlan = (tenant: Tenant, status: "active" | "canceled") =>
  savePlan(openTestDatabase(), tenant, newId(), { tier: "professional", status, paidUntil: null });

for (const end of ["died", "returned 503"] as const) {
  test(`201 an execution that ${end} after its insert, then a rejected retry: the next retry finds the post`, async () => {
    const { tenant, key, create } = await createPostInput();
    if (end === "died") {
      await withCrash(() => create({}));
      await expireLease(tenant, key);
    } else {
      const first = await withLostCalls(isPostInsert, () => create({}));
      expect(first.status).toBe(503);
    }
    expect(await countPosts(tenant)).toBe(1);
    await setPlan(tenant, "canceled");
    expect((await create({})).status).toBe(402);
    await setPlan(tenant, "active");
    const again = await create({});
    expect(again.status).toBe(201);
    const [post] = await queryRows<{ id: string }>(sql`select id from posts where scope_id = ${tenant.workspaceId}`);
    expect([await countPosts(tenant), again.body.data.id]).toEqual([1, post?.id]);
  });
}

test("an error keeps the seed of a claim that was taken over, and frees the key of a new claim", async () => {
  const { redis } = openServices(createBindings([]), newId(), () => undefined);
  const [principal, fingerprint, at] = [newId(), "a".repeat(64), new Date()];
  const take = async (key: string, holder: string) => {
    const taken = await claimKey(redis, principal, key, fingerprint, holder, at, -1);
    if (taken.state !== "owned") throw new Error("should be free");
    return taken;
  };
  const [old, fresh] = [newId(), newId()];
  await take(old, "one");
  const second = await take(old, "two");
  await second.release("free");
  expect((await take(old, "three")).seed).toBe("one");
  await (await take(fresh, "one")).release("free");
  expect((await take(fresh, "two")).seed).toBe("two");
});

test("201 returns the first post for a retry after scheduled_at has passed", async () => {
  const { tenant, key, create } = await createPostInput();
  const scheduled_at = new Date(Date.now() + 600_000).toISOString();
  const first = await withCrash(() => create({ scheduled_at }));
  await expireLease(tenant, key);
  advanceClock(3_600_000);
  const again = await create({ scheduled_at });
  expect([again.status, again.body.data?.id]).toEqual([201, first.body.data.id]);
  expect(await countPosts(tenant)).toBe(1);
});

test("201 returns the first post for a retry after its media became unavailable; 400 for a new post with that media", async () => {
  const { tenant, body, key, create } = await createPostInput();
  const first = await withCrash(() => create({}));
  await expireLease(tenant, key);
  urlGone = true;
  const again = await create({});
  expect([again.status, again.body.data?.id]).toEqual([201, first.body.data.id]);
  const other = await tenant.api.call("POST", "/posts", { body, env });
  expect([other.status, other.body.error_code]).toEqual([400, "media_unreachable"]);
  expect(await countPosts(tenant)).toBe(1);
});

test("200 returns the post of an external_id after its time passed and its media became unavailable; 409 for another payload", async () => {
  const { tenant, body } = await createPostInput();
  const scheduled_at = new Date(Date.now() + 600_000).toISOString();
  const send = (more: object) =>
    tenant.api.call("POST", "/posts", { body: { ...body, scheduled_at, external_id: "mine", ...more }, env });
  const first = await send({});
  expect(first.status).toBe(201);
  advanceClock(3_600_000);
  urlGone = true;
  const again = await send({});
  expect([again.status, again.body.data?.duplicate, again.body.data?.id]).toEqual([200, true, first.body.data.id]);
  const other = await send({ caption: "another" });
  expect([other.status, other.body.error_code]).toEqual([409, "external_id_conflict"]);
  const unseen = await send({ external_id: "new" });
  expect([unseen.status, unseen.body.error_code]).toEqual([400, "validation_failed"]);
});

test("409 a crashed finalize is in progress for 15 minutes, a crashed create for one", async () => {
  const { tenant, create } = await createPostInput();
  const started = await tenant.api.post("/files", { contentType: "video/mp4" });
  await putBytes(started.body.data, await readFile(DEMO_VIDEO));
  const headers = { "Idempotency-Key": newId() };
  const finalize = () => tenant.api.post(`/files/${started.body.data.id}/finalize`, {}, headers);
  const codes = async () => [(await finalize()).body.error_code, (await create({})).body.error_code];
  await withCrash(finalize);
  await withCrash(() => create({}));
  expect(await codes()).toEqual(["request_in_progress", "request_in_progress"]);
  advanceClock(61_000);
  expect(await codes()).toEqual(["request_in_progress", undefined]);
  advanceClock(13 * 60_000);
  expect((await finalize()).body.error_code).toBe("request_in_progress");
  advanceClock(61_000);
  expect((await finalize()).status).toBe(200);
});
