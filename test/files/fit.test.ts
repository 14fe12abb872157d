// The report of each network on a file: the same rules, and the same words, that a post with this file is refused with.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { PLATFORMS } from "../../lib/platforms/platform.ts";
import type { Fit } from "../../lib/schemas/file.ts";
import { mintAccount, mintTenant, rows, type Tenant } from "../harness.ts";
import { upload } from "./uploaded.ts";

const fixture = (name: string) => readFile(join(import.meta.dirname, "../media/fixtures", name));

let tenant: Tenant;
beforeAll(async () => {
  tenant = await mintTenant();
});

interface Reported {
  id: string;
  url: string;
  fit: Fit;
}

async function report(contentType: string, bytes: Uint8Array): Promise<Reported> {
  const answer = await upload(tenant.api, contentType, bytes);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const { file, fit } = answer.body.data;
  return { id: file.id, url: file.url, fit };
}

/** The codes of what each network minds, of those that mind something. */
const mindedIn = (fit: Fit) =>
  Object.fromEntries(
    Object.entries(fit).flatMap(([network, { ok, problems }]) =>
      ok ? [] : [[network, problems.map(({ code }) => code)]],
    ),
  );

test("200 a report for each of the nine networks", async () => {
  const { fit } = await report("video/mp4", await fixture("faststart.mp4"));
  expect(Object.keys(fit)).toEqual([...PLATFORMS]);
  for (const { ok, problems } of Object.values(fit)) expect(ok).toBe(problems.length === 0);
});

test("200 kind and type: an image is nothing for YouTube, a PNG nothing for TikTok and Instagram", async () => {
  const { fit } = await report("image/png", await fixture("picture.png"));
  expect(mindedIn(fit)).toMatchObject({
    youtube: ["content_kind_unsupported"],
    tiktok: ["media_type_unsupported"],
    instagram: expect.arrayContaining(["media_type_unsupported"]),
  });
  expect(fit.youtube.problems).toEqual([
    { code: "content_kind_unsupported", message: expect.stringContaining("YouTube"), actual: "single_image" },
  ]);
  expect(fit.facebook).toEqual({ ok: true, problems: [] });
});

test("200 codec: HEVC is nothing for X, and a post with it is refused with the same code", async () => {
  const { url, fit } = await report("video/mp4", await fixture("hevc.mp4"));
  expect(fit.twitter.problems).toContainEqual({
    code: "video_codec_unsupported",
    message: "The video is encoded as HEVC and X takes H.264. Convert it.",
    actual: "hevc",
  });
  expect(fit.tiktok.problems.map(({ code }) => code)).not.toContain("video_codec_unsupported");
  const account = await mintAccount(tenant, "twitter");
  const post = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  const refused = await tenant.api.post("/posts", post);
  expect([refused.status, refused.body.error_code]).toEqual([400, "validation_failed"]);
  const codes = refused.body.fields.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(fit.twitter.problems.map(({ code }) => code));
  const draft = await tenant.api.post("/posts/prepare", post);
  const edited = await tenant.api.patch(`/posts/${draft.body.data.id}`, { caption: "b" });
  expect(edited.body.data.checks[0].problems.map(({ code }: { code: string }) => code)).toEqual(codes);
});

test("200 picture: a video of 160 x 120 and 15 frames a second is nothing for TikTok, which names both", async () => {
  const { fit } = await report("video/mp4", await fixture("hevc.mp4"));
  expect(fit.tiktok.problems).toEqual([
    {
      code: "video_size_unsupported",
      message: "The video is 160 x 120 and TikTok takes sides of 360 to 4096. Scale it.",
      limit: 360,
      actual: 160,
    },
    {
      code: "frame_rate_unsupported",
      message: "The video has 15 frames a second and TikTok takes 23 to 60. Convert it.",
      limit: 23,
      actual: 15,
    },
  ]);
  expect(fit.instagram.problems.map(({ code }) => code)).toContain("frame_rate_unsupported");
});

test("200 length: what is too short or too long is told with its limit and what the file has", async () => {
  const { id } = await report("video/mp4", await fixture("faststart.mp4"));
  const read = async (ms: number): Promise<Fit> => {
    await rows(sql`update files set duration_ms = ${ms} where id = ${id} returning id`);
    return (await tenant.api.get(`/files/${id}`)).body.data.fit;
  };
  const [short, long] = [await read(2_000), await read(200_000)];
  expect(short.pinterest.problems).toEqual([
    { code: "video_too_short", message: expect.stringContaining("Pinterest"), limit: 4, actual: 2 },
  ]);
  expect(long.twitter.problems).toEqual([
    { code: "video_too_long", message: expect.stringContaining("X takes at most 140"), limit: 140, actual: 200 },
  ]);
  expect(long.youtube.ok).toBe(true);
});

test("200 size and shape of an image; a GIF has limits of its own on X", async () => {
  const { id } = await report("image/jpeg", await fixture("baseline.jpg"));
  await rows(sql`update files set size = 6000000, width = 100, height = 300 where id = ${id} returning id`);
  const { fit } = (await tenant.api.get(`/files/${id}`)).body.data;
  expect(mindedIn(fit)).toEqual({
    youtube: ["content_kind_unsupported"],
    instagram: ["image_shape_unsupported"],
    twitter: ["media_too_large"],
    linkedin: ["media_too_large"],
    facebook: ["media_too_large"],
    bluesky: ["media_too_large"],
  });
  expect(fit.instagram.problems[0]).toMatchObject({ limit: 0.8, actual: 0.3333 });
  expect(fit.bluesky.problems[0]).toMatchObject({ limit: 1_000_000, actual: 6_000_000 });
  const gif = await report("image/gif", await fixture("two.gif"));
  await rows(sql`update files set size = 6000000 where id = ${gif.id} returning id`);
  expect((await tenant.api.get(`/files/${gif.id}`)).body.data.fit.twitter).toEqual({ ok: true, problems: [] });
});

test("200 a photo that lies on its side is measured as it is shown", async () => {
  const { id } = await report("image/jpeg", await fixture("turned.jpg"));
  const [row] = await rows<{ width: number; height: number; details: { width: number; height: number } }>(
    sql`select width, height, details from files where id = ${id}`,
  );
  expect([row?.width, row?.height]).toEqual([row?.details.height, row?.details.width]);
  expect(row?.width).not.toBe(row?.height);
});
