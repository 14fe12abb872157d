// The cleanup removes leftover objects of uploads and deleted files, despite failures.
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUpStorage } from "../../functions/cron/uploads.ts";
import worker from "../../functions/index.ts";
import { insertKey, insertOwner, insertWorkspace, savePlan } from "../../lib/queries/tenants.ts";
import { findUpload } from "../../lib/queries/uploads.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Scope } from "../../lib/shared/scope.ts";
import type { Database } from "../local/database.ts";
import { type Client, createBindings, createClient, vars } from "../support/harness.ts";
import { toRows } from "../support/rows.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";
import { openStorageProxy, type StorageProxy, withBrokenFetch } from "./fault-injection.ts";
import {
  buildVideoOfParts,
  completeMultipart,
  type StartedParts,
  startMultipart,
  uploadPart,
  uploadParts,
} from "./multipart-client.ts";
import { DEMO_VIDEO, putBytes } from "./upload-file.ts";

const HOUR = 3_600_000;
const video = await readFile(DEMO_VIDEO);
const twoParts = buildVideoOfParts(2);

/** A separate database, so that moving the clock forward does not remove uploads of other tests. */
let database: Database;
let db: Db;
let scope: Scope;
let proxy: StorageProxy;
let api: Client;
let config: SeparateDatabase["config"];

beforeAll(async () => {
  ({ database, db, config } = await openSeparateDatabase("cleanup"));
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Cleanup" });
  const tenant = await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Cleanup" });
  scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  await savePlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  proxy = await openStorageProxy();
  const plain = createClient(
    await insertKey(db, tenant, { id: newId(), name: "cleanup", kind: "key", expiresAt: null }),
  );
  const call: Client["call"] = (method, path, options = {}) =>
    plain.call(method, path, { ...options, env: { ...config, ...options.env } });
  const post: Client["post"] = (path, body, headers) => call("POST", path, { body, ...(headers ? { headers } : {}) });
  api = { ...plain, call, post, get: (path) => call("GET", path), delete: (path) => call("DELETE", path) };
});

afterAll(async () => {
  proxy.close();
  await database.close();
});

const finalizeUpload = (id: string) => api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
const getUploadState = async (id: string) => (await findUpload(db, scope, id))?.upload.state;
const listPlannedRemovals = async (id: string) =>
  toRows<{ bucket: string }>(
    await db.execute(sql`select bucket from removals where object_key like ${`%${id}%`} order by bucket`),
  ).map(({ bucket }) => bucket);

function createServices(): Services {
  return openServices(
    { ...createBindings([]), ...config },
    `cron.${newId()}`,
    (work) => void work.catch(() => undefined),
  );
}

/** Runs the cron with a clock that is `ms` milliseconds ahead. */
function runCleanupAfter(ms: number, change: Partial<Services> = {}) {
  return cleanUpStorage({ ...createServices(), clock: () => new Date(Date.now() + ms), ...change });
}

/** Looks in private storage for an object under the key of an upload. */
async function objectExists(id: string): Promise<boolean> {
  const storage = await createServices().storage();
  return (await storage.findUpload(`${scope.id}/${id}`)) !== null;
}

async function isPartAccepted(started: StartedParts): Promise<boolean> {
  const [part] = started.parts;
  return part !== undefined && (await uploadPart(part, twoParts)).status === 200;
}

async function startSingle(bytes: Uint8Array | null) {
  const started = (await api.post("/files", { contentType: "video/mp4" })).body.data;
  if (bytes) await putBytes(started, bytes);
  return started;
}

test("bytes that were not finalized are removed two hours after their URL expired, not before", async () => {
  const { id } = await startSingle(video);
  await runCleanupAfter(2 * HOUR);
  expect([await objectExists(id), await listPlannedRemovals(id)]).toEqual([true, ["uploads"]]);
  await runCleanupAfter(2 * HOUR + 11 * 60_000);
  expect([await objectExists(id), await listPlannedRemovals(id)]).toEqual([false, []]);
  const late = await finalizeUpload(id);
  expect([late.status, late.body.error_code]).toEqual([400, "upload_failed"]);
});

test("an expired multipart upload is aborted two hours after its expiry, not before", async () => {
  const started = await startMultipart(api, twoParts);
  const parts = await uploadParts(started, twoParts);
  await runCleanupAfter(25 * HOUR);
  expect([await isPartAccepted(started), await listPlannedRemovals(started.id)]).toEqual([true, ["uploads"]]);
  await runCleanupAfter(26 * HOUR + 60_000);
  expect([await isPartAccepted(started), await listPlannedRemovals(started.id)]).toEqual([false, []]);
  expect((await completeMultipart(api, started.id, parts)).body.error_code).toBe("upload_failed");
});

