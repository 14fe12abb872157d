// Rules of networks beyond the capabilities: the last post that is valid and the first that is not.
import { describe, expect, test } from "vitest";
import type { Platform } from "../../lib/shared/platforms.ts";
import { expectedProblems, findProblemsFor, startPost, type TestPost } from "./post-factory.ts";

const JPEG = { mimeType: "image/jpeg" };
const GIF = { mimeType: "image/gif" };
const pin = (more: object): TestPost["options"] => ({ pinterest: { board_id: "42", ...more } });
const youtubeDraft = (youtube: object): TestPost => ({ options: { settings: { youtube: { ...youtube } } } });
const withTags = (...labels: string[]) => youtubeDraft({ tags: labels.map((label) => ({ label })) });
const links = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(" ");
const story = { settings: { instagram: { post_type: "story" } } };
const carouselSettings = { settings: { linkedin: { post_as_images_carousel: true } } };
const reel = (more: object): TestPost => ({
  media: { video: { mimeType: "video/mp4", durationMs: 10_000 } },
  options: { settings: { instagram: { ...more } } },
});
const linked = (length: number): TestPost => ({
  caption: "a".repeat(length),
  media: { images: [JPEG] },
  options: { settings: { facebook: { url: "https://example.com" } } },
});

const platformRules: [Platform, string, TestPost, TestPost, object][] = [
  [
    "pinterest",
    "a board",
    { options: pin({}) },
    { options: {} },
    { path: "pinterest.board_id", code: "board_id_missing", message: expect.stringMatching(/board_id is required/) },
  ],
  [
    "pinterest",
    "a board id, not a board name",
    { options: pin({}) },
    { options: pin({ board_id: "summer-looks" }) },
    { path: "pinterest.board_id", code: "board_id_malformed", actual: "summer-looks" },
  ],
  [
    "pinterest",
    "800 characters with tags",
    { caption: "a".repeat(795), options: pin({ tags: ["bb"] }) },
    { caption: "a".repeat(796), options: pin({ tags: ["bb"] }) },
    { path: "pinterest.tags", code: "description_too_long", limit: 800, actual: 801 },
  ],
  [
    "pinterest",
    "equal image sizes in a carousel",
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
    "threads",
    "five different links with that of the card",
    { caption: links(5), media: null, options: { link: { url: "https://example.com/4" } } },
    { caption: links(5), media: null, options: { link: { url: "https://example.com/5" } } },
    {
      path: "caption",
      code: "too_many_links",
      limit: 5,
      actual: 6,
      message: expect.stringMatching(/with the link has 6/),
    },
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
    "a title that is not empty after truncation",
    { caption: `Z${"\u0335".repeat(99)}` },
    { caption: `Z${"\u0335".repeat(100)}` },
    { path: "settings.youtube.title", code: "invalidTitle", actual: 0 },
  ],
  [
    "youtube",
    "a title of 100 characters",
    youtubeDraft({ title: ` ${"a".repeat(100)} ` }),
    youtubeDraft({ title: "a".repeat(101) }),
    { path: "settings.youtube.title", code: "invalidTitle", limit: 100, actual: 101 },
  ],
  [
    "youtube",
    "a description of 5,000 bytes",
    youtubeDraft({ description: "é".repeat(2_500) }),
    youtubeDraft({ description: `${"é".repeat(2_500)}a` }),
    { path: "settings.youtube.description", code: "invalidDescription", limit: 5_000, actual: 5_001 },
  ],
  [
    "youtube",
    "tags of 500 characters with commas and quotes",
    withTags("a".repeat(400), `${"b".repeat(95)} c`),
    withTags("a".repeat(400), `${"b".repeat(96)} c`),
    { path: "settings.youtube.tags", code: "invalidTags", limit: 500, actual: 501 },
  ],
  [
    "facebook",
    "63,206 characters including the link next to media",
    linked(63_206 - "\n\nhttps://example.com".length),
    linked(63_207 - "\n\nhttps://example.com".length),
    { path: "settings.facebook.url", code: "caption_too_long", limit: 63_206, actual: 63_207 },
  ],
  [
    "linkedin",
    "JPEG in a carousel",
    { media: { images: [JPEG, { mimeType: null }] }, options: carouselSettings },
    { media: { images: [JPEG, { mimeType: "image/png" }] }, options: carouselSettings },
    { path: "media.urls.1", code: "carousel_needs_jpeg", actual: "image/png" },
  ],
  [
    "twitter",
    "a GIF as the only image",
    { media: { images: [GIF] } },
    { media: { images: [JPEG, GIF] } },
    { path: "media.urls.1", code: "gif_not_alone", actual: "image/gif" },
  ],
  [
    "instagram",
    "a story of one image",
    { media: { images: [JPEG] }, options: story },
    { media: { images: [JPEG, JPEG] }, options: story },
    { path: "media", code: "story_single_media", limit: 1, actual: 2 },
  ],
  [
    "instagram",
    "a story of 60 seconds",
    { media: { video: { mimeType: "video/mp4", durationMs: 60_000 } }, options: story },
    { media: { video: { mimeType: "video/mp4", durationMs: 60_001 } }, options: story },
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
    "a cover offset within the video",
    reel({ thumb_offset_ms: 10_001, cover_url: "https://files.example/cover.jpg" }),
    reel({ thumb_offset_ms: 10_001 }),
    { path: "settings.instagram.thumb_offset_ms", code: "cover_outside_video", limit: 10_000, actual: 10_001 },
  ],
  [
    "tiktok",
    "a slideshow's title of 90 characters",
    { media: { images: [JPEG] }, options: { tiktok: { title: "a".repeat(90) } } },
    { media: { images: [JPEG] }, options: { tiktok: { title: "a".repeat(91) } } },
    { path: "tiktok.title", code: "title_too_long", limit: 90, actual: 91 },
  ],
  [
    "tiktok",
    "MEDIA_UPLOAD for slideshows only",
    { media: { images: [JPEG] }, options: { tiktok: { post_mode: "MEDIA_UPLOAD" } } },
    { media: { video: {} }, options: { tiktok: { post_mode: "MEDIA_UPLOAD" } } },
    { path: "tiktok.post_mode", code: "post_mode_not_allowed" },
  ],
  [
    "tiktok",
    "a cover timestamp for videos only",
    { media: { video: {} }, options: { tiktok: { video_cover_timestamp_ms: 0 } } },
    { media: { images: [JPEG] }, options: { tiktok: { video_cover_timestamp_ms: 0 } } },
    { path: "tiktok.video_cover_timestamp_ms", code: "cover_not_allowed" },
  ],
  [
    "tiktok",
    "branded content in public",
    { options: { tiktok: { is_branded_content: true, privacy_level: "PUBLIC_TO_EVERYONE" } } },
    { options: { tiktok: { is_branded_content: true, privacy_level: "SELF_ONLY" } } },
    { path: "tiktok.is_branded_content", code: "branded_content_private" },
  ],
];

