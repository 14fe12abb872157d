// What uploads and deleted files leave in the buckets is gone in time, whatever breaks; and the plans of Postgres for files.
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { uploadsTick } from "../../functions/cron/uploads.ts";
import worker from "../../functions/index.ts";
import { openWorld, type World } from "../../lib/call.ts";
import { connect, type Db, rowsOf } from "../../lib/db.ts";
import * as files from "../../lib/queries/files.ts";
import * as removals from "../../lib/queries/removals.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import * as uploads from "../../lib/queries/uploads.ts";
import type { Scope } from "../../lib/scope.ts";
import { bindings, type Client, client, vars } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { type Plan, plansOf } from "../posts/plans.ts";
import { type BucketDoor, breaking, openBucketDoor } from "./breaking.ts";
import { FILL } from "./fill.ts";
import { complete, putPart, putParts, type StartedParts, startParts, videoOfParts } from "./parts.ts";
import { DEMO_VIDEO, put } from "./uploaded.ts";

const HOUR = 3_600_000;
const video = await readFile(DEMO_VIDEO);
const twoParts = videoOfParts(2);

/** A database of its own: a clock that is moved on here takes nobody else's uploads away. */
let database: Database;
let db: Db;
let scope: Scope;
let door: BucketDoor;
let api: Client;
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  db = connect(address(), "sweep");
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Sweep" });
  const tenant = await tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Sweep" });
  scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  await tenants.setPlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  door = await openBucketDoor();
  const plain = client(
    await tenants.createKey(db, tenant, { id: newId(), name: "sweep", kind: "key", expiresAt: null }),
  );
  const call: Client["call"] = (method, path, options = {}) =>
    plain.call(method, path, { ...options, env: { ...address(), ...options.env } });
  const post: Client["post"] = (path, body, headers) => call("POST", path, { body, ...(headers ? { headers } : {}) });
  api = { ...plain, call, post, get: (path) => call("GET", path), delete: (path) => call("DELETE", path) };
}, 60_000);

afterAll(async () => {
  door.close();
  await database.close();
});

const finalize = (id: string) => api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
const stateOf = async (id: string) => (await uploads.find(db, scope, id))?.upload.state;
const planned = async (id: string) =>
  rowsOf<{ bucket: string }>(
    await db.execute(sql`select bucket from removals where object_key like ${`%${id}%`} order by bucket`),
  ).map(({ bucket }) => bucket);

function world(): World {
  return openWorld({ ...bindings([]), ...address() }, `cron.${newId()}`, (work) => void work.catch(() => undefined));
}

/** Runs the cron so many milliseconds from now. */
function tick(ms: number, change: Partial<World> = {}) {
  return uploadsTick({ ...world(), clock: () => new Date(Date.now() + ms), ...change });
}

/** Whether the private bucket has an object under the key of an upload. */
async function isThere(id: string): Promise<boolean> {
  const bucket = await world().bucket();
  return (await bucket.head(`${scope.id}/${id}`)) !== null;
}

async function partIsTaken(started: StartedParts): Promise<boolean> {
  const [part] = started.parts;
  return part !== undefined && (await putPart(part, twoParts)).status === 200;
}

async function startSingle(bytes: Uint8Array | null) {
  const started = (await api.post("/files", { contentType: "video/mp4" })).body.data;
  if (bytes) await put(started, bytes);
  return started;
}

test("bytes that nobody finalized go two hours after their URL ended, not before", async () => {
  const { id } = await startSingle(video);
  await tick(2 * HOUR);
  expect([await isThere(id), await planned(id)]).toEqual([true, ["uploads"]]);
  await tick(2 * HOUR + 11 * 60_000);
  expect([await isThere(id), await planned(id)]).toEqual([false, []]);
  const late = await finalize(id);
  expect([late.status, late.body.error_code]).toEqual([400, "upload_failed"]);
});

test("an expired upload in parts is aborted in the bucket two hours after its day, not before", async () => {
  const started = await startParts(api, twoParts);
  const parts = await putParts(started, twoParts);
  await tick(25 * HOUR);
  expect([await partIsTaken(started), await planned(started.id)]).toEqual([true, ["uploads"]]);
  await tick(26 * HOUR + 60_000);
  expect([await partIsTaken(started), await planned(started.id)]).toEqual([false, []]);
  expect((await complete(api, started.id, parts)).body.error_code).toBe("upload_failed");
});

