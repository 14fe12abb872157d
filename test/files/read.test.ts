// Files read, listed and deleted over HTTP: pages and filters, who sees what, and what happens to the bytes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, mintAccount, mintTenant, rows, type Tenant } from "../harness.ts";
import { type BucketDoor, openBucketDoor } from "./breaking.ts";
import { DEMO_VIDEO, put, upload } from "./uploaded.ts";

const video = await readFile(DEMO_VIDEO);
const png = await readFile(join(import.meta.dirname, "../media/fixtures/picture.png"));
let door: BucketDoor;

beforeAll(async () => {
  door = await openBucketDoor();
});
afterAll(() => door.close());

const told = ({ status, body }: Answer) => [status, body.error_code];
const idsIn = (answer: Answer): string[] => answer.body.data.files.map(({ id }: { id: string }) => id);

interface Seeded {
  kind?: "image" | "video";
  origin?: "upload" | "render";
}

/** Files that no bytes stand behind, each made a minute after the one before; their ids, newest first. */
async function seedFiles(tenant: Tenant, files: Seeded[]): Promise<string[]> {
  const list = files.map(({ kind = "image", origin = "upload" }, at) => ({
    id: newId(),
    kind,
    origin,
    at: new Date(Date.UTC(2026, 0, 1, 0, at)),
  }));
  await rows(sql`
    insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256,
      width, height, has_video, has_audio, details, created_at)
    select s.id, ${tenant.ownerId}, ${tenant.workspaceId}, s.id, 'https://cdn.example.com/' || s.id, s.kind, s.origin,
      'image/png', 'a.png', 1, 'a', 1, 1, false, false, '{}', s.at
    from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as s(id uuid, kind text, origin text, at timestamptz)
    returning id`);
  return list.map(({ id }) => id).toReversed();
}

async function fileOf(tenant: Tenant, contentType: string, bytes: Uint8Array): Promise<{ id: string; url: string }> {
  const answer = await upload(tenant.api, contentType, bytes);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.file;
}

test("200 one file as its finalize told it: file, attestation and fit, with the file's fields beside them", async () => {
  const { api } = await mintTenant();
  for (const [contentType, bytes] of [
    ["video/mp4", video],
    ["image/png", png],
  ] as const) {
    const finalized = await upload(api, contentType, bytes);
    const { file, ...others } = finalized.body.data;
    const answer = await api.get(`/files/${file.id}`);
    expect([answer.status, answer.body.data]).toEqual([200, { ...file, file, ...others }]);
    expect("attestation" in others).toBe(contentType === "video/mp4");
  }
});

test("404 for an upload that is not finalized, and for another workspace's file", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const started = await mine.api.post("/files", { contentType: "image/png" });
  const [foreign = ""] = await seedFiles(theirs, [{}]);
  for (const id of [started.body.data.id, foreign]) {
    expect(told(await mine.api.get(`/files/${id}`))).toEqual([404, "not_found"]);
    expect(told(await mine.api.delete(`/files/${id}`))).toEqual([404, "not_found"]);
  }
  expect((await theirs.api.get(`/files/${foreign}`)).status).toBe(200);
});

test("200 the list, newest first, in pages that neither overlap nor skip; drawn pictures are not in it", async () => {
  const [tenant, other] = [await mintTenant(), await mintTenant()];
  const ids = await seedFiles(
    tenant,
    Array.from({ length: 60 }, () => ({})),
  );
  await seedFiles(tenant, [{ origin: "render" }]);
  await seedFiles(other, [{}]);
  const first = await tenant.api.get("/files");
  expect([first.status, idsIn(first)]).toEqual([200, ids.slice(0, 50)]);
  expect(first.body.data).toMatchObject({ total: 60, limit: 50, offset: 0 });
  const rest = await tenant.api.get("/files?limit=7&offset=55");
  expect(idsIn(rest)).toEqual(ids.slice(55));
  expect(rest.body.data).toMatchObject({ total: 60, limit: 7, offset: 55 });
  expect(Object.keys(first.body.data.files[0])).toEqual(["id", "url", "contentType", "filename", "size", "createdAt"]);
});

