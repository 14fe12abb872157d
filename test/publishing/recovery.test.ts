// What survives a fault: lost leases, lost answers of the database, questions that a network refuses.
import { sql } from "drizzle-orm";
import pg from "pg";
import { v7 as newId } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { publishDue } from "../../lib/publishing/publisher.ts";
import { DEADLINE_AFTER_DUE_MS, HEARTBEAT_MS, LEASE_MS } from "../../lib/publishing/timing.ts";
import * as deliveries from "../../lib/queries/deliveries.ts";
import { database, publisher, rows } from "../harness.ts";
import {
  connected,
  flaky,
  hangs,
  later,
  lost,
  NOON,
  network,
  refused,
  rowOf,
  set,
  traceOf,
  untilDone,
  type Waiting,
  waiting,
  writes,
} from "./wire.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("two deliveries of one account that were both begun do not wait for each other for ever", async () => {
  const setting = await connected("instagram");
  const ids = [await waiting(setting, NOON), await waiting(setting, later(1))];
  await set(ids, sql`stage = 'started', handle = '{"container": "17801", "startedAt": 0}'`);
  const { world } = publisher(later(1_000), { fetch: network({}).fetch });
  await publishDue(world, ids);
  for (const id of ids) expect(await rowOf(id)).toMatchObject({ status: "posted", next: null });
});

test("a new delivery waits for the one that is under way at its account", async () => {
  const setting = await connected("instagram");
  const [begun, fresh] = [await waiting(setting, later(1)), await waiting(setting, NOON)];
  await set([begun], sql`stage = 'started', handle = '{"container": "17801", "startedAt": 0}'`);
  const { world } = publisher(later(1_000), {
    fetch: network({ status: [{ status_code: "IN_PROGRESS" }] }).fetch,
  });
  await publishDue(world, [begun, fresh]);
  expect(await rowOf(begun)).toMatchObject({ stage: "started", status: "pending" });
  expect(await rowOf(fresh)).toMatchObject({ stage: "new", leaseUntil: null });
});

/** A publisher that is stuck in the call named, with its heartbeat in our hands. */
async function stuckIn(name: string) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const setting = await connected("instagram");
  const id = await waiting(setting, NOON);
  const wire = network({ [name]: [hangs] });
  const { world, nudged, pass } = publisher(NOON, { fetch: wire.fetch });
  const working = publishDue(world, [id]);
  await vi.waitFor(() => expect(wire.times(name)).toBe(1), { timeout: 5_000, interval: 10 });
  const signal = () => wire.asked.find((call) => call.name === name)?.init.signal;
  const beat = async () => {
    pass(HEARTBEAT_MS);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  };
  return { setting, id, wire, nudged, working, signal, beat };
}

// The first call of all, the last one, and one between: the heart beats around the whole attempt.
for (const call of ["limit", "status", "publish"]) {
  test(`a lease that is lost while "${call}" hangs: the call is aborted and nothing is recorded`, async () => {
    const { setting, id, wire, nudged, working, signal, beat } = await stuckIn(call);
    const before = await rowOf(id);
    const trace = await traceOf(id);
    await beat();
    await vi.waitFor(async () => expect((await rowOf(id)).leaseUntil).toEqual(later(HEARTBEAT_MS + LEASE_MS)));
    expect(signal()?.aborted).toBe(false);
    const thief = newId();
    await set([id], sql`lease_token = ${thief}`);
    await rows(sql`update accounts set lease_token = ${thief} where id = ${setting.account.id} returning id`);
    await beat();
    await working;
    expect(signal()?.aborted).toBe(true);
    expect(await traceOf(id)).toEqual(trace);
    expect(await rowOf(id)).toEqual({ ...before, leaseToken: thief, leaseUntil: later(HEARTBEAT_MS + LEASE_MS) });
    expect([wire.times(call), nudged]).toEqual([1, []]);
  });
}

const NO_SCOPE = refused(403, { error: { code: "scope_not_authorized" } });
const RESTRICTED = refused(400, { error: { code: 25, error_subcode: 2207050 } });

test("a network that refuses the question after a lost answer has not judged the post: it is found later", async () => {
  const setting = await connected("instagram");
  const id = await waiting(setting, NOON);
  const out = { data: [{ id: "18001", permalink: "https://www.instagram.com/p/18001/", caption: "hello" }] };
  const media = [{ ...out, data: out.data.map((post) => ({ ...post, timestamp: later(5_000).toISOString() })) }];
  const status = [{ status_code: "FINISHED" }, RESTRICTED, RESTRICTED, { status_code: "PUBLISHED" }];
  const wire = network({ publish: [lost], status, media });
  const { world, pass } = publisher(NOON, { fetch: wire.fetch });
  await publishDue(world, [id]);
  for (let look = 0; look < 2; look++) {
    pass(60_000);
    await publishDue(world, [id]);
    expect(await rowOf(id)).toMatchObject({ status: "retry", stage: "armed", error_code: "outcome_unknown" });
  }
  expect(await untilDone({ world, pass }, id)).toMatchObject({ status: "posted", error_code: null });
  expect(wire.times("publish")).toBe(1);
});

