// What changes and drafts of a post are refused for, as a create is.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { uploadedVideo } from "../files/uploaded.ts";
import { type MintedAccount, mintAccount, mintTenant, rows, type Tenant } from "../harness.ts";

let tenant: Tenant;
let instagram: MintedAccount;
let body: { caption: string; accounts: { id: string }[]; media: object };

beforeAll(async () => {
  tenant = await mintTenant();
  instagram = await mintAccount(tenant, "instagram");
  const media = { type: "video", url: await uploadedVideo(tenant.api) };
  body = { caption: "one", accounts: [{ id: instagram.id }], media };
});

async function stored(path: "/posts" | "/posts/prepare", more: object = {}): Promise<string> {
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const answer = await tenant.api.post(path, { ...body, scheduled_at, ...more });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

const gone = { type: "video", url: "http://127.0.0.1:9/gone.mp4" };

test.each<[code: string, path: string, change: () => object]>([
  ["unknown_accounts", "accounts.0", () => ({ accounts: [{ id: newId() }] })],
  ["media_unreachable", "media.url", () => ({ media: gone })],
  ["invalid_music_url", "music_url", () => ({ music_url: "https://www.tiktok.com/music/a-1" })],
])("400 %s on an update, and the post stays as it was", async (code, path, change) => {
  const id = await stored("/posts");
  const answer = await tenant.api.patch(`/posts/${id}`, { caption: "two", ...change() });
  expect([answer.status, answer.body.error_code]).toEqual([400, code]);
  expect(answer.body.fields.map((field: { path: string }) => field.path)).toEqual([path]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data).toMatchObject({ caption: "one", media: body.media });
});

test("400 media_unreachable on a commit, and the draft stays one", async () => {
  const id = await stored("/posts/prepare", { media: gone });
  const answer = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([answer.status, answer.body.error_code]).toEqual([400, "media_unreachable"]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("400 unknown_accounts on a commit whose account was paused meanwhile, and the draft stays one", async () => {
  const paused = await mintAccount(tenant, "instagram");
  const id = await stored("/posts/prepare", { accounts: [{ id: paused.id }] });
  await rows(sql`update accounts set status = 'paused' where id = ${paused.id} returning id`);
  const answer = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([answer.status, answer.body.error_code]).toEqual([400, "unknown_accounts"]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("409 external_id_conflict for a draft whose external_id names another payload", async () => {
  const external_id = newId();
  await stored("/posts/prepare", { external_id });
  const answer = await tenant.api.post("/posts/prepare", { ...body, caption: "two", external_id });
  expect([answer.status, answer.body.error_code]).toEqual([409, "external_id_conflict"]);
});