test("parts that were put together and never verified go as well", async () => {
  const started = await startParts(api, twoParts);
  const parts = await putParts(started, twoParts);
  const broken = await door.breaking(
    ({ line }) => (line.startsWith("HEAD ") ? "before" : null),
    () => complete(api, started.id, parts, { env: door.env }),
  );
  expect([broken.status, await isThere(started.id)]).toEqual([503, true]);
  await tick(26 * HOUR + 60_000);
  expect(await isThere(started.id)).toBe(false);
});

test("bytes that come again after a finalize or a refusal go, and the file stays", async () => {
  const [kept, refused] = [await startSingle(video), await startSingle(Buffer.from("no video"))];
  const { file } = (await finalize(kept.id)).body.data;
  expect((await finalize(refused.id)).status).toBe(400);
  for (const started of [kept, refused]) {
    await put(started, video);
    expect(await isThere(started.id)).toBe(true);
  }
  await tick(3 * HOUR);
  for (const { id } of [kept, refused]) expect([await isThere(id), await planned(id)]).toEqual([false, []]);
  expect((await fetch(file.url, { method: "HEAD" })).status).toBe(200);
  expect([await stateOf(kept.id), await stateOf(refused.id)]).toEqual(["finalized", "rejected"]);
});

test("a copy that no file came to have goes; the copy of a file stays", async () => {
  const { id } = await startSingle(video);
  const broken = await breaking(
    (url, body) => (url === database.fetchUrl && body.includes("insert into files") ? "before" : null),
    () => finalize(id),
  );
  expect([broken.status, await planned(id)]).toEqual([503, ["files", "uploads"]]);
  const [copy] = rowsOf<{ key: string }>(
    await db.execute(
      sql`select object_key as key from removals where bucket = 'files' and object_key like ${`${id}/%`}`,
    ),
  );
  const url = `${vars.CDN_URL}/${copy?.key}`;
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  await tick(3 * HOUR);
  expect((await fetch(url, { method: "HEAD" })).status).toBe(404);
});

test("the object of a deleted file goes with the next run when the bucket was away", async () => {
  const { id } = await startSingle(video);
  const { file } = (await finalize(id)).body.data;
  const deleted = await door.breaking(
    () => "before",
    () => api.call("DELETE", `/files/${id}`, { env: door.env }),
  );
  expect([deleted.status, (await fetch(file.url, { method: "HEAD" })).status]).toEqual([200, 200]);
  await tick(0);
  expect((await fetch(file.url, { method: "HEAD" })).status).toBe(404);
});

test("a run that dies halfway leaves the rest to the next one; what is gone already does no harm", async () => {
  const ids = (await Promise.all([1, 2, 3].map(() => startSingle(video)))).map(({ id }) => id);
  const dying = () => Promise.reject(new Error("the Worker died"));
  await expect(tick(3 * HOUR, { bucket: dying })).resolves.toBeUndefined();
  expect(await Promise.all(ids.map(isThere))).toEqual([true, true, true]);
  // Taken in hand by the run that died: not again within a quarter of an hour.
  await tick(3 * HOUR + 14 * 60_000);
  expect(await Promise.all(ids.map(isThere))).toEqual([true, true, true]);
  const lost = breaking(
    (url, body) => (url === database.fetchUrl && body.includes("delete from removals") ? "before" : null),
    () => tick(3 * HOUR + 15 * 60_000),
  );
  await expect(lost).rejects.toThrow();
  expect(await Promise.all(ids.map(isThere))).toEqual([false, false, false]);
  expect((await Promise.all(ids.map(planned))).flat()).toHaveLength(3);
  await tick(4 * HOUR);
  expect((await Promise.all(ids.map(planned))).flat()).toEqual([]);
});

test("one object that cannot be removed does not keep the others", async () => {
  const [stuck, free] = [await startSingle(video), await startSingle(video)];
  const plain = await world().bucket();
  const remove = async (key: string) => {
    if (key.endsWith(stuck.id)) throw new Error("the bucket does not like this one");
    await plain.remove(key);
  };
  await tick(3 * HOUR, { bucket: async () => ({ ...plain, remove }) });
  expect([await isThere(stuck.id), await isThere(free.id)]).toEqual([true, false]);
  expect([await planned(stuck.id), await planned(free.id)]).toEqual([["uploads"], []]);
});

