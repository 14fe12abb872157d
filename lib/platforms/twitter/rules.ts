// What X accepts through its API v2.
import type { Capabilities } from "../rules.ts";

const READ = "2026-11";
const MEDIA_PAGE = "https://docs.x.com/x-api/media/quickstart/best-practices";
const MIB = 1024 * 1024;

/** Limits of the upload protocol and of single kinds, which no capability shows. */
export const X = {
  // A segment may have about 5 MB and there may be 1,000 of them.
  segmentBytes: 4 * MIB,
  segments: 1_000,
  gifBytes: 15 * MIB,
} as const;

const flag = { type: "boolean" } as const;

export const capabilities: Capabilities = {
  platform: "twitter",
  source: MEDIA_PAGE,
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video"],
  unsupported: {},
  // Premium accounts may write more, but no call tells which account is one.
  caption: { limit: 280, unit: "weighted" },
  images: {
    max: 4,
    // A GIF goes alone and may have up to 15 MiB; the driver holds it to that.
    types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
    maxBytes: 5 * MIB,
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime"],
    maxBytes: 512 * MIB,
    minSeconds: 0.5,
    maxSeconds: 140,
    codecs: ["avc"],
  },
  sources: {
    "caption.limit": { source: "https://docs.x.com/fundamentals/counting-characters", read: READ },
    "images.max": { source: "https://docs.x.com/x-api/posts/create-or-edit-post", read: READ },
  },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      who_can_reply_post: {
        enum: ["everyone", "following", "mentionedUsers", "subscribers", "verified"],
        default: "everyone",
      },
      community: { type: "string", pattern: "^https://(x|twitter)\\.com/i/communities/\\d+/?$" },
      made_with_ai: flag,
      paid_partnership: flag,
    },
  },
};