describe("rules beyond the capabilities", () => {
  test.each(platformRules)("%s: %s", (platform, _rule, passes, fails, found) => {
    expect(findProblemsFor(platform, "byo", passes)).toEqual([]);
    expect(findProblemsFor(platform, "byo", fails)).toEqual(expectedProblems([found]));
  });

  test.each(platformRules)(
    "%s, when publishing: %s",
    async (platform, _rule, passes, fails, { code }: { code?: string }) => {
      expect((await startPost(platform, passes)).calls).not.toBe(0);
      expect(await startPost(platform, fails)).toMatchObject({ failed: { class: "content", code }, calls: 0 });
    },
  );

  // A zero width space, a Hangul filler and a word joiner show nothing: https://github.com/gitroomhq/postiz-app/issues/1498.
  test.each(["twitter", "threads", "linkedin", "facebook", "bluesky"] as const)(
    "%s: text that can be seen where there is no media",
    async (platform) => {
      const blank = { caption: " \n\u00a0\u200b\u3164\u2060\t", media: null };
      expect(findProblemsFor(platform, "byo", { caption: " \u200b.\n", media: null })).toEqual([]);
      expect(findProblemsFor(platform, "byo", blank)).toEqual(
        expectedProblems([{ path: "caption", code: "text_blank" }]),
      );
      expect(await startPost(platform, blank)).toMatchObject({ failed: { code: "text_blank" }, calls: 0 });
      expect(findProblemsFor(platform, "byo", { ...blank, media: { images: [JPEG] } })).toEqual([]);
    },
  );

  test("a caption that is too long is reported once, not again with its tags or link", () => {
    const long = { caption: "a".repeat(63_207), media: { images: [JPEG] } };
    const facebook = { ...long, options: { settings: { facebook: { url: "https://example.com" } } } };
    for (const [platform, draft] of [
      ["facebook", facebook],
      ["pinterest", { ...long, options: pin({ tags: ["bb"] }) }],
    ] as const) {
      expect(findProblemsFor(platform, "byo", draft).map(({ path }) => path)).toEqual(["caption"]);
    }
  });

  test("a single GIF on X can have 15 MiB, a JPEG of that size is rejected", () => {
    const bytes = 15 * 1024 * 1024;
    const one = (mimeType: string, more: number) => ({ media: { images: [{ mimeType, bytes: bytes + more }] } });
    expect(findProblemsFor("twitter", "byo", one("image/gif", 0))).toEqual([]);
    expect(findProblemsFor("twitter", "byo", one("image/gif", 1))).toMatchObject([{ limit: bytes, actual: bytes + 1 }]);
    expect(findProblemsFor("twitter", "byo", one("image/jpeg", 0))).toMatchObject([{ limit: 5 * 1024 * 1024 }]);
  });

  test("the aspect ratio limits of Instagram's feed do not apply to stories", () => {
    const upright = { media: { images: [{ ...JPEG, width: 1080, height: 1920 }] } };
    expect(findProblemsFor("instagram", "byo", upright)).toMatchObject([{ code: "image_shape_unsupported" }]);
    expect(findProblemsFor("instagram", "byo", { ...upright, options: story })).toEqual([]);
  });

  test("a video of a story can have 100 MB, one of a reel more", () => {
    const clip = (bytes: number) => ({ media: { video: { mimeType: "video/mp4", durationMs: 10_000, bytes } } });
    expect(findProblemsFor("instagram", "byo", { ...clip(100_000_000), options: story })).toEqual([]);
    expect(findProblemsFor("instagram", "byo", { ...clip(100_000_001), options: story })).toMatchObject([
      { path: "media.url", code: "media_too_large", limit: 100_000_000 },
    ]);
    expect(findProblemsFor("instagram", "byo", clip(100_000_001))).toEqual([]);
  });

  test("all violations of a post are reported at once", () => {
    const found = findProblemsFor("youtube", "byo", {
      ...youtubeDraft({ title: "x".repeat(101), description: "x".repeat(5_001), tags: [{ label: "x".repeat(501) }] }),
      caption: "é".repeat(2_501),
      media: { images: [JPEG] },
    });
    expect(found.map(({ path }) => path)).toEqual([
      ...["caption", "media", "settings.youtube.title", "settings.youtube.description", "settings.youtube.tags"],
    ]);
  });
});