test("assembled parts that were never verified are removed", async () => {
  const started = await startMultipart(api, twoParts);
  const parts = await uploadParts(started, twoParts);
  const broken = await proxy.withBrokenCalls(
    ({ line }) => (line.startsWith("HEAD uploads/") ? "before" : null),
    () => completeMultipart(api, started.id, parts, { env: proxy.env }),
  );
  expect([broken.status, await objectExists(started.id)]).toEqual([503, true]);
  await runCleanupAfter(26 * HOUR + 60_000);
  expect(await objectExists(started.id)).toBe(false);
});

test("bytes that are uploaded again after a finalize or rejection are removed, and the file is kept", async () => {
  const [finalizedUpload, rejectedUpload] = [await startSingle(video), await startSingle(Buffer.from("no video"))];
  const { file } = (await finalizeUpload(finalizedUpload.id)).body.data;
  expect((await finalizeUpload(rejectedUpload.id)).status).toBe(400);
  for (const started of [finalizedUpload, rejectedUpload]) {
    await putBytes(started, video);
    expect(await objectExists(started.id)).toBe(true);
  }
  await runCleanupAfter(3 * HOUR);
  for (const { id } of [finalizedUpload, rejectedUpload])
    expect([await objectExists(id), await listPlannedRemovals(id)]).toEqual([false, []]);
  expect((await fetch(file.url, { method: "HEAD" })).status).toBe(200);
  expect([await getUploadState(finalizedUpload.id), await getUploadState(rejectedUpload.id)]).toEqual([
    "finalized",
    "rejected",
  ]);
});

test("a copy without a file is removed; the copy of a file is kept", async () => {
  const { id } = await startSingle(video);
  const broken = await withBrokenFetch(
    (url, body) => (url === database.fetchUrl && body.includes('insert into \\"files\\"') ? "before" : null),
    () => finalizeUpload(id),
  );
  expect([broken.status, await listPlannedRemovals(id)]).toEqual([503, ["files", "uploads"]]);
  const [copy] = toRows<{ key: string }>(
    await db.execute(
      sql`select object_key as key from removals where bucket = 'files' and object_key like ${`${id}/%`}`,
    ),
  );
  const url = `${vars.CDN_URL}/${copy?.key}`;
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  await runCleanupAfter(3 * HOUR);
  expect((await fetch(url, { method: "HEAD" })).status).toBe(404);
});

test("the object of a deleted file is removed by the next run when storage was unavailable", async () => {
  const { id } = await startSingle(video);
  const { file } = (await finalizeUpload(id)).body.data;
  const deleted = await proxy.withBrokenCalls(
    () => "before",
    () => api.call("DELETE", `/files/${id}`, { env: proxy.env }),
  );
  expect([deleted.status, (await fetch(file.url, { method: "HEAD" })).status]).toEqual([200, 200]);
  await runCleanupAfter(0);
  expect((await fetch(file.url, { method: "HEAD" })).status).toBe(404);
});

test("a run that dies halfway leaves the rest to the next run; missing objects are not an error", async () => {
  const ids = (await Promise.all([1, 2, 3].map(() => startSingle(video)))).map(({ id }) => id);
  const dying = () => Promise.reject(new Error("the Worker died"));
  await expect(runCleanupAfter(3 * HOUR, { storage: dying })).resolves.toBeUndefined();
  expect(await Promise.all(ids.map(objectExists))).toEqual([true, true, true]);
  // Claimed by the run that died: not retried within 15 minutes.
  await runCleanupAfter(3 * HOUR + 14 * 60_000);
  expect(await Promise.all(ids.map(objectExists))).toEqual([true, true, true]);
  const lost = withBrokenFetch(
    (url, body) => (url === database.fetchUrl && body.includes('delete from \\"removals\\"') ? "before" : null),
    () => runCleanupAfter(3 * HOUR + 15 * 60_000),
  );
  await expect(lost).rejects.toThrow();
  expect(await Promise.all(ids.map(objectExists))).toEqual([false, false, false]);
  expect((await Promise.all(ids.map(listPlannedRemovals))).flat()).toHaveLength(3);
  await runCleanupAfter(4 * HOUR);
  expect((await Promise.all(ids.map(listPlannedRemovals))).flat()).toEqual([]);
});

