// Reading, listing and deleting files over HTTP: pagination, filters, access, and deletion of the bytes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAccount, createTestTenant, queryRows, type Tenant, type TestResponse } from "../support/harness.ts";
import { openStorageProxy, type StorageProxy } from "./fault-injection.ts";
import { DEMO_VIDEO, putBytes, uploadFile } from "./upload-file.ts";

const video = await readFile(DEMO_VIDEO);
const png = await readFile(join(import.meta.dirname, "../media/fixtures/picture.png"));
let proxy: StorageProxy;

beforeAll(async () => {
  proxy = await openStorageProxy();
});
afterAll(() => proxy.close());

const getStatusAndCode = ({ status, body }: TestResponse) => [status, body.error_code];
const getFileIds = (response: TestResponse): string[] => response.body.data.files.map(({ id }: { id: string }) => id);

interface Seeded {
  kind?: "image" | "video";
  origin?: "upload" | "render";
}

/** Inserts files without bytes, one minute apart. Returns their ids, newest first. */
async function seedFiles(tenant: Tenant, files: Seeded[]): Promise<string[]> {
  const list = files.map(({ kind = "image", origin = "upload" }, at) => ({
    id: newId(),
    kind,
    origin,
    at: new Date(Date.UTC(2026, 0, 1, 0, at)),
  }));
  await queryRows(sql`
    insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256,
      width, height, has_video, has_audio, details, created_at)
    select s.id, ${tenant.ownerId}, ${tenant.workspaceId}, s.id, 'https://cdn.example.com/' || s.id, s.kind, s.origin,
      'image/png', 'a.png', 1, 'a', 1, 1, false, false, '{}', s.at
    from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as s(id uuid, kind text, origin text, at timestamptz)
    returning id`);
  return list.map(({ id }) => id).toReversed();
}

async function createFile(
  tenant: Tenant,
  contentType: string,
  bytes: Uint8Array,
): Promise<{ id: string; url: string }> {
  const response = await uploadFile(tenant.api, contentType, bytes);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body.data.file;
}

test("200 with the file, attestation and fit of its finalize, and the file's fields at the top level", async () => {
  const { api } = await createTestTenant();
  for (const [contentType, bytes] of [
    ["video/mp4", video],
    ["image/png", png],
  ] as const) {
    const finalized = await uploadFile(api, contentType, bytes);
    const { file, ...others } = finalized.body.data;
    const response = await api.get(`/files/${file.id}`);
    expect([response.status, response.body.data]).toEqual([200, { ...file, file, ...others }]);
    expect("attestation" in others).toBe(contentType === "video/mp4");
  }
});

test("404 for an upload that is not finalized, and for another workspace's file", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const started = await mine.api.post("/files", { contentType: "image/png" });
  const [foreign = ""] = await seedFiles(theirs, [{}]);
  for (const id of [started.body.data.id, foreign]) {
    expect(getStatusAndCode(await mine.api.get(`/files/${id}`))).toEqual([404, "not_found"]);
    expect(getStatusAndCode(await mine.api.delete(`/files/${id}`))).toEqual([404, "not_found"]);
  }
  expect((await theirs.api.get(`/files/${foreign}`)).status).toBe(200);
});

test("200 lists newest first, in pages without overlaps or gaps, and without rendered slides", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const ids = await seedFiles(
    tenant,
    Array.from({ length: 60 }, () => ({})),
  );
  await seedFiles(tenant, [{ origin: "render" }]);
  await seedFiles(other, [{}]);
  const first = await tenant.api.get("/files");
  expect([first.status, getFileIds(first)]).toEqual([200, ids.slice(0, 50)]);
  expect(first.body.data).toMatchObject({ total: 60, limit: 50, offset: 0 });
  const rest = await tenant.api.get("/files?limit=7&offset=55");
  expect(getFileIds(rest)).toEqual(ids.slice(55));
  expect(rest.body.data).toMatchObject({ total: 60, limit: 7, offset: 55 });
  const names = ["id", "url", "contentType", "filename", "size", "context", "createdAt"];
  expect(Object.keys(first.body.data.files[0])).toEqual(names);
});

