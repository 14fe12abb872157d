// The fit of a file per network: the same rules and messages as when a post with this file is rejected.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { PlatformFit } from "../../lib/schemas/file.ts";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { uploadFile } from "./upload-file.ts";

const fixture = (name: string) => readFile(join(import.meta.dirname, "../media/fixtures", name));

let tenant: Tenant;
beforeAll(async () => {
  tenant = await createTestTenant();
});

interface Reported {
  id: string;
  url: string;
  fit: PlatformFit;
}

async function uploadAndReport(contentType: string, bytes: Uint8Array): Promise<Reported> {
  const response = await uploadFile(tenant.api, contentType, bytes);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  const { file, fit } = response.body.data;
  return { id: file.id, url: file.url, fit };
}

/** The problem codes of each network that has problems. */
const getProblemCodes = (fit: PlatformFit) =>
  Object.fromEntries(
    Object.entries(fit).flatMap(([network, { ok, problems }]) =>
      ok ? [] : [[network, problems.map(({ code }) => code)]],
    ),
  );

test("200 with the fit for each of the nine networks", async () => {
  const { fit } = await uploadAndReport("video/mp4", await fixture("faststart.mp4"));
  expect(Object.keys(fit)).toEqual([...PLATFORMS]);
  for (const { ok, problems } of Object.values(fit)) expect(ok).toBe(problems.length === 0);
});

test("200 kind and type: YouTube rejects images, TikTok and Instagram reject PNG", async () => {
  const { fit } = await uploadAndReport("image/png", await fixture("picture.png"));
  expect(getProblemCodes(fit)).toMatchObject({
    youtube: ["content_kind_unsupported"],
    tiktok: ["media_type_unsupported"],
    instagram: expect.arrayContaining(["media_type_unsupported"]),
  });
  expect(fit.youtube.problems).toEqual([
    { code: "content_kind_unsupported", message: expect.stringContaining("YouTube"), actual: "single_image" },
  ]);
  expect(fit.facebook).toEqual({ ok: true, problems: [] });
});

test("200 codec: X rejects HEVC, and a post with it is rejected with the same code", async () => {
  const { url, fit } = await uploadAndReport("video/mp4", await fixture("hevc.mp4"));
  expect(fit.twitter.problems).toContainEqual({
    code: "video_codec_unsupported",
    message: "The video is encoded as HEVC, but X allows only H.264. Convert it.",
    actual: "hevc",
  });
  expect(fit.tiktok.problems.map(({ code }) => code)).not.toContain("video_codec_unsupported");
  const account = await createTestAccount(tenant, "twitter");
  const post = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  const rejectedPost = await tenant.api.post("/posts", post);
  expect([rejectedPost.status, rejectedPost.body.error_code]).toEqual([400, "validation_failed"]);
  const codes = rejectedPost.body.fields.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(fit.twitter.problems.map(({ code }) => code));
  const draft = await tenant.api.post("/posts/prepare", post);
  const edited = await tenant.api.patch(`/posts/${draft.body.data.id}`, { caption: "b" });
  expect(edited.body.data.checks[0].problems.map(({ code }: { code: string }) => code)).toEqual(codes);
});

test("200 for a video of 160 x 120 at 15 frames per second: its size is a problem, a low rate is not", async () => {
  const { fit } = await uploadAndReport("video/mp4", await fixture("hevc.mp4"));
  expect(fit.tiktok.problems).toEqual([
    {
      code: "video_size_unsupported",
      message: "The video is 160 x 120, but TikTok requires sides of 360 to 4096 pixels. Scale it.",
      limit: 360,
      actual: 160,
    },
  ]);
  expect(fit.instagram.problems.map(({ code }) => code)).not.toContain("frame_rate_unsupported");
});

test("200 duration: too short or too long is reported with the limit and the actual value", async () => {
  const { id } = await uploadAndReport("video/mp4", await fixture("faststart.mp4"));
  const read = async (ms: number): Promise<PlatformFit> => {
    await queryRows(sql`update files set duration_ms = ${ms} where id = ${id} returning id`);
    return (await tenant.api.get(`/files/${id}`)).body.data.fit;
  };
  const [short, long] = [await read(2_000), await read(8_000_000)];
  expect(short.pinterest.problems).toEqual([
    { code: "video_too_short", message: expect.stringContaining("Pinterest"), limit: 4, actual: 2 },
  ]);
  expect(long.twitter.problems).toEqual([
    {
      code: "video_too_long",
      message: expect.stringContaining("X requires at most 7500 seconds"),
      limit: 7_500,
      actual: 8_000,
    },
  ]);
  expect(long.youtube.ok).toBe(true);
});

test("200 size and aspect ratio of an image; X has separate limits for GIF", async () => {
  const { id } = await uploadAndReport("image/jpeg", await fixture("baseline.jpg"));
  await queryRows(sql`update files set size = 6000000, width = 100, height = 300 where id = ${id} returning id`);
  const { fit } = (await tenant.api.get(`/files/${id}`)).body.data;
  expect(getProblemCodes(fit)).toEqual({
    youtube: ["content_kind_unsupported"],
    instagram: ["image_shape_unsupported"],
    twitter: ["media_too_large"],
    linkedin: ["media_too_large"],
    facebook: ["media_too_large"],
    bluesky: ["media_too_large"],
  });
  expect(fit.instagram.problems[0]).toMatchObject({ limit: 0.75, actual: 0.3333 });
  expect(fit.bluesky.problems[0]).toMatchObject({ limit: 2_000_000, actual: 6_000_000 });
  const gif = await uploadAndReport("image/gif", await fixture("two.gif"));
  await queryRows(sql`update files set size = 6000000 where id = ${gif.id} returning id`);
  expect((await tenant.api.get(`/files/${gif.id}`)).body.data.fit.twitter).toEqual({ ok: true, problems: [] });
});

test("200 a rotated photo is measured as it is displayed", async () => {
  const { id } = await uploadAndReport("image/jpeg", await fixture("rotated.jpg"));
  const [row] = await queryRows<{ width: number; height: number; details: { width: number; height: number } }>(
    sql`select width, height, details from files where id = ${id}`,
  );
  expect([row?.width, row?.height]).toEqual([row?.details.height, row?.details.width]);
  expect(row?.width).not.toBe(row?.height);
});
