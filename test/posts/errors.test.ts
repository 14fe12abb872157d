// Validation errors of update, commit and prepare.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant, type TestAccount } from "../support/harness.ts";

let tenant: Tenant;
let instagram: TestAccount;
let body: { caption: string; accounts: { id: string }[]; media: object };

beforeAll(async () => {
  tenant = await createTestTenant();
  instagram = await createTestAccount(tenant, "instagram");
  const media = { type: "video", url: await uploadDemoVideo(tenant.api) };
  body = { caption: "one", accounts: [{ id: instagram.id }], media };
});

async function createPost(path: "/posts" | "/posts/prepare", more: object = {}): Promise<string> {
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const answer = await tenant.api.post(path, { ...body, scheduled_at, ...more });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

const unreachableMedia = { type: "video", url: "http://127.0.0.1:9/gone.mp4" };

test.each<[code: string, path: string, change: () => object]>([
  ["unknown_accounts", "accounts.0", () => ({ accounts: [{ id: newId() }] })],
  ["media_unreachable", "media.url", () => ({ media: unreachableMedia })],
  ["invalid_music_url", "music_url", () => ({ music_url: "https://www.tiktok.com/music/a-1" })],
])("400 %s on an update, and the post is unchanged", async (code, path, change) => {
  const id = await createPost("/posts");
  const answer = await tenant.api.patch(`/posts/${id}`, { caption: "two", ...change() });
  expect([answer.status, answer.body.error_code]).toEqual([400, code]);
  expect(answer.body.fields.map((field: { path: string }) => field.path)).toEqual([path]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data).toMatchObject({ caption: "one", media: body.media });
});

test("400 media_unreachable on a commit, and the post stays a draft", async () => {
  const id = await createPost("/posts/prepare", { media: unreachableMedia });
  const answer = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([answer.status, answer.body.error_code]).toEqual([400, "media_unreachable"]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("400 unknown_accounts on a commit after the account was paused, and the post stays a draft", async () => {
  const paused = await createTestAccount(tenant, "instagram");
  const id = await createPost("/posts/prepare", { accounts: [{ id: paused.id }] });
  await queryRows(sql`update accounts set status = 'paused' where id = ${paused.id} returning id`);
  const answer = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([answer.status, answer.body.error_code]).toEqual([400, "unknown_accounts"]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("409 external_id_conflict for a draft with the external_id of another payload", async () => {
  const external_id = newId();
  await createPost("/posts/prepare", { external_id });
  const answer = await tenant.api.post("/posts/prepare", { ...body, caption: "two", external_id });
  expect([answer.status, answer.body.error_code]).toEqual([409, "external_id_conflict"]);
});
