// Limits of X's API v2.
import { DAY_SECONDS } from "../../shared/durations.ts";
import type { Capabilities } from "../rules.ts";

const READ = "2026-11";
const MEDIA_PAGE = "https://docs.x.com/x-api/media/quickstart/best-practices";
const MIB = 1024 * 1024;

/**
 * Limits of the upload protocol and of single media types, which are not part of the capabilities. MEDIA_PAGE, read
 * 2026-11-24, unless it says otherwise.
 */
export const X = {
  // As in X's own samples: larger ones can get a 413 before X's application sees them, although 5 MB are documented.
  // https://docs.x.com/x-api/media/quickstart/media-upload-chunked, https://github.com/trypostit/trypost/pull/31
  segmentBytes: MIB,
  leastSegmentBytes: MIB / 8,
  // Indices 0 to 999, so the segments of files over 1,000 MiB are larger:
  // https://developer.x.com/en/docs/twitter-api/v1/media/upload-media/api-reference/post-media-upload-append, read 2026-11-28.
  segments: 1_000,
  /** If X does not say how long it keeps an upload. */
  uploadSeconds: DAY_SECONDS,
  gifBytes: 15 * MIB,
  /** Videos of accounts without Premium; no endpoint reports which accounts have it. */
  standardVideo: { seconds: 20 * 60, bytes: 8 * 1024 * MIB },
} as const;

const flag = { type: "boolean" } as const;

export const capabilities: Capabilities = {
  platform: "twitter",
  source: MEDIA_PAGE,
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video"],
  unsupported: {},
  // Premium accounts allow more, but no endpoint reports which accounts are premium.
  caption: { limit: 280, unit: "weighted" },
  firstComment: { limit: 280, unit: "weighted", isReply: true },
  thread: true,
  images: {
    max: 4,
    // A GIF must be the only image and can be up to 15 MiB; the driver checks this.
    types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    maxBytes: 5 * MIB,
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime"],
    // Accounts with Premium; others have X.standardVideo, and X rejects their longer videos when it creates the post.
    maxBytes: 16 * 1024 * MIB,
    minSeconds: 0.5,
    maxSeconds: 125 * 60,
    // "Aspect ratio: must be between 1:3 and 3:1": MEDIA_PAGE, read 2026-11-30. It shows only when X processes the video.
    ratios: { min: 1 / 3, max: 3 },
    codecs: ["avc"],
    // "Audio must be AAC with Low Complexity profile": MEDIA_PAGE, read 2026-11-29.
    audioCodecs: ["aac"],
  },
  sources: {
    "caption.limit": { source: "https://docs.x.com/fundamentals/counting-characters", read: READ },
    "images.max": { source: "https://docs.x.com/x-api/posts/create-or-edit-post", read: READ },
    firstComment: { source: "https://docs.x.com/fundamentals/counting-characters", read: "2026-11-28" },
    thread: { source: "https://docs.x.com/x-api/posts/create-post", read: "2026-11-28" },
  },
  // "Can be up to 1000 characters long", of images and GIFs: https://docs.x.com/x-api/fundamentals/data-dictionary, read 2026-11-28.
  altText: { limit: 1_000 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      who_can_reply_post: {
        enum: ["everyone", "following", "mentionedUsers", "subscribers", "verified"],
        default: "everyone",
      },
      community: {
        type: "string",
        pattern: "^https://(x|twitter)\\.com/i/communities/\\d+/?$",
        deprecated: true,
        description: "X closed communities on 2026-05-30: a post with this field is refused.",
      },
      made_with_ai: flag,
      paid_partnership: flag,
    },
  },
};