test("an object that cannot be removed does not block the others", async () => {
  const [stuck, free] = [await startSingle(video), await startSingle(video)];
  const plain = await createServices().storage();
  const remove = async (key: string) => {
    if (key.endsWith(stuck.id)) throw new Error("storage rejected this object");
    await plain.deleteUpload(key);
  };
  await runCleanupAfter(3 * HOUR, { storage: async () => ({ ...plain, deleteUpload: remove }) });
  expect([await objectExists(stuck.id), await objectExists(free.id)]).toEqual([true, false]);
  expect([await listPlannedRemovals(stuck.id), await listPlannedRemovals(free.id)]).toEqual([["uploads"], []]);
});

test("an object that storage refuses is tried again after 15 minutes, then after 30, and so on", async () => {
  const { id } = await startSingle(video);
  const plain = await createServices().storage();
  let attempts = 0;
  const refuse = async (key: string) => {
    if (!key.endsWith(id)) return plain.deleteUpload(key);
    attempts += 1;
    throw new Error("storage rejected this object");
  };
  const log: Record<string, unknown>[] = [];
  const change = {
    storage: async () => ({ ...plain, deleteUpload: refuse }),
    log: (line: Record<string, unknown>) => void log.push(line),
  };
  for (const minutes of [0, 14, 15, 44, 45, 104, 105]) await runCleanupAfter(3 * HOUR + minutes * 60_000, change);
  expect(attempts).toBe(4);
  const own = log.filter((line) => String(line.id).endsWith(id));
  expect(own).toEqual(Array(4).fill(expect.objectContaining({ level: "error", job: "deletion", outcome: "error" })));
  await runCleanupAfter(3 * HOUR + 225 * 60_000);
  expect([await objectExists(id), await listPlannedRemovals(id)]).toEqual([false, []]);
});

test("two concurrent runs share the work", async () => {
  const started = await Promise.all([1, 2, 3, 4].map(() => startSingle(null)));
  const plain = await createServices().storage();
  const removed: string[] = [];
  const remove = async (key: string) => {
    removed.push(key);
    await plain.deleteUpload(key);
  };
  await Promise.all(
    [1, 2].map(() => runCleanupAfter(3 * HOUR, { storage: async () => ({ ...plain, deleteUpload: remove }) })),
  );
  for (const { id } of started) expect(removed.filter((key) => key.endsWith(id))).toHaveLength(1);
});

test("a run removes at most 500 objects, the longest due first; the next run continues", async () => {
  await runCleanupAfter(30 * HOUR);
  await db.execute(sql`
    insert into removals (bucket, object_key, due_at)
    select 'uploads', 'bulk/' || n, now() - n * interval '1 second' from generate_series(1, 600) n`);
  const removed: string[] = [];
  const remove = async (key: string) => void removed.push(key);
  const plain = await createServices().storage();
  const run = () => runCleanupAfter(0, { storage: async () => ({ ...plain, deleteUpload: remove }) });
  await run();
  expect([removed.length, removed.includes("bulk/600"), removed.includes("bulk/100")]).toEqual([500, true, false]);
  await run();
  expect(new Set(removed).size).toBe(600);
});

test("the reason of a failed upload is kept for 30 days; a finalized upload is kept", async () => {
  const [rejected, finished] = [await startSingle(Buffer.from("no video")), await startSingle(video)];
  for (const { id } of [rejected, finished]) await finalizeUpload(id);
  await runCleanupAfter(29 * 24 * HOUR);
  expect(await getUploadState(rejected.id)).toBe("rejected");
  await runCleanupAfter(31 * 24 * HOUR);
  expect([await getUploadState(rejected.id), await getUploadState(finished.id)]).toEqual([undefined, "finalized"]);
});

test("publishing continues when the cleanup fails, and vice versa; the run is reported as failed", async () => {
  const context = {
    waitUntil: () => undefined,
    passThroughOnException: () => undefined,
  } as unknown as ExecutionContext;
  // Drizzle quotes identifiers, and the request body escapes the quotes.
  const statements = [/update \\?"?removals/, /from \\?"?post_deliveries/];
  for (const fails of statements) {
    const served: string[] = [];
    const run = withBrokenFetch(
      (url, body) => {
        if (url !== database.fetchUrl) return null;
        if (fails.test(body)) return "before";
        served.push(body);
        return null;
      },
      async () => worker.scheduled({} as ScheduledController, { ...createBindings([]), ...config }, context),
    );
    await expect(run).rejects.toThrow(fails);
    const others = statements.filter((statement) => statement !== fails);
    expect(served.some((body) => others.some((other) => other.test(body)))).toBe(true);
  }
});
