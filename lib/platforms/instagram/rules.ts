// Limits of Instagram's content publishing API.
import { INSTAGRAM_FIELDS } from "../../schemas/post-limits.ts";
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const MEDIA_PAGE =
  "https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media";
const ERRORS_PAGE = "https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes";

/** Limits that are not part of the capabilities. */
export const INSTAGRAM = {
  ...INSTAGRAM_FIELDS,
  version: "v24.0",
  storySeconds: 60,
  storyBytes: 100 * MB,
  // Meta's limit for the API. Since December 2025 Instagram announces 5, which it brings in step by step:
  // https://www.socialmediatoday.com/news/instagrams-implementing-new-limits-on-hashtag-use/808309/, read 2026-11-28.
  hashtags: 30,
  fewHashtags: 5,
  /** The API's error for images still names this ratio: ERRORS_PAGE, 2207009. */
  safeRatio: 4 / 5,
  mentions: 20,
} as const;

export const capabilities: Capabilities = {
  platform: "instagram",
  source: MEDIA_PAGE,
  read: READ,
  kinds: ["single_image", "multi_image", "single_video", "mixed_carousel"],
  unsupported: { text_only: "Instagram needs a video or at least one image." },
  caption: { limit: 2_200, unit: "utf16" },
  firstComment: { limit: 2_200, unit: "utf16", permission: ["instagram_business_manage_comments"] },
  images: {
    max: 10,
    types: ["image/jpeg"],
    maxBytes: 8 * 1024 * 1024,
    minRatio: 3 / 4,
    maxRatio: 1.91,
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime"],
    maxBytes: 300 * MB,
    minSeconds: 3,
    maxSeconds: 900,
    fps: { min: 23, max: 60 },
    codecs: ["avc", "hevc"],
    // "Audio codec: AAC, 48khz sample rate maximum, 1 or 2 channels": MEDIA_PAGE, read 2026-11-29.
    audioCodecs: ["aac"],
  },
  sources: {
    // Instagram documents no length: this is what Buffer checks.
    firstComment: { source: "https://developers.buffer.com/guides/character-limits.md", read: "2026-11-28" },
    "images.maxBytes": { source: ERRORS_PAGE, read: READ },
    // 3:4 to 1.91:1, as https://github.com/mvdicarlo/postybirb/pull/762 quotes this page, and saw them published.
    "images.minRatio": { source: "https://help.instagram.com/1631821640426723", read: READ },
    "images.max": {
      source: "https://developers.facebook.com/docs/instagram-platform/content-publishing",
      read: READ,
    },
    // Sources disagree on size and duration: this is the smaller size. Reels over 90 s may not appear in the Reels tab.
    "videos.maxBytes": { source: MEDIA_PAGE, read: READ },
  },
  // "Alternative text, up to 1000 character, for an image"; not of reels and stories. MEDIA_PAGE, read 2026-11-28.
  altText: { limit: 1_000 },
  cover: { url: true, timestamp: true },
  carousels: { max: 10 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      post_type: { enum: ["post", "story"], default: "post" },
      is_trial_reel: { type: "boolean" },
      graduation_strategy: { enum: ["MANUAL", "SS_PERFORMANCE"] },
      collaborators: {
        type: "array",
        maxItems: INSTAGRAM.collaborators,
        items: {
          type: "object",
          additionalProperties: false,
          required: ["label"],
          properties: {
            value: { type: "string", maxLength: 100 },
            label: { type: "string", minLength: 1, maxLength: 100 },
          },
        },
      },
      cover_url: { type: "string", format: "uri", maxLength: 2_048 },
      thumb_offset_ms: { type: "integer", minimum: 0 },
      share_to_feed: { type: "boolean", default: true },
      user_tags: {
        type: "array",
        maxItems: INSTAGRAM.userTags,
        items: {
          type: "object",
          additionalProperties: false,
          required: ["username", "x", "y"],
          properties: {
            username: { type: "string", minLength: 1, maxLength: 100 },
            x: { type: "number", minimum: 0, maximum: 1 },
            y: { type: "number", minimum: 0, maximum: 1 },
          },
        },
      },
      location_id: { type: "string", pattern: "^\\d+$", maxLength: 128 },
      audio_name: { type: "string", minLength: 1, maxLength: INSTAGRAM.audioName },
      is_ai_generated: { type: "boolean", default: false },
    },
  },
};
