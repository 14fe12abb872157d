// Repeats of a create whose first execution died or broke: the post is found again, whatever happened in between.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openWorld } from "../../lib/call.ts";
import { claim } from "../../lib/idempotency.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { sha256Hex } from "../../lib/secrets.ts";
import { DEMO_VIDEO, put } from "../files/uploaded.ts";
import { bindings, database, mintAccount, mintTenant, rows, type Tenant, vars } from "../harness.ts";

/** A media host whose file can vanish; its address is let through by `env`. */
let host: Server;
let env: Record<string, string>;
let vanished = false;

beforeAll(async () => {
  host = createServer((_request, response) => {
    response.writeHead(vanished ? 404 : 200, { "content-type": "video/mp4", "content-length": 4 }).end();
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const { port } = host.address() as AddressInfo;
  env = { ALLOWED_PRIVATE_HOSTS: `${vars.ALLOWED_PRIVATE_HOSTS},127.0.0.1:${port}` };
});

afterAll(() => {
  host.close();
});

afterEach(() => {
  vanished = false;
  vi.useRealTimers();
});

/** Moves the clock of this process; nothing but `Date` is replaced, so that I/O goes on. */
function pass(ms: number) {
  const now = Date.now() + ms;
  vi.useFakeTimers({ toFake: ["Date"], now });
}

async function postable() {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "instagram");
  const { port } = host.address() as AddressInfo;
  const media = { type: "video", url: `http://127.0.0.1:${port}/${newId()}.mp4` };
  const body = { caption: "once", accounts: [{ id: account.id }], media };
  const key = newId();
  const create = (more: object) =>
    tenant.api.call("POST", "/posts", { body: { ...body, ...more }, headers: { "Idempotency-Key": key }, env });
  return { tenant, body, key, create };
}

const count = async (tenant: Tenant) => {
  const [row] = await rows<{ n: number }>(
    sql`select count(*)::int as n from posts where scope_id = ${tenant.workspaceId}`,
  );
  return row?.n;
};

/** Runs one request while `broken` decides which answers of Redis or the database are lost after they were given. */
async function losing<Result>(broken: (url: string, body: string) => boolean, work: () => Promise<Result>) {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const answer = await plain(input, init);
    if (broken(String(input), String(init?.body ?? ""))) throw new TypeError("fetch failed");
    return answer;
  };
  return work().finally(() => {
    globalThis.fetch = plain;
  });
}

/** The worker dies after it has answered: nobody ends its claim. */
async function crashing<Result>(work: () => Promise<Result>): Promise<Result> {
  const plain = globalThis.fetch;
  let redisCalls = 0;
  globalThis.fetch = async (input, init) => {
    if (String(input).startsWith(vars.UPSTASH_REDIS_REST_URL ?? "-") && ++redisCalls > 1) {
      throw new TypeError("the worker is dead");
    }
    return plain(input, init);
  };
  return work().finally(() => {
    globalThis.fetch = plain;
  });
}

const insertOfPost = (url: string, body: string) => url === vars.DATABASE_FETCH_URL && /insert into posts/.test(body);

async function expireLease(tenant: Tenant, key: string): Promise<void> {
  const [principal] = await rows<{ id: string }>(sql`select id from api_keys where scope_id = ${tenant.workspaceId}`);
  const { redis } = openWorld(bindings([]), newId(), () => undefined);
  await redis.hset(`idem:${principal?.id}:${sha256Hex(key)}`, { until: 0 });
}

const plan = (tenant: Tenant, status: "active" | "canceled") =>
  tenants.setPlan(database(), tenant, newId(), { tier: "professional", status, paidUntil: null });