test("200 files created at the same time have a stable order", async () => {
  const tenant = await createTestTenant();
  const ids = await seedFiles(tenant, [{}, {}, {}, {}]);
  await queryRows(sql`update files set created_at = now() where scope_id = ${tenant.workspaceId} returning id`);
  const seen = await Promise.all([0, 1, 2, 3].map((offset) => tenant.api.get(`/files?limit=1&offset=${offset}`)));
  expect(seen.flatMap(getFileIds)).toEqual(ids.toSorted().toReversed());
});

test("200 filters by type and folder", async () => {
  const tenant = await createTestTenant();
  const [newest = "", image = "", oldest = ""] = await seedFiles(tenant, [{ kind: "video" }, {}, { kind: "video" }]);
  const folder = newId();
  await queryRows(sql`
    with f as (
      insert into folders (id, owner_id, workspace_id, name, media_type)
      values (${folder}, ${tenant.ownerId}, ${tenant.workspaceId}, 'Launch', 'upload') returning id)
    insert into folder_items (folder_id, file_id) select ${folder}, id from files where id in (${image}, ${oldest})
    returning folder_id`);
  for (const [query, ids] of [
    ["type=image", [image]],
    ["type=video", [newest, oldest]],
    [`folder_id=${folder}`, [image, oldest]],
    [`folder_id=${folder.toUpperCase()}&type=video`, [oldest]],
    [`folder_id=${folder}&limit=1&offset=1`, [oldest]],
  ] as const) {
    expect([query, getFileIds(await tenant.api.get(`/files?${query}`))]).toEqual([query, ids]);
  }
  expect((await tenant.api.get(`/files?folder_id=${folder}&limit=1`)).body.data.total).toBe(2);
  const other = await createTestTenant();
  expect(getStatusAndCode(await other.api.get(`/files?folder_id=${folder}`))).toEqual([404, "not_found"]);
});

test("404 for an unknown folder", async () => {
  const { api } = await createTestTenant();
  expect(getStatusAndCode(await api.get(`/files?folder_id=${newId()}`))).toEqual([404, "not_found"]);
});

test("200 deletes the file, its folder items and the bytes at its URL, permanently", async () => {
  const tenant = await createTestTenant();
  const { id, url } = await createFile(tenant, "image/png", png);
  expect((await fetch(url)).status).toBe(200);
  const response = await tenant.api.delete(`/files/${id}`);
  expect([response.status, response.body.data]).toEqual([200, { id, deleted: true }]);
  expect((await fetch(url)).status).toBe(404);
  for (const again of [
    await tenant.api.get(`/files/${id}`),
    await tenant.api.delete(`/files/${id}`),
    await tenant.api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() }),
  ]) {
    expect(getStatusAndCode(again)).toEqual([404, "not_found"]);
  }
  const left = await queryRows(sql`select 1 from removals where object_key like ${`${id}/%`}`);
  expect(left).toEqual([]);
});

test("200 deletes while storage is unavailable; the deletion stays scheduled", async () => {
  const tenant = await createTestTenant();
  const { id } = await createFile(tenant, "image/png", png);
  const response = await proxy.withBrokenCalls(
    () => "before",
    () => tenant.api.call("DELETE", `/files/${id}`, { env: proxy.env }),
  );
  expect(response.status).toBe(200);
  expect(proxy.seen.some((line) => line.startsWith(`DELETE files/${id}/`))).toBe(true);
  expect((await tenant.api.get(`/files/${id}`)).status).toBe(404);
  const [planned] = await queryRows<{ bucket: string; due: boolean }>(
    sql`select bucket, due_at <= now() as due from removals where object_key like ${`${id}/%`}`,
  );
  expect(planned).toEqual({ bucket: "files", due: true });
});

test("409 file_in_use names the unpublished post that uses the file; 200 after the post is deleted", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const { id, url } = await createFile(tenant, "video/mp4", video);
  const body = { caption: "later", accounts: [{ id: account.id }], media: { type: "video", url } };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await tenant.api.post("/posts", { ...body, scheduled_at: later });
  const draft = await tenant.api.post("/posts/prepare", body);
  for (const post of [scheduled, draft]) {
    const rejected = await tenant.api.delete(`/files/${id}`);
    expect(getStatusAndCode(rejected)).toEqual([409, "file_in_use"]);
    expect(rejected.body.message).toContain(post.body.data.id);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    const gone = await tenant.api.post("/posts/delete", { post_ids: [post.body.data.id] });
    expect(gone.body.data.deletedIds).toEqual([post.body.data.id]);
  }
  expect((await tenant.api.delete(`/files/${id}`)).status).toBe(200);
});