test("a network that refuses to say how a taken post fares has not judged it: it is found later", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const status = [NO_SCOPE, NO_SCOPE, { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } }];
  const wire = network({ status });
  const { world, pass } = publisher(NOON, { fetch: wire.fetch });
  await publishDue(world, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "retry", stage: "sent", error_code: "outcome_unknown" });
  expect(await untilDone({ world, pass }, id)).toMatchObject({ status: "posted", error_code: null });
  expect(wire.times("publish")).toBe(1);
});

test("a network that says the taken post failed has judged it: the delivery fails with its reason", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({ status: [{ data: { status: "FAILED", fail_reason: "picture_size_check_failed" } }] });
  const row = await untilDone(publisher(NOON, { fetch: wire.fetch }), id);
  expect(row).toMatchObject({ status: "failed", stage: "done", error_code: "picture_size_check_failed" });
});

for (const when of ["before", "after"] as const) {
  test(`the database fails ${when} it writes "armed": nothing was sent, so the post still goes out`, async () => {
    const setting = await connected("tiktok");
    const id = await waiting(setting, NOON);
    const wire = network({});
    let failures = 0;
    const db = flaky(database(), (query, params) => (writes("armed", query, params) && failures++ === 0 ? when : null));
    const { world, pass } = publisher(NOON, { fetch: wire.fetch, db, log: () => undefined });
    await publishDue(world, [id]);
    expect(wire.times("publish")).toBe(0);
    expect(await rowOf(id)).toMatchObject({ status: "retry", stage: "started" });
    expect(await untilDone({ world, pass }, id)).toMatchObject({ status: "posted", attempts: 2 });
    expect(wire.times("publish")).toBe(1);
  });

  test(`the database fails twice ${when} it writes "sent": written at the third try, with what names the post`, async () => {
    const setting = await connected("tiktok");
    const id = await waiting(setting, NOON);
    const wire = network({ status: [{ data: { status: "PROCESSING_DOWNLOAD" } }] });
    let failures = 0;
    const db = flaky(database(), (query, params) => (writes("sent", query, params) && failures++ < 2 ? when : null));
    const { world } = publisher(NOON, { fetch: wire.fetch, db });
    await publishDue(world, [id]);
    expect(await rowOf(id)).toMatchObject({ status: "pending", stage: "sent", handle: { publishId: "p1" } });
    expect([failures, wire.times("publish")]).toEqual([3, 1]);
  });
}

/** The post of a delivery is retried by its owner; the row after whatever comes of it, under the clock of that request. */
async function retried({ tenant }: Waiting, id: string, wire: ReturnType<typeof network>) {
  const [{ post_id } = { post_id: "" }] = await rows<{ post_id: string }>(
    sql`select post_id from post_deliveries where id = ${id}`,
  );
  const answer = await tenant.api.post("/posts/retry", { post_ids: [post_id] });
  expect(answer.body.data).toMatchObject({ retried: 1, ids: [post_id] });
  return untilDone(publisher(new Date(), { fetch: wire.fetch }), id);
}

const PROCESSING = { data: { status: "PROCESSING_DOWNLOAD" } };
const OUT = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } };

test("a post that the network took and never finished: a retry asks for it again and sends nothing", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({ status: [PROCESSING, PROCESSING, OUT] });
  const { world, pass } = publisher(NOON, { fetch: wire.fetch });
  await publishDue(world, [id]);
  pass(DEADLINE_AFTER_DUE_MS);
  await publishDue(world, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "failed", error_code: "outcome_unknown", next: null });
  expect(await retried(setting, id, wire)).toMatchObject({ status: "posted", error_code: null });
  expect(wire.times("publish")).toBe(1);
});

test("a connection that died while the network finished a post: a retry after reconnecting sends nothing", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const dead = refused(401, { error: { code: "access_token_invalid" } });
  const wire = network({ status: [dead, OUT], refresh: [refused(400, { error: "invalid_grant" })] });
  await publishDue(publisher(NOON, { fetch: wire.fetch }).world, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "failed", error_code: "outcome_unknown", next: null });
  await rows(sql`update accounts set status = 'active' where id = ${setting.account.id} returning id`);
  expect(await retried(setting, id, wire)).toMatchObject({ status: "posted", error_code: null });
  expect(wire.times("publish")).toBe(1);
});

