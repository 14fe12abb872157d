// Content of single accounts, threads, first comments, link cards, alternative texts and covers, as requests send them.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { uploadFile } from "../files/upload-file.ts";
import { queryRows } from "../support/harness.ts";
import { expectError, inHours, openPostTenant } from "./post-requests.ts";

const { api, instagram, tiktok, bluesky, url, ...setting } = await openPostTenant();
const accounts = [{ id: instagram.id }, { id: bluesky.id, caption: "short" }, { id: bluesky.id, caption: "short" }];
const buildBody = (more: object = {}) => setting.buildBody({ scheduled_at: inHours(1), accounts, ...more });
const getFields = (response: { body: Record<string, unknown> }) =>
  (response.body.fields as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`);

test("201 mirrors what single accounts have, and counts their captions", async () => {
  const own = [{ id: instagram.id }, { id: bluesky.id, caption: "short", media: null }];
  const sent = buildBody({ caption: "x".repeat(400), accounts: own });
  const { status, body } = await api.post("/posts/prepare", sent);
  expect(status).toBe(201);
  const { data } = body;
  expect(data.accounts).toMatchObject({
    total: 2,
    overrides: [{ account_id: bluesky.id, caption: "short", media: null }],
    states: [
      { first_comment: null, parts: null },
      { first_comment: null, parts: null },
    ],
  });
  expect(data).toMatchObject({ first_comment: null, thread: null, link: null });
  expect(data.checks.map((check: { ok: boolean; caption_length: number }) => [check.ok, check.caption_length])).toEqual(
    [
      [true, 400],
      [true, 5],
    ],
  );
  const changed = await api.patch(`/posts/${data.id}`, { accounts: [own[0], { ...own[1], caption: "other" }] });
  expect(changed.body.data.plan_hash).not.toBe(data.plan_hash);
  const kept = await api.patch(`/posts/${data.id}`, { caption: "y" });
  expect(kept.body.data.accounts.overrides).toEqual([{ account_id: bluesky.id, caption: "other", media: null }]);
  const cleared = await api.patch(`/posts/${data.id}`, { accounts: own.map(({ id }) => ({ id })) });
  expect(cleared.body.data.accounts.overrides).toEqual([]);
});

test("201 one delivery of a repeated account, 422 with other fields", async () => {
  const { status, body } = await api.post("/posts", buildBody());
  expect([status, body.data?.accounts.total]).toEqual([201, 2]);
  const repeated = [{ id: bluesky.id }, { id: bluesky.id, caption: "other" }];
  const response = await api.post("/posts", buildBody({ accounts: repeated }));
  expectError(response, 422, "invalid_payload");
  expect(getFields(response)).toEqual(["accounts.1 duplicate_account"]);
});

test("400 names the field of the account that breaks a rule", async () => {
  const response = await api.post(
    "/posts",
    buildBody({
      accounts: [{ id: instagram.id, media: null }, { id: tiktok.id, caption: "x".repeat(2_201) }, { id: bluesky.id }],
    }),
  );
  expectError(response, 400, "validation_failed");
  expect(getFields(response)).toEqual([
    "accounts.0.media content_kind_unsupported",
    "accounts.1.caption caption_too_long",
  ]);
});

test("400 a first comment and a thread where the account has none, whoever sends it", async () => {
  const response = await api.post(
    "/posts",
    buildBody({
      accounts: [{ id: tiktok.id }, { id: instagram.id, first_comment: null }],
      first_comment: "one",
      thread: [{ caption: "two" }],
    }),
  );
  expectError(response, 400, "validation_failed");
  expect(getFields(response)).toEqual([
    "thread thread_unsupported",
    "first_comment first_comment_unsupported",
    "thread thread_unsupported",
  ]);
  const own = await api.post("/posts", buildBody({ accounts: [{ id: tiktok.id, first_comment: "one" }] }));
  expect(getFields(own)).toEqual(["accounts.0.first_comment first_comment_unsupported"]);
});

test("400 a link beside media, 422 beside another link of Facebook", async () => {
  const link = { url: "https://example.com/a" };
  const withMedia = await api.post("/posts", buildBody({ accounts: [{ id: instagram.id }], link }));
  expect([withMedia.status, getFields(withMedia)]).toEqual([400, ["link link_with_media"]]);
  const text = { accounts: [{ id: bluesky.id }], media: null };
  const settings = { facebook: { url: "https://example.com/b" } };
  const twice = await api.post("/posts", buildBody({ ...text, link, settings }));
  expect([twice.status, getFields(twice)]).toEqual([422, ["settings.facebook.url contradiction"]]);
  const { status, body } = await api.post("/posts", buildBody({ ...text, link }));
  expect([status, body.data?.link]).toEqual([201, link]);
  const none = await api.patch(`/posts/${body.data.id}`, { link: null });
  expect(none.body.data.link).toBeNull();
  expect(await queryRows(sql`select link from posts where id = ${body.data.id}`)).toEqual([{ link: { url: null } }]);
});

test("422 media that contradict themselves", async () => {
  const send = async (media: object, more: object = {}) =>
    getFields(await api.post("/posts", buildBody({ accounts: [{ id: instagram.id }], media, ...more })));
  const video = { type: "video", url };
  expect(await send({ ...video, cover_url: url, cover_timestamp_ms: 1 })).toEqual([
    "media.cover_timestamp_ms contradiction",
  ]);
  expect(await send({ type: "slideshow", urls: [url], alt_texts: ["a", null], cover_index: 1 })).toEqual([
    "media.alt_texts contradiction",
    "media.cover_index too_big",
  ]);
  expect(await send({ ...video, cover_timestamp_ms: 1 }, { settings: { instagram: { thumb_offset_ms: 2 } } })).toEqual([
    "settings.instagram.thumb_offset_ms contradiction",
  ]);
  expect(await send({ type: "carousel", items: [{ type: "image", url }] })).toEqual(["media.items too_small"]);
});

test("400 a carousel where the account has none, and an unreachable file of one account", async () => {
  const items = [
    { type: "image", url: "http://127.0.0.1:9/a.jpg" },
    { type: "video", url },
  ];
  const response = await api.post(
    "/posts",
    buildBody({ accounts: [{ id: tiktok.id, media: { type: "carousel", items } }] }),
  );
  expectError(response, 400, "validation_failed");
  expect(getFields(response)).toEqual([
    "accounts.0.media.items.0.url media_unreachable",
    "accounts.0.media content_kind_unsupported",
  ]);
});

test("201 warns of alternative texts and covers that an account does not take", async () => {
  // One pixel.
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const uploaded = await uploadFile(api, "image/png", Buffer.from(png, "base64"));
  const picture = uploaded.body.data.file.url;
  const { status, body } = await api.post(
    "/posts",
    buildBody({
      accounts: [{ id: tiktok.id }],
      media: { type: "video", url, alt_text: "a harbour", cover_url: picture },
    }),
  );
  expect([status, body.fields]).toEqual([201, undefined]);
  const codes = body.data.warnings.map(({ code, field }: { code: string; field: string }) => `${field} ${code}`);
  expect(codes).toEqual(["media.alt_text alt_text_ignored", "media.cover_url cover_ignored"]);
  expect(body.data.media).toEqual({ type: "video", url, alt_text: "a harbour", cover_url: picture });
});

test("400 a cover that is a video", async () => {
  const media = { type: "video", url, cover_url: url };
  const response = await api.post("/posts", buildBody({ accounts: [{ id: instagram.id }], media }));
  expectError(response, 400, "media_unreachable");
  expect(getFields(response)).toEqual(["media.cover_url media_unreachable"]);
  expect(response.body.fields[0].message).toContain("The file is video/mp4, but image/* is required for a cover.");
});

test("409 a file of one account cannot be deleted before the post is out", async () => {
  const id = url.match(/[0-9a-f-]{36}/)?.[0];
  await api.post("/posts", buildBody({ accounts: [{ id: bluesky.id, media: { type: "video", url } }], media: null }));
  const response = await api.delete(`/files/${id}`);
  expect(response.status).toBe(409);
});
