// POST /posts over HTTP: stored posts, validation errors and duplicates.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { expectError, getPaths, inHours, openPostTenant } from "./post-requests.ts";

const { tenant, api, instagram, tiktok, url, buildBody } = await openPostTenant();

test("201 with the post as in reads, enqueued immediately", async () => {
  const response = await api.post("/posts", buildBody());
  expect(response.status).toBe(201);
  const { data } = response.body;
  expect(data).toMatchObject({
    caption: "one",
    status: "pending",
    scheduled_at: null,
    media: { type: "video", url },
    music_url: null,
    tiktok: null,
    pinterest: null,
    external_id: null,
    metadata: { source: "partner_api" },
    warnings: [],
    accounts: { total: 1, states: [{ account_id: instagram.id, status: "pending", published_at: null }] },
  });
  const { warnings: _, ...post } = data;
  const read = await api.get(`/posts/${data.id}`);
  expect(read.body.data).toEqual(post);
  expect(api.enqueuedDeliveries.at(-1)).toMatchObject({ delaySeconds: 0, deliveryIds: [expect.any(String)] });
});

test("201 scheduled after more than 30 s, pending within 30 s, 400 in the past", async () => {
  const at = (ms: number) => ({ scheduled_at: new Date(Date.now() + ms).toISOString() });
  expect((await api.post("/posts", buildBody(at(3_600_000)))).body.data.status).toBe("scheduled");
  expect((await api.post("/posts", buildBody(at(20_000)))).body.data.status).toBe("pending");
  expect((await api.post("/posts", buildBody(at(-20_000)))).body.data.status).toBe("pending");
  const past = await api.post("/posts", buildBody(at(-40_000)));
  expectError(past, 400, "validation_failed", "scheduled_at");
  expect(past.body.message).toMatch(
    /To publish now, omit scheduled_at when creating a post and send null when updating one/,
  );
});

test("201 enqueues a post that is due within 12 hours at once, ten minutes before to prepare it, and leaves later ones to cron", async () => {
  const schedule = async (hours: number) => {
    const before = api.enqueuedDeliveries.length;
    expect((await api.post("/posts", buildBody({ scheduled_at: inHours(hours) }))).status).toBe(201);
    return api.enqueuedDeliveries.slice(before);
  };
  const [sent] = await schedule(11);
  expect(sent?.delaySeconds).toBeGreaterThan(11 * 3_600 - 660);
  expect(sent?.delaySeconds).toBeLessThanOrEqual(11 * 3_600 - 600);
  expect(await schedule(13)).toEqual([]);
});

test("201 converts the offset of scheduled_at, 422 for invalid instants", async () => {
  const response = await api.post("/posts", buildBody({ scheduled_at: "2030-01-01T02:00+02:00" }));
  expect(response.body.data.scheduled_at).toBe("2030-01-01T00:00:00.000Z");
  for (const scheduled_at of ["2030-01-01T00:00:00", "tomorrow", "2030-02-30T00:00:00Z", 1893456000]) {
    const rejected = await api.post("/posts", buildBody({ scheduled_at }));
    expect([rejected.status, ...getPaths(rejected)]).toEqual([422, "scheduled_at"]);
  }
  for (const scheduled_at of ["2027-02-29T10:00:00Z", "2027-01-01T25:00Z", "9999-01-01T00:00:00Z"]) {
    const rejected = await api.post("/posts", buildBody({ scheduled_at }));
    expect([rejected.status, rejected.body.fields?.[0].message]).toEqual([
      422,
      expect.stringMatching(/There is no|from 1970 to 9000/),
    ]);
  }
});

test("201 one delivery for a repeated account", async () => {
  const accounts = [{ id: instagram.id }, { id: instagram.id.toUpperCase() }, { id: tiktok.id }];
  const response = await api.post("/posts", buildBody({ accounts }));
  expect(response.body.data.accounts.total).toBe(2);
});

test("422 reports every invalid field with its path", async () => {
  const response = await api.post("/posts", {
    caption: "",
    accounts: [{ id: "x", title: "no" }, {}],
    media: { type: "video", url: "ftp://example.com/a.mp4", colour: "red" },
    scheduled_at: "soon",
    music_url: "https://example.com/song",
    tiktok: { privacy_level: "EVERYONE" },
    settings: { youtube: { title: " " }, myspace: {} },
  });
  expectError(response, 422, "invalid_payload");
  expect(getPaths(response).toSorted()).toEqual([
    "accounts.0.id",
    "accounts.0.title",
    "accounts.1.id",
    "caption",
    "media.colour",
    "media.url",
    "music_url",
    "scheduled_at",
    "settings.myspace",
    "settings.youtube.title",
    "tiktok.privacy_level",
  ]);
  for (const error of response.body.fields)
    expect(error).toEqual({ path: expect.any(String), message: expect.any(String), code: expect.any(String) });
});

