// What networks refuse beyond the numbers of their capabilities: the last post that passes and the first that does not.
import { describe, expect, test } from "vitest";
import type { Platform } from "../../lib/platforms/platform.ts";
import { type Draft, problemsFor, startedWith, told } from "./post.ts";

const JPEG = { contentType: "image/jpeg" };
const GIF = { contentType: "image/gif" };
const pin = (more: object): Draft["said"] => ({ pinterest: { board_id: "42", ...more } });
const tube = (youtube: object): Draft => ({ said: { settings: { youtube: { ...youtube } } } });
const tagged = (...labels: string[]) => tube({ tags: labels.map((label) => ({ label })) });
const links = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(" ");
const story = { settings: { instagram: { post_type: "story" } } };
const pages = { settings: { linkedin: { post_as_images_carousel: true } } };
const reel = (more: object): Draft => ({
  media: { video: { contentType: "video/mp4", durationMs: 10_000 } },
  said: { settings: { instagram: { ...more } } },
});
const linked = (length: number): Draft => ({
  caption: "a".repeat(length),
  media: { images: [JPEG] },
  said: { settings: { facebook: { url: "https://example.com" } } },
});

const own: [Platform, string, Draft, Draft, object][] = [
  [
    "pinterest",
    "a board",
    { said: pin({}) },
    { said: {} },
    { path: "pinterest.board_id", code: "board_id_missing", message: expect.stringMatching(/^board_id required/) },
  ],
  [
    "pinterest",
    "a board's id, not its name",
    { said: pin({}) },
    { said: pin({ board_id: "summer-looks" }) },
    { path: "pinterest.board_id", code: "board_id_malformed", actual: "summer-looks" },
  ],
  [
    "pinterest",
    "800 characters with tags",
    { caption: "a".repeat(795), said: pin({ tags: ["bb"] }) },
    { caption: "a".repeat(796), said: pin({ tags: ["bb"] }) },
    { path: "pinterest.tags", code: "description_too_long", limit: 800, actual: 801 },
  ],
  [
    "pinterest",
    "one size in a carousel",
    {
      media: { images: [{ ...JPEG, width: 1000, height: 1500 }, { ...JPEG }, { ...JPEG, width: 1000, height: 1500 }] },
    },
    { media: { images: [1500, 1501].map((height) => ({ ...JPEG, width: 1000, height })) } },
    { path: "media", code: "carousel_shapes", actual: "1000x1500, 1000x1501" },
  ],
  [
    "threads",
    "five different links",
    { caption: `${links(5)} https://example.com/0` },
    { caption: links(6) },
    { path: "caption", code: "too_many_links", limit: 5, actual: 6 },
  ],
  [
    "youtube",
    "a title from the caption",
    { caption: "\n Words" },
    { caption: " \n " },
    { path: "settings.youtube.title", code: "invalidTitle", actual: 0 },
  ],
  [
    "youtube",
    "a title that something is left of when it is cut",
    { caption: `Z${"\u0335".repeat(99)}` },
    { caption: `Z${"\u0335".repeat(100)}` },
    { path: "settings.youtube.title", code: "invalidTitle", actual: 0 },
  ],
  [
    "youtube",
    "a title of 100 characters",
    tube({ title: ` ${"a".repeat(100)} ` }),
    tube({ title: "a".repeat(101) }),
    { path: "settings.youtube.title", code: "invalidTitle", limit: 100, actual: 101 },
  ],
  [
    "youtube",
    "no brackets in its own title, while those of a caption become look-alikes",
    { caption: "I <3 you" },
    tube({ title: "I <3 you" }),
    { path: "settings.youtube.title", code: "invalidTitle", actual: "<" },
  ],
  [
    "youtube",
    "a description of 5,000 bytes",
    tube({ description: "é".repeat(2_500) }),
    tube({ description: `${"é".repeat(2_500)}a` }),
    { path: "settings.youtube.description", code: "invalidDescription", limit: 5_000, actual: 5_001 },
  ],
  [
    "youtube",
    "no brackets in its own description",
    tube({ description: "a › b" }),
    tube({ description: "a > b" }),
    { path: "settings.youtube.description", code: "invalidDescription", actual: ">" },
  ],
  [
    "youtube",
    "tags of 500 characters with commas and quotes",
    tagged("a".repeat(400), `${"b".repeat(95)} c`),
    tagged("a".repeat(400), `${"b".repeat(96)} c`),
    { path: "settings.youtube.tags", code: "invalidTags", limit: 500, actual: 501 },
  ],
  [
    "youtube",
    "no brackets in a tag",
    tagged("fine", "also fine"),
    tagged("fine", "<b>"),
    { path: "settings.youtube.tags.1.label", code: "invalidTags", actual: "<" },
  ],
  [
    "facebook",
    "63,206 characters with the link beside media",
    linked(63_206 - "\n\nhttps://example.com".length),
    linked(63_207 - "\n\nhttps://example.com".length),
    { path: "settings.facebook.url", code: "caption_too_long", limit: 63_206, actual: 63_207 },
  ],
  [
    "linkedin",
    "JPEG in a carousel",
    { media: { images: [JPEG, { contentType: null }] }, said: pages },
    { media: { images: [JPEG, { contentType: "image/png" }] }, said: pages },
    { path: "media.urls.1", code: "carousel_needs_jpeg", actual: "image/png" },
  ],
  [
    "twitter",
    "a GIF alone",
    { media: { images: [GIF] } },
    { media: { images: [JPEG, GIF] } },
    { path: "media.urls.1", code: "gif_not_alone", actual: "image/gif" },
  ],
  [
    "instagram",
    "a story of one image",
    { media: { images: [JPEG] }, said: story },
    { media: { images: [JPEG, JPEG] }, said: story },
    { path: "media", code: "story_single_media", limit: 1, actual: 2 },
  ],
  [
    "instagram",
    "a story of 60 seconds",
    { media: { video: { contentType: "video/mp4", durationMs: 60_000 } }, said: story },
    { media: { video: { contentType: "video/mp4", durationMs: 60_001 } }, said: story },
    { path: "media", code: "story_too_long", limit: 60, actual: 60.001 },
  ],
  [
    "instagram",
    "30 hashtags",
    { caption: `${"#tag ".repeat(30)} C# a&#35; https://example.com/#top` },
    { caption: `${"#tag ".repeat(30)} #größe` },
    { path: "caption", code: "too_many_hashtags", limit: 30, actual: 31 },
  ],
  [
    "instagram",
    "20 mentions",
    { caption: `${"@ann ".repeat(20)} mail me@example.com` },
    { caption: `${"@ann ".repeat(20)} (@b.c_d)` },
    { path: "caption", code: "too_many_mentions", limit: 20, actual: 21 },
  ],
  [
    "instagram",
    "a cover from within the video",
    reel({ thumb_offset_ms: 10_001, cover_url: "https://files.example/cover.jpg" }),
    reel({ thumb_offset_ms: 10_001 }),
    { path: "settings.instagram.thumb_offset_ms", code: "cover_outside_video", limit: 10_000, actual: 10_001 },
  ],
  [
    "tiktok",
    "a slideshow's title of 90 characters",
    { media: { images: [JPEG] }, said: { tiktok: { title: "a".repeat(90) } } },
    { media: { images: [JPEG] }, said: { tiktok: { title: "a".repeat(91) } } },
    { path: "tiktok.title", code: "title_too_long", limit: 90, actual: 91 },
  ],
  [
    "tiktok",
    "drafts of slideshows only",
    { media: { images: [JPEG] }, said: { tiktok: { post_mode: "MEDIA_UPLOAD" } } },
    { media: { video: {} }, said: { tiktok: { post_mode: "MEDIA_UPLOAD" } } },
    { path: "tiktok.post_mode", code: "post_mode_not_allowed" },
  ],
  [
    "tiktok",
    "a cover timestamp of videos only",
    { media: { video: {} }, said: { tiktok: { video_cover_timestamp_ms: 0 } } },
    { media: { images: [JPEG] }, said: { tiktok: { video_cover_timestamp_ms: 0 } } },
    { path: "tiktok.video_cover_timestamp_ms", code: "cover_not_allowed" },
  ],
  [
    "tiktok",
    "branded content in public",
    { said: { tiktok: { is_branded_content: true, privacy_level: "PUBLIC_TO_EVERYONE" } } },
    { said: { tiktok: { is_branded_content: true, privacy_level: "SELF_ONLY" } } },
    { path: "tiktok.is_branded_content", code: "branded_content_private" },
  ],
];