test("200 files that were made at the same instant keep one order", async () => {
  const tenant = await mintTenant();
  const ids = await seedFiles(tenant, [{}, {}, {}, {}]);
  await rows(sql`update files set created_at = now() where scope_id = ${tenant.workspaceId} returning id`);
  const seen = await Promise.all([0, 1, 2, 3].map((offset) => tenant.api.get(`/files?limit=1&offset=${offset}`)));
  expect(seen.flatMap(idsIn)).toEqual(ids.toSorted().toReversed());
});

test("200 filtered by type, and by a folder", async () => {
  const tenant = await mintTenant();
  const [newest = "", image = "", oldest = ""] = await seedFiles(tenant, [{ kind: "video" }, {}, { kind: "video" }]);
  const folder = newId();
  await rows(sql`
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
    expect([query, idsIn(await tenant.api.get(`/files?${query}`))]).toEqual([query, ids]);
  }
  expect((await tenant.api.get(`/files?folder_id=${folder}&limit=1`)).body.data.total).toBe(2);
  const other = await mintTenant();
  expect(told(await other.api.get(`/files?folder_id=${folder}`))).toEqual([404, "not_found"]);
});

test("404 for a folder that nobody has; 400 invalid_query_parameter for a query that makes no sense", async () => {
  const { api } = await mintTenant();
  expect(told(await api.get(`/files?folder_id=${newId()}`))).toEqual([404, "not_found"]);
  for (const query of [
    "limit=0",
    "limit=101",
    "limit=ten",
    "offset=-1",
    "type=audio",
    "folder_id=launch",
    "sort=size",
  ]) {
    const answer = await api.get(`/files?${query}`);
    expect([query, ...told(answer)]).toEqual([query, 400, "invalid_query_parameter"]);
    expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([query.split("=")[0]]);
  }
});

test("200 deleted: the file, its place in folders and the bytes behind its URL are gone, and it cannot come back", async () => {
  const tenant = await mintTenant();
  const { id, url } = await fileOf(tenant, "image/png", png);
  expect((await fetch(url)).status).toBe(200);
  const answer = await tenant.api.delete(`/files/${id}`);
  expect([answer.status, answer.body.data]).toEqual([200, { id, deleted: true }]);
  expect((await fetch(url)).status).toBe(404);
  for (const again of [
    await tenant.api.get(`/files/${id}`),
    await tenant.api.delete(`/files/${id}`),
    await tenant.api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() }),
  ]) {
    expect(told(again)).toEqual([404, "not_found"]);
  }
  const left = await rows(sql`select 1 from removals where object_key like ${`${id}/%`}`);
  expect(left).toEqual([]);
});

test("200 deleted although the bucket is away; what has to go stays written down", async () => {
  const tenant = await mintTenant();
  const { id } = await fileOf(tenant, "image/png", png);
  const answer = await door.breaking(
    () => "before",
    () => tenant.api.call("DELETE", `/files/${id}`, { env: door.env }),
  );
  expect(answer.status).toBe(200);
  expect(door.seen.some((line) => line.startsWith(`DELETE files/${id}/`))).toBe(true);
  expect((await tenant.api.get(`/files/${id}`)).status).toBe(404);
  const [planned] = await rows<{ bucket: string; due: boolean }>(
    sql`select bucket, due_at <= now() as due from removals where object_key like ${`${id}/%`}`,
  );
  expect(planned).toEqual({ bucket: "files", due: true });
});

test("409 file_in_use while a post that has not left yet names the file, with its id; 200 once it is gone", async () => {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "instagram");
  const { id, url } = await fileOf(tenant, "video/mp4", video);
  const body = { caption: "later", accounts: [{ id: account.id }], media: { type: "video", url } };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await tenant.api.post("/posts", { ...body, scheduled_at: later });
  const draft = await tenant.api.post("/posts/prepare", body);
  for (const post of [scheduled, draft]) {
    const refused = await tenant.api.delete(`/files/${id}`);
    expect(told(refused)).toEqual([409, "file_in_use"]);
    expect(refused.body.message).toContain(post.body.data.id);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    const gone = await tenant.api.post("/posts/delete", { post_ids: [post.body.data.id] });
    expect(gone.body.data.deletedIds).toEqual([post.body.data.id]);
  }
  expect((await tenant.api.delete(`/files/${id}`)).status).toBe(200);
});

test("409 file_in_use for the cover and the thumbnail of a post that has not left yet; 200 once they are others", async () => {
  const tenant = await mintTenant();
  const clip = await fileOf(tenant, "video/mp4", video);
  for (const [platform, settings] of [
    ["instagram", (url: string) => ({ instagram: { cover_url: url } })],
    ["youtube", (url: string) => ({ youtube: { thumbnail: { path: url } } })],
  ] as const) {
    const account = await mintAccount(tenant, platform);
    const { id, url } = await fileOf(tenant, "image/png", png);
    const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url: clip.url } };
    const draft = await tenant.api.post("/posts/prepare", { ...body, settings: settings(url) });
    expect(draft.status).toBe(201);
    const refused = await tenant.api.delete(`/files/${id}`);
    expect([platform, ...told(refused)]).toEqual([platform, 409, "file_in_use"]);
    expect(refused.body.message).toContain(draft.body.data.id);
    const other = await fileOf(tenant, "image/png", png);
    const changed = await tenant.api.patch(`/posts/${draft.body.data.id}`, { settings: settings(other.url) });
    expect(changed.status).toBe(200);
    expect((await tenant.api.delete(`/files/${id}`)).status).toBe(200);
  }
});

test("409 for one of a slideshow's pictures; 200 for a file whose posts are out, failed, or somebody else's", async () => {
  const [tenant, other] = [await mintTenant(), await mintTenant()];
  const account = await mintAccount(tenant, "tiktok");
  const { id, url } = await fileOf(tenant, "image/png", png);
  const [first] = await seedFiles(tenant, [{}]);
  const post = newId();
  const media = { type: "slideshow", urls: [`https://cdn.example.com/${first}`, url] };
  await rows(sql`
    with p as (
      insert into posts (id, owner_id, workspace_id, caption, status, media, settings, metadata, payload_hash)
      values (${post}, ${tenant.ownerId}, ${tenant.workspaceId}, 'a', 'retry', ${JSON.stringify(media)}::jsonb, '{}', '{}', '')
      returning id)
    insert into post_deliveries (id, post_id, account_id, position, status)
    select gen_random_uuid(), p.id, ${account.id}, 0, 'retry' from p returning id`);
  expect(told(await tenant.api.delete(`/files/${id}`))).toEqual([409, "file_in_use"]);
  for (const status of ["posted", "failed", "void"]) {
    await rows(sql`update post_deliveries set status = ${status} where post_id = ${post} returning id`);
    const kept = await fileOf(tenant, "image/png", png);
    const named = { type: "slideshow", urls: [kept.url] };
    await rows(sql`update posts set media = ${JSON.stringify(named)}::jsonb where id = ${post} returning id`);
    expect((await tenant.api.delete(`/files/${kept.id}`)).status).toBe(200);
  }
  const theirs = await mintAccount(other, "tiktok");
  const draft = { caption: "a", accounts: [{ id: theirs.id }], media: { type: "slideshow", urls: [url] } };
  expect((await other.api.post("/posts/prepare", draft)).status).toBe(201);
  expect((await tenant.api.delete(`/files/${id}`)).status).toBe(200);
});

test("a finalize and a delete at once leave the file or nothing, never one without the other", async () => {
  const tenant = await mintTenant();
  const started = await tenant.api.post("/files", { contentType: "image/png" });
  const { id } = started.body.data;
  await put(started.body.data, png);
  const finalize = () => tenant.api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
  await Promise.all([
    finalize(),
    finalize(),
    tenant.api.delete(`/files/${id}`),
    finalize(),
    tenant.api.delete(`/files/${id}`),
  ]);
  const file = await tenant.api.get(`/files/${id}`);
  const [upload] = await rows<{ state: string }>(sql`select state from uploads where id = ${id}`);
  if (file.status === 404) return expect(upload).toBeUndefined();
  expect((await fetch(file.body.data.url)).status).toBe(200);
});