test("422 for aliases with different values, 201 with equal values", async () => {
  const youtube = await createTestAccount(tenant, "youtube");
  const createWithSettings = (settings: object) =>
    api.post("/posts", buildBody({ accounts: [{ id: youtube.id }], settings: { youtube: settings } }));
  const response = await createWithSettings({
    privacy: "public",
    type: "private",
    selfDeclaredMadeForKids: "no",
    madeForKids: true,
  });
  expect([response.status, getPaths(response)]).toEqual([
    422,
    ["settings.youtube.type", "settings.youtube.madeForKids"],
  ]);
  const alike = { privacy: "private", type: "private", selfDeclaredMadeForKids: "yes", madeForKids: true };
  expect((await createWithSettings(alike)).status).toBe(201);
});

test("400 reports the problems of every account at once, with limit and actual value", async () => {
  const response = await api.post("/posts", {
    ...buildBody({ accounts: [{ id: instagram.id }, { id: tiktok.id }], music_url: "https://www.tiktok.com/music/1" }),
    caption: "x".repeat(2201),
    tiktok: {},
    settings: { x: {} },
  });
  expectError(response, 400, "validation_failed");
  expect(
    response.body.fields.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).toSorted(),
  ).toEqual([
    "caption caption_too_long",
    "caption caption_too_long",
    "music_url invalid_music_url",
    "settings.x provider_absent",
    "tiktok tiktok_not_allowed",
  ]);
  expect(response.body.fields[0]).toMatchObject({ limit: 2200, actual: 2201 });
});

test("400 unknown_accounts for an account of another workspace or one that is not active", async () => {
  const other = await createTestAccount(await createTestTenant(), "instagram");
  const paused = await createTestAccount(tenant, "instagram", { status: "paused" });
  for (const { id } of [other, paused, { id: newId() }]) {
    const response = await api.post("/posts", buildBody({ accounts: [{ id: instagram.id }, { id }] }));
    expectError(response, 400, "unknown_accounts", "accounts.1");
  }
});

test("400 invalid_music_url unless every account is on TikTok", async () => {
  const music_url = "https://www.tiktok.com/music/original-sound-1";
  const response = await api.post("/posts", buildBody({ music_url }));
  expectError(response, 400, "invalid_music_url");
  expect((await api.post("/posts", buildBody({ music_url, accounts: [{ id: tiktok.id }] }))).status).toBe(201);
});

test("400 text only for an account that needs media", async () => {
  const response = await api.post("/posts", buildBody({ media: null }));
  expectError(response, 400, "validation_failed", "media");
});

test("400 media_unreachable for private addresses and a wrong content type", async () => {
  for (const bad of [
    "http://169.254.169.254/latest",
    "http://[::1]/a.mp4",
    "http://localhost/a.mp4",
    "http://0x7f000001/a.mp4",
  ]) {
    const response = await api.post("/posts", buildBody({ media: { type: "video", url: bad } }));
    expectError(response, 400, "media_unreachable", "media.url");
    expect(response.body.fields[0].message).toMatch(/not public/);
  }
  const image = await api.post("/posts", buildBody({ media: { type: "slideshow", urls: [url] } }));
  expect(image.status).toBe(400);
});

test("200 returns the existing post for the same external_id and payload, 409 for another payload", async () => {
  const external_id = newId();
  const first = await api.post("/posts", buildBody({ external_id }));
  const again = await api.post("/posts", buildBody({ external_id }));
  expect([first.status, first.body.data.duplicate]).toEqual([201, undefined]);
  expect([again.status, again.body.data.duplicate, again.body.data.id]).toEqual([200, true, first.body.data.id]);
  const other = await api.post("/posts", buildBody({ external_id, caption: "other" }));
  expectError(other, 409, "external_id_conflict");
  const elsewhere = await createTestTenant();
  const theirs = await createTestAccount(elsewhere, "instagram");
  const theirUrl = await uploadDemoVideo(elsewhere.api);
  const free = {
    ...buildBody({ external_id }),
    accounts: [{ id: theirs.id }],
    media: { type: "video", url: theirUrl },
  };
  expect((await elsewhere.api.post("/posts", free)).status).toBe(201);
});

test("201 once and 200 otherwise for 20 parallel requests with one external_id", async () => {
  const external_id = newId();
  const responses = await Promise.all(Array.from({ length: 20 }, () => api.post("/posts", buildBody({ external_id }))));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
});