test('"sent" that cannot be written at all: what names the post is kept with the outcome, and the post is found', async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({});
  let failures = 0;
  const db = flaky(database(), (query, params) =>
    writes("sent", query, params) && params.includes("sent") && failures++ < 3 ? "before" : null,
  );
  const { world, pass } = publisher(NOON, { fetch: wire.fetch, db, log: () => undefined });
  await publishDue(world, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "retry", stage: "armed", handle: { publishId: "p1" } });
  expect(await untilDone({ world, pass }, id)).toMatchObject({ status: "posted" });
  expect(wire.times("publish")).toBe(1);
});

test("five minutes are enough for one invocation: what is left goes back to the queue", async () => {
  const setting = await connected("instagram");
  const ids = [await waiting(setting, NOON), await waiting(setting, later(1))];
  const clock = { pass: (_ms: number) => {} };
  const slow = () => {
    clock.pass(5 * 60_000 + 1);
    return Response.json({ id: "17801" });
  };
  const { world, nudged, pass } = publisher(later(1_000), { fetch: network({ container: [slow] }).fetch });
  clock.pass = pass;
  await publishDue(world, ids);
  expect((await rowOf(ids[1] ?? "")).stage).toBe("new");
  expect(await traceOf(ids[1] ?? "")).toEqual([]);
  expect(nudged.at(-1)).toEqual({ deliveryIds: ids, delaySeconds: 0 });
});

test("150 claims are enough for one invocation: the rest goes back to the queue", async () => {
  const setting = await connected("instagram", { status: "paused" });
  const [first, postId] = [await waiting(setting, NOON), newId()];
  // Paused accounts make the cheapest attempts; six of them, because one serves one delivery at a time.
  const accounts = await Promise.all(Array.from({ length: 6 }, () => connected("instagram", { status: "paused" })));
  const copies = await rows<{ id: string }>(sql`
    with p as (
      insert into posts (id, owner_id, workspace_id, caption, settings, metadata, payload_hash)
      select md5(${postId} || n)::uuid, owner_id, workspace_id, caption, settings, metadata, ''
      from posts, generate_series(1, 26) n where id = (select post_id from post_deliveries where id = ${first})
      returning id
    )
    insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at)
    select gen_random_uuid(), p.id, a.id, 0, 'pending', d.due_at, d.next_attempt_at, d.deadline_at
    from p, accounts a, post_deliveries d
    where d.id = ${first} and a.id = any(${`{${accounts.map(({ account }) => account.id).join(",")}}`}::uuid[])
    returning id`);
  const ids = copies.map(({ id }) => id);
  const tried = async () => {
    const [row] = await rows<{ n: number }>(
      sql`select count(*)::int as n from post_deliveries where id = any(${`{${ids.join(",")}}`}::uuid[]) and last_attempted_at is not null`,
    );
    return row?.n;
  };
  const { world, nudged } = publisher(NOON);
  await publishDue(world, ids);
  expect([ids.length, await tried()]).toEqual([156, 150]);
  const again = nudged.filter(({ delaySeconds }) => delaySeconds === 0).flatMap(({ deliveryIds }) => deliveryIds);
  expect(new Set(again)).toEqual(new Set(ids));
  await publishDue(world, ids);
  expect(await tried()).toBe(156);
});

test("cron nudges the head of each account's queue, so that no account fills the list alone", async () => {
  // A time of its own, before everything that other tests leave in the database.
  const then = new Date("2001-01-01T00:00:00.000Z");
  const [busy, quiet] = [await connected("instagram"), await connected("instagram")];
  const queue: string[] = [];
  for (let at = 0; at < 8; at++) queue.push(await waiting(busy, new Date(then.getTime() + at)));
  const begun = queue[7] ?? "";
  await set([begun], sql`stage = 'started'`);
  const single = await waiting(quiet, new Date(then.getTime() + 30_000));
  const seen = await deliveries.upcoming(database(), then, new Date(then.getTime() + 60_000), 6);
  await set([...queue, single], sql`next_attempt_at = null`);
  expect(seen.map(({ id }) => id)).toEqual([...queue.slice(0, 4), begun, single]);
});

/** A server that holds locks between statements; the embedded one has a single connection. */
const server = process.env.LOCAL_POSTGRES_URL;

test.skipIf(!server)("a delivery is claimed beside a transaction that refers to its account", async () => {
  const setting = await connected("instagram");
  const id = await waiting(setting, NOON);
  const other = new pg.Client({ connectionString: server });
  await other.connect();
  try {
    await other.query("begin");
    await other.query("select 1 from accounts where id = $1 for key share", [setting.account.id]);
    await publishDue(publisher(NOON, { fetch: network({}).fetch }).world, [id]);
    expect(await rowOf(id)).toMatchObject({ status: "posted" });
  } finally {
    await other.end();
  }
});
