// Limits of TikTok's Content Posting API.
import { TIKTOK_FIELDS } from "../../schemas/post-limits.ts";
import { HOUR_MS } from "../../shared/durations.ts";
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const GUIDE = "https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide";

/** Limits of the upload protocol and of single fields, which are not part of the capabilities. */
export const TIKTOK = {
  ...TIKTOK_FIELDS,
  // Files up to 64 MB may be sent as one chunk. Of larger ones each chunk has 5 to 64 MB, the last one up to 128 MB.
  // GUIDE, read 2026-11-24; it does not say which MB, so these are the smaller ones.
  wholeBytes: 64 * MB,
  chunkBytes: 32 * MB,
  uploadUrlLivesMs: HOUR_MS,
} as const;

const PRIVACY_LEVELS = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"] as const;

const flag = { type: "boolean" } as const;

export const capabilities: Capabilities = {
  platform: "tiktok",
  source: GUIDE,
  read: READ,
  kinds: ["single_image", "multi_image", "single_video"],
  unsupported: { text_only: "TikTok needs a video or at least one photo." },
  caption: { limit: TIKTOK.videoTitle, unit: "utf16" },
  images: {
    max: TIKTOK.photos,
    types: ["image/jpeg", "image/webp"],
    maxBytes: 20 * MB,
    maxSides: { short: 1_080, long: 1_920 },
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/webm", "video/quicktime"],
    maxBytes: 4_000 * MB,
    maxSeconds: 600,
    sides: { min: 360, max: 4_096 },
    fps: { min: 23, max: 60 },
    codecs: ["avc", "hevc", "vp8", "vp9"],
  },
  sources: {
    "caption.limit": {
      source: "https://developers.tiktok.com/doc/content-posting-api-reference-direct-post",
      read: READ,
    },
    "images.max": { source: "https://developers.tiktok.com/doc/content-posting-api-reference-photo-post", read: READ },
    // The account's max_video_post_duration_sec is queried before each post and applies if it is lower.
    "videos.maxSeconds": {
      source: "https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info",
      read: READ,
    },
  },
  cover: { timestamp: true, index: true },
  options: ["privacy_levels"],
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      title: { type: "string", maxLength: TIKTOK.videoTitle },
      description: { type: "string", maxLength: TIKTOK.photoDescription },
      post_mode: { enum: ["DIRECT_POST", "MEDIA_UPLOAD"], default: "DIRECT_POST" },
      privacy_level: { enum: [...PRIVACY_LEVELS], default: "PUBLIC_TO_EVERYONE" },
      disable_comment: flag,
      disable_duet: flag,
      disable_stitch: flag,
      auto_add_music: flag,
      is_commercial: flag,
      is_your_brand: flag,
      is_branded_content: flag,
      user_consent: flag,
      is_aigc: flag,
      video_cover_timestamp_ms: { type: "integer", minimum: 0 },
      photo_cover_index: { type: "integer", minimum: 0, maximum: TIKTOK.photos - 1, default: 0 },
    },
  },
};
