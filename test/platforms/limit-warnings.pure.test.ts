// What networks may reject although their documentation, or that of their app, allows it: a warning, and no error.
import { expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { toMetaFailure } from "../../lib/platforms/meta.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { findContentViolations, findLimitWarnings } from "../../lib/platforms/violations.ts";
import { toMediaFile } from "../../lib/publishing/load-references.ts";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import { file, text } from "./content.ts";

const image = (width: number, height: number) =>
  file("https://a.example/a.jpg", { mimeType: "image/jpeg", width, height });
const slides = (...images: MediaFile[]): Content => ({ ...text(""), media: { type: "slideshow", images } });

/** Codes of the errors and of the warnings. */
function check(platform: Platform, content: Content): [string[], string[]] {
  const capabilities = getCapabilities(platform, "byo");
  const driver = drivers[platform];
  const found = findContentViolations(driver, content, capabilities, platform);
  const warnings = [...findLimitWarnings(content, capabilities, platform), ...(driver.warn?.(content) ?? [])];
  return [found.map(({ code }) => code), warnings.map(({ code }) => code)];
}

test.each([
  [60.02, null],
  [22.98, null],
  [59.94, null],
  [61, null],
  [61.01, "frame_rate_unsupported"],
  [120, "frame_rate_unsupported"],
  [23.976, null],
  [22, null],
  [21.99, "frame_rate_low"],
  [15, "frame_rate_low"],
  [8.76, "frame_rate_low"],
  [0.5, "frame_rate_low"],
  [null, null],
])("%s frames per second: %s, alike for all networks with a rule", (fps, code) => {
  const bounded = PLATFORMS.filter((platform) => getCapabilities(platform, "byo").videos.fps);
  expect(bounded).toEqual(["tiktok", "instagram"]);
  for (const platform of PLATFORMS) {
    const video = file("https://a.example/v.mp4", { mimeType: "video/mp4", durationMs: 10_000, fps });
    const [errors, warnings] = check(platform, { ...text(""), media: { type: "video", video } });
    const expected = bounded.includes(platform) && code ? [code] : [];
    expect([...errors, ...warnings].filter((found) => found.startsWith("frame"))).toEqual(expected);
    expect(errors.includes("frame_rate_low")).toBe(false);
  }
});

const UNUSUAL = ["opus", "flac", "mp3", "ac3", "pcm-s16", "vorbis", "unknown"];
test.each<[string | null, boolean]>([
  ["aac", false],
  [null, false],
  ...UNUSUAL.map((codec): [string, boolean] => [codec, true]),
])("audio in the codec %s: a warning is %s, and never an error", (audioCodec, isUnusual) => {
  const strict = PLATFORMS.filter((platform) => getCapabilities(platform, "byo").videos.audioCodecs);
  expect(strict.toSorted()).toEqual(["instagram", "threads", "twitter"]);
  for (const platform of PLATFORMS) {
    const video = file("https://a.example/v.mp4", { mimeType: "video/mp4", durationMs: 10_000, audioCodec });
    const [errors, warnings] = check(platform, { ...text(""), media: { type: "video", video } });
    expect([errors.includes("audio_codec_unusual"), warnings.includes("audio_codec_unusual")]).toEqual([
      false,
      isUnusual && strict.includes(platform),
    ]);
  }
});

test("the warning about audio says how to export the video", () => {
  const capabilities = getCapabilities("instagram", "byo");
  const video = file("https://a.example/v.mp4", { audioCodec: "opus" });
  expect(findLimitWarnings({ media: { type: "video", video } }, capabilities, "Instagram")).toEqual([
    {
      path: "media.url",
      code: "audio_codec_unusual",
      message:
        "The audio of the video is encoded as opus, but Instagram asks for AAC and may reject it. Export the video with AAC audio.",
      actual: "opus",
    },
  ]);
});

test.each([
  [{ hasAudioStream: true, audioCodec: "opus" }, "opus"],
  [{ hasAudioStream: true, audioCodec: null }, "unknown"],
  [{ hasAudioStream: false, audioCodec: null }, null],
  [{}, null],
])("of a stored file with the facts %j, the audio codec is %s", (details, audioCodec) => {
  const facts = {
    url: "https://a.example/v.mp4",
    contentType: "video/mp4",
    size: 1,
    durationMs: 1,
    width: 1,
    height: 1,
  };
  expect(toMediaFile({ ...facts, details })).toMatchObject({ audioCodec });
});

test.each([
  [1080, 1440, [], ["image_may_be_rejected"]],
  [3024, 4032, [], ["image_may_be_rejected"]],
  [1079, 1440, ["image_shape_unsupported"], []],
  [1080, 1350, [], []],
  [1079, 1350, [], ["image_may_be_rejected"]],
  [1080, 1920, ["image_shape_unsupported"], []],
  [1080, 1080, [], []],
  [1080, 566, [], []],
  [1910, 1000, [], []],
  [1911, 1000, ["image_shape_unsupported"], []],
])("Instagram, a photo of %d x %d: errors %j, warnings %j", (width, height, errors, warnings) => {
  expect(check("instagram", slides(image(width, height)))).toEqual([errors, warnings]);
  const story = { ...slides(image(width, height)), settings: { post_type: "story" } };
  expect(check("instagram", story)).toEqual([[], []]);
});

test("the warning names the photo of a carousel, and what to do", () => {
  const [warning] = drivers.instagram.warn?.(slides(image(1080, 1080), image(1080, 1440))) ?? [];
  expect(warning).toMatchObject({ path: "media.urls.1", limit: 0.8, actual: 0.75 });
  expect(warning?.message).toMatch(/1080 x 1440 .* crop the image to 4:5/);
});

const tags = (count: number) => Array.from({ length: count }, (_, at) => `#tag${at}`).join(" ");
test.each([
  [tags(5), [], []],
  [tags(6), [], ["many_hashtags"]],
  [tags(30), [], ["many_hashtags"]],
  [tags(31), ["too_many_hashtags"], ["many_hashtags"]],
  ["#a #b #c #d #e C# &#39; a#b /#top", [], []],
  ["#été #日本 #1 #a_b #e #sechs", [], ["many_hashtags"]],
  ["#a #b #c #d #e #🎉", [], ["many_hashtags"]],
  ["#\ufe0f\u20e3 #\u20e3 ".repeat(31), [], []],
  ["#a#b#c#d#e", [], []],
  ["#a#b#c#d#e#f", [], ["many_hashtags"]],
  ["#a".repeat(31), ["too_many_hashtags"], ["many_hashtags"]],
  ["＃あ ＃い ＃う ＃え ＃お #か", [], ["many_hashtags"]],
  [".@ann ".repeat(21), ["too_many_mentions"], []],
  ["写真@ann ".repeat(21), ["too_many_mentions"], []],
  ["＠ann ".repeat(21), ["too_many_mentions"], []],
  ["ann@example.com ".repeat(21), [], []],
  ["# # # # # # #", [], []],
  ["##a ##b", [], []],
  ["", [], []],
])("Instagram, the caption %j: errors %j, warnings %j", (caption, errors, warnings) => {
  expect(check("instagram", { ...slides(image(1080, 1080)), caption })).toEqual([errors, warnings]);
});

const clip: Content = {
  ...text(""),
  media: { type: "video", video: file("https://a.example/v.mp4", { mimeType: "video/mp4", durationMs: 10_000 }) },
};
const trial = { is_trial_reel: true };
const invited = { collaborators: [{ label: "ann" }] };
test.each<[string, Content, Record<string, unknown>, string[]]>([
  ["a reel", clip, { ...trial, ...invited }, []],
  ["a story", clip, { post_type: "story", ...trial, ...invited }, ["is_trial_reel", "collaborators"]],
  ["a photo", slides(image(1080, 1080)), { ...trial, ...invited }, ["is_trial_reel"]],
  ["a photo", slides(image(1080, 1080)), { is_trial_reel: false, collaborators: [] }, []],
  ["a story", slides(image(1080, 1080)), { post_type: "story", collaborators: [] }, []],
])("Instagram, %s %#: settings that change nothing are named", (_what, content, settings, ignored) => {
  const warnings = drivers.instagram.warn?.({ ...content, settings }) ?? [];
  expect(warnings.map(({ path, code }) => [path, code])).toEqual(
    ignored.map((name) => [`settings.instagram.${name}`, "setting_ignored"]),
  );
});

const everything = {
  ...{ description: "x", auto_add_music: true, disable_comment: true, is_your_brand: true },
  ...{ disable_duet: true, disable_stitch: true, is_aigc: true },
};
test.each<[string, Content, Record<string, unknown>, string[]]>([
  ["a video", clip, everything, ["description", "auto_add_music"]],
  ["a slideshow", slides(image(1080, 1080)), everything, ["disable_duet", "disable_stitch", "is_aigc"]],
  ["a video", clip, { description: "", auto_add_music: false }, []],
  ["a slideshow", slides(image(1080, 1080)), { disable_duet: false, is_aigc: false }, []],
])("TikTok, %s %#: settings that change nothing are named", (_what, content, settings, ignored) => {
  const warnings = drivers.tiktok.warn?.({ ...content, settings }) ?? [];
  expect(warnings.map(({ path, code }) => [path, code])).toEqual(
    ignored.map((name) => [`tiktok.${name}`, "setting_ignored"]),
  );
});

// https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes, read 2026-11-28.
test.each(["ig", "th", "fb"])("%s_2207001 is a server error and is tried again", (prefix) => {
  const io = { fetch, now: () => new Date() };
  const failed = toMetaFailure(io, prefix, { code: -1, subcode: 2207001 }, null);
  expect(failed).toMatchObject({ class: "transient", code: `${prefix}_2207001` });
  expect(failed.message).toMatch(/spam/);
});