describe("the rules beyond the capabilities", () => {
  test.each(own)("%s: %s", (platform, _rule, passes, fails, found) => {
    expect(problemsFor(platform, "byo", passes)).toEqual([]);
    expect(problemsFor(platform, "byo", fails)).toEqual(told([found]));
  });

  test.each(own)("%s, when publishing: %s", async (platform, _rule, passes, fails, { code }: { code?: string }) => {
    expect((await startedWith(platform, passes)).calls).not.toBe(0);
    expect(await startedWith(platform, fails)).toMatchObject({ failed: { class: "content", code }, calls: 0 });
  });

  test("a caption that is too long by itself is told once, not again for its tags or its link", () => {
    const long = { caption: "a".repeat(63_207), media: { images: [JPEG] } };
    const facebook = { ...long, said: { settings: { facebook: { url: "https://example.com" } } } };
    for (const [platform, draft] of [
      ["facebook", facebook],
      ["pinterest", { ...long, said: pin({ tags: ["bb"] }) }],
    ] as const) {
      expect(problemsFor(platform, "byo", draft).map(({ path }) => path)).toEqual(["caption"]);
    }
  });

  test("a lone GIF on X may have 15 MiB, the same file as JPEG may not", () => {
    const bytes = 15 * 1024 * 1024;
    const one = (contentType: string, more: number) => ({ media: { images: [{ contentType, bytes: bytes + more }] } });
    expect(problemsFor("twitter", "byo", one("image/gif", 0))).toEqual([]);
    expect(problemsFor("twitter", "byo", one("image/gif", 1))).toMatchObject([{ limit: bytes, actual: bytes + 1 }]);
    expect(problemsFor("twitter", "byo", one("image/jpeg", 0))).toMatchObject([{ limit: 5 * 1024 * 1024 }]);
  });

  test("the shapes of Instagram's feed do not bind a story", () => {
    const upright = { media: { images: [{ ...JPEG, width: 1080, height: 1920 }] } };
    expect(problemsFor("instagram", "byo", upright)).toMatchObject([{ code: "image_shape_unsupported" }]);
    expect(problemsFor("instagram", "byo", { ...upright, said: story })).toEqual([]);
  });

  test("a story's video may have 100 MB, a reel's more", () => {
    const clip = (bytes: number) => ({ media: { video: { contentType: "video/mp4", durationMs: 10_000, bytes } } });
    expect(problemsFor("instagram", "byo", { ...clip(100_000_000), said: story })).toEqual([]);
    expect(problemsFor("instagram", "byo", { ...clip(100_000_001), said: story })).toMatchObject([
      { path: "media.url", code: "media_too_large", limit: 100_000_000 },
    ]);
    expect(problemsFor("instagram", "byo", clip(100_000_001))).toEqual([]);
  });

  test("all of one post are told at once", () => {
    const found = problemsFor("youtube", "byo", {
      ...tube({ title: "<", description: ">", tags: [{ label: "x".repeat(501) }] }),
      caption: "é".repeat(2_501),
      media: { images: [JPEG] },
    });
    expect(found.map(({ path }) => path)).toEqual([
      ...["caption", "media", "settings.youtube.title", "settings.youtube.description", "settings.youtube.tags"],
    ]);
  });
});