test("two runs at once share the work", async () => {
  const started = await Promise.all([1, 2, 3, 4].map(() => startSingle(null)));
  const plain = await world().bucket();
  const removed: string[] = [];
  const remove = async (key: string) => {
    removed.push(key);
    await plain.remove(key);
  };
  await Promise.all([1, 2].map(() => tick(3 * HOUR, { bucket: async () => ({ ...plain, remove }) })));
  for (const { id } of started) expect(removed.filter((key) => key.endsWith(id))).toHaveLength(1);
});

test("a run takes 500 at most, the longest due first, and the next one the others", async () => {
  await tick(30 * HOUR);
  await db.execute(sql`
    insert into removals (bucket, object_key, due_at)
    select 'uploads', 'bulk/' || n, now() - n * interval '1 second' from generate_series(1, 600) n`);
  const removed: string[] = [];
  const remove = async (key: string) => void removed.push(key);
  const plain = await world().bucket();
  const run = () => tick(0, { bucket: async () => ({ ...plain, remove }) });
  await run();
  expect([removed.length, removed.includes("bulk/600"), removed.includes("bulk/100")]).toEqual([500, true, false]);
  await run();
  expect(new Set(removed).size).toBe(600);
});

test("an upload that came to nothing can be asked why for 30 days; a finished one is kept", async () => {
  const [rejected, finished] = [await startSingle(Buffer.from("no video")), await startSingle(video)];
  for (const { id } of [rejected, finished]) await finalize(id);
  await tick(29 * 24 * HOUR);
  expect(await stateOf(rejected.id)).toBe("rejected");
  await tick(31 * 24 * HOUR);
  expect([await stateOf(rejected.id), await stateOf(finished.id)]).toEqual([undefined, "finalized"]);
});

test("publishing goes on when the sweep fails, and the sweep when publishing fails; the run is shown as failed", async () => {
  const context = {
    waitUntil: () => undefined,
    passThroughOnException: () => undefined,
  } as unknown as ExecutionContext;
  const statements = ["update removals", "from post_deliveries"];
  for (const fails of statements) {
    const served: string[] = [];
    const run = breaking(
      (url, body) => {
        if (url !== database.fetchUrl) return null;
        if (body.includes(fails)) return "before";
        served.push(body);
        return null;
      },
      async () => worker.scheduled({} as ScheduledController, { ...bindings([]), ...address() }, context),
    );
    await expect(run).rejects.toThrow(fails);
    const [other = ""] = statements.filter((statement) => statement !== fails);
    expect(served.some((body) => body.includes(other))).toBe(true);
  }
});

/** None of these is read from end to end. */
const BIG = ["files", "uploads", "removals", "posts", "folder_items"];

async function plansOfBig(work: () => Promise<unknown>): Promise<Plan[]> {
  const plans = await plansOf(database, work);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

test("with many rows, the list, a delete and the cron are answered from indexes", async () => {
  const folder = newId();
  await database.exec(FILL.replaceAll("$scope", scope.id).replaceAll("$folder", folder));
  for (const [query, index] of [
    [{}, /^files_scope_newest$/],
    [{ type: "video" }, /^files_scope_kind_newest$/],
    // Both indexes of folder_items begin with the folder.
    [{ folder_id: folder }, /^folder_items_/],
  ] as const) {
    const [page, total] = await plansOfBig(() => files.list(db, scope, { ...query, limit: 50, offset: 0 }));
    expect([query, page?.indexes]).toEqual([query, expect.arrayContaining([expect.stringMatching(index)])]);
    expect([query, total?.indexes.length]).not.toEqual([query, 0]);
    // The index gives the order; only the few files of a folder are sorted.
    expect(page?.sorted).toBe("folder_id" in query);
  }
  const [found] = await plansOfBig(() => files.find(db, scope, newId()));
  expect(found?.indexes).toEqual(["files_pkey"]);
  const [removed] = await plansOfBig(() => files.remove(db, scope, newId(), new Date()));
  expect(removed?.indexes).toEqual(expect.arrayContaining(["files_pkey", "posts_scope_status_newest", "uploads_pkey"]));
  const now = new Date();
  const claimed = await plansOfBig(() => removals.claim(db, now, now, 500));
  expect(claimed[0]?.indexes).toEqual(expect.arrayContaining(["removals_due", "files_pkey"]));
  const one = { bucket: "uploads", objectKey: "a", multipartId: null, fileId: null, dueAt: now } as const;
  expect((await plansOfBig(() => removals.settle(db, [one])))[0]?.indexes).toEqual([
    expect.stringMatching(/^removals_/),
  ]);
  expect((await plansOfBig(() => uploads.forget(db, now, 1_000)))[0]?.indexes).toContain("uploads_fruitless");
});