test("409 file_in_use for the cover and thumbnail of an unpublished post; 200 after they are replaced", async () => {
  const tenant = await createTestTenant();
  const clip = await createFile(tenant, "video/mp4", video);
  for (const [platform, settings] of [
    ["instagram", (url: string) => ({ instagram: { cover_url: url } })],
    ["youtube", (url: string) => ({ youtube: { thumbnail: { path: url } } })],
  ] as const) {
    const account = await createTestAccount(tenant, platform);
    const { id, url } = await createFile(tenant, "image/png", png);
    const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url: clip.url } };
    const draft = await tenant.api.post("/posts/prepare", { ...body, settings: settings(url) });
    expect(draft.status).toBe(201);
    const rejected = await tenant.api.delete(`/files/${id}`);
    expect([platform, ...getStatusAndCode(rejected)]).toEqual([platform, 409, "file_in_use"]);
    expect(rejected.body.message).toContain(draft.body.data.id);
    const other = await createFile(tenant, "image/png", png);
    const changed = await tenant.api.patch(`/posts/${draft.body.data.id}`, { settings: settings(other.url) });
    expect(changed.status).toBe(200);
    expect((await tenant.api.delete(`/files/${id}`)).status).toBe(200);
  }
});

test("409 for an image of a slideshow post; 200 if its posts are published, failed or another workspace's", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const account = await createTestAccount(tenant, "tiktok");
  const { id, url } = await createFile(tenant, "image/png", png);
  const [first] = await seedFiles(tenant, [{}]);
  const post = newId();
  const media = { type: "slideshow", urls: [`https://cdn.example.com/${first}`, url] };
  await queryRows(sql`
    with p as (
      insert into posts (id, owner_id, workspace_id, caption, status, media, settings, metadata, payload_hash)
      values (${post}, ${tenant.ownerId}, ${tenant.workspaceId}, 'a', 'retry', ${JSON.stringify(media)}::jsonb, '{}', '{}', '')
      returning id)
    insert into post_deliveries (id, post_id, account_id, position, status)
    select gen_random_uuid(), p.id, ${account.id}, 0, 'retry' from p returning id`);
  expect(getStatusAndCode(await tenant.api.delete(`/files/${id}`))).toEqual([409, "file_in_use"]);
  for (const status of ["posted", "failed", "void"]) {
    await queryRows(sql`update post_deliveries set status = ${status} where post_id = ${post} returning id`);
    const kept = await createFile(tenant, "image/png", png);
    const named = { type: "slideshow", urls: [kept.url] };
    await queryRows(sql`update posts set media = ${JSON.stringify(named)}::jsonb where id = ${post} returning id`);
    expect((await tenant.api.delete(`/files/${kept.id}`)).status).toBe(200);
  }
  const theirs = await createTestAccount(other, "tiktok");
  const draft = { caption: "a", accounts: [{ id: theirs.id }], media: { type: "slideshow", urls: [url] } };
  expect((await other.api.post("/posts/prepare", draft)).status).toBe(201);
  expect((await tenant.api.delete(`/files/${id}`)).status).toBe(200);
});

test("a concurrent finalize and delete leave both the file and its bytes, or neither", async () => {
  const tenant = await createTestTenant();
  const started = await tenant.api.post("/files", { contentType: "image/png" });
  const { id } = started.body.data;
  await putBytes(started.body.data, png);
  const finalize = () => tenant.api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
  await Promise.all([
    finalize(),
    finalize(),
    tenant.api.delete(`/files/${id}`),
    finalize(),
    tenant.api.delete(`/files/${id}`),
  ]);
  const file = await tenant.api.get(`/files/${id}`);
  const [upload] = await queryRows<{ state: string }>(sql`select state from uploads where id = ${id}`);
  if (file.status === 404) return expect(upload).toBeUndefined();
  expect((await fetch(file.body.data.url)).status).toBe(200);
});
