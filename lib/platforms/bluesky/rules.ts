// What Bluesky accepts, by the lexicons of its records.
import type { Capabilities } from "../rules.ts";

const READ = "2026-11";
const LEXICONS = "https://github.com/bluesky-social/atproto/tree/main/lexicons/app/bsky";

/** Limits that no capability shows. */
export const BLUESKY = {
  textBytes: 3_000,
  tagGraphemes: 64,
  tagBytes: 640,
} as const;

export const capabilities: Capabilities = {
  platform: "bluesky",
  source: `${LEXICONS}/feed/post.json`,
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video"],
  unsupported: {},
  caption: { limit: 300, unit: "graphemes", maxBytes: BLUESKY.textBytes },
  images: { max: 4, types: ["image/jpeg", "image/png", "image/webp"], maxBytes: 1_000_000 },
  videos: { max: 1, types: ["video/mp4"], maxBytes: 100_000_000, maxSeconds: 180 },
  sources: {
    images: { source: `${LEXICONS}/embed/images.json`, read: READ },
    videos: { source: `${LEXICONS}/embed/video.json`, read: READ },
    "videos.maxSeconds": { source: "https://docs.bsky.app/docs/tutorials/video", read: READ },
  },
  settingsSchema: { type: "object", additionalProperties: false, properties: {} },
};
