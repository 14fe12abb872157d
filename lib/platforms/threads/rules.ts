// Limits of Threads' publishing API.
import { THREADS_FIELDS } from "../../schemas/post-limits.ts";
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const OVERVIEW = "https://developers.facebook.com/docs/threads/overview";
const REPLIES_PAGE = "https://developers.facebook.com/documentation/threads/retrieve-and-manage-replies/create-replies";
const POSTS_PAGE = "https://developers.facebook.com/docs/threads/create-posts";

/** Limits that are not part of the capabilities. */
export const THREADS = {
  ...THREADS_FIELDS,
  version: "v1.0",
  /** Distinct links in one post; Threads rejects more since December 2025. */
  links: 5,
  /** The least that an integrator saw refused: https://github.com/gitroomhq/postiz-app/pull/1264, read 2026-11-28. */
  manyLinks: 4,
} as const;

export const capabilities: Capabilities = {
  platform: "threads",
  source: OVERVIEW,
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video", "mixed_carousel"],
  unsupported: {},
  caption: { limit: 500, unit: "emoji_as_bytes" },
  firstComment: { limit: 500, unit: "emoji_as_bytes", isReply: true },
  thread: true,
  images: {
    max: 20,
    types: ["image/jpeg", "image/png"],
    maxBytes: 8 * 1024 * 1024,
    minRatio: 1 / 10,
    maxRatio: 10,
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime"],
    maxBytes: 1_000 * MB,
    maxSeconds: 300,
    codecs: ["avc", "hevc"],
    // "Audio codec: AAC, 48khz sample rate maximum, 1 or 2 channels": OVERVIEW, read 2026-11-29.
    audioCodecs: ["aac"],
  },
  linkCard: "by_network",
  sources: {
    "images.max": { source: `${POSTS_PAGE}/carousels`, read: READ },
    "caption.limit": { source: POSTS_PAGE, read: READ },
    firstComment: { source: POSTS_PAGE, read: "2026-11-28" },
    thread: { source: REPLIES_PAGE, read: "2026-11-28" },
  },
  // https://developers.facebook.com/documentation/threads/reference/publishing, read 2026-11-24.
  altText: { limit: 1_000 },
  carousels: { max: 20 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      reply_control: { enum: THREADS.replyControl, default: "everyone" },
      topic_tag: { type: "string", minLength: 1, maxLength: 50, pattern: "^[^.&]+$" },
    },
  },
};