for (const end of ["died", "answered 503"] as const) {
  test(`an execution that ${end} after its insert, then a repeat that is refused: the next repeat finds the post`, async () => {
    const { tenant, key, create } = await postable();
    if (end === "died") {
      await crashing(() => create({}));
      await expireLease(tenant, key);
    } else {
      const first = await losing(insertOfPost, () => create({}));
      expect(first.status).toBe(503);
    }
    expect(await count(tenant)).toBe(1);
    await plan(tenant, "canceled");
    expect((await create({})).status).toBe(402);
    await plan(tenant, "active");
    const again = await create({});
    expect(again.status).toBe(201);
    const [post] = await rows<{ id: string }>(sql`select id from posts where scope_id = ${tenant.workspaceId}`);
    expect([await count(tenant), again.body.data.id]).toEqual([1, post?.id]);
  });
}

test("the seed of a claim that was taken over outlives a refusal; a claim of its own is free after one", async () => {
  const { redis } = openWorld(bindings([]), newId(), () => undefined);
  const [principal, print, at] = [newId(), "a".repeat(64), new Date()];
  const take = async (key: string, holder: string) => {
    const taken = await claim(redis, principal, key, print, holder, at, -1);
    if (taken.state !== "mine") throw new Error("should be free");
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

test("201 the first one's post for a repeat after scheduled_at has passed", async () => {
  const { tenant, key, create } = await postable();
  const scheduled_at = new Date(Date.now() + 600_000).toISOString();
  const first = await crashing(() => create({ scheduled_at }));
  await expireLease(tenant, key);
  pass(3_600_000);
  const again = await create({ scheduled_at });
  expect([again.status, again.body.data?.id]).toEqual([201, first.body.data.id]);
  expect(await count(tenant)).toBe(1);
});

test("201 the first one's post for a repeat after its media vanished; 400 for a new post with them", async () => {
  const { tenant, body, key, create } = await postable();
  const first = await crashing(() => create({}));
  await expireLease(tenant, key);
  vanished = true;
  const again = await create({});
  expect([again.status, again.body.data?.id]).toEqual([201, first.body.data.id]);
  const other = await tenant.api.call("POST", "/posts", { body, env });
  expect([other.status, other.body.error_code]).toEqual([400, "media_unreachable"]);
  expect(await count(tenant)).toBe(1);
});

test("200 the post of an external_id whose time has passed and whose media vanished; 409 for another payload", async () => {
  const { tenant, body } = await postable();
  const scheduled_at = new Date(Date.now() + 600_000).toISOString();
  const send = (more: object) =>
    tenant.api.call("POST", "/posts", { body: { ...body, scheduled_at, external_id: "mine", ...more }, env });
  const first = await send({});
  expect(first.status).toBe(201);
  pass(3_600_000);
  vanished = true;
  const again = await send({});
  expect([again.status, again.body.data?.duplicate, again.body.data?.id]).toEqual([200, true, first.body.data.id]);
  const other = await send({ caption: "another" });
  expect([other.status, other.body.error_code]).toEqual([409, "external_id_conflict"]);
  const unseen = await send({ external_id: "new" });
  expect([unseen.status, unseen.body.error_code]).toEqual([400, "validation_failed"]);
});

test("a finalize that died is in progress for 15 minutes, a create for one", async () => {
  const { tenant, create } = await postable();
  const started = await tenant.api.post("/files", { contentType: "video/mp4" });
  await put(started.body.data, await readFile(DEMO_VIDEO));
  const headers = { "Idempotency-Key": newId() };
  const finalize = () => tenant.api.post(`/files/${started.body.data.id}/finalize`, {}, headers);
  const codes = async () => [(await finalize()).body.error_code, (await create({})).body.error_code];
  await crashing(finalize);
  await crashing(() => create({}));
  expect(await codes()).toEqual(["request_in_progress", "request_in_progress"]);
  pass(61_000);
  expect(await codes()).toEqual(["request_in_progress", undefined]);
  pass(13 * 60_000);
  expect((await finalize()).body.error_code).toBe("request_in_progress");
  pass(61_000);
  expect((await finalize()).status).toBe(200);
});
