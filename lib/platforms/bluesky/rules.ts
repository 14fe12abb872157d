// Limits of Bluesky, from the lexicons of its records.
import { BLUESKY_FIELDS } from "../../schemas/post-limits.ts";
import type { Capabilities } from "../rules.ts";

const READ = "2026-11-23";
const LEXICONS = "https://github.com/bluesky-social/atproto/tree/main/lexicons/app/bsky";

/** Limits that are not part of the capabilities. */
export const BLUESKY = {
  ...BLUESKY_FIELDS,
  textBytes: 3_000,
  tagGraphemes: 64,
  tagBytes: 640,
  /** More images are a gallery: the lexicon of `app.bsky.embed.images` ends here. */
  imagesEmbed: 4,
  /** `thumb` of https://github.com/bluesky-social/atproto/tree/main/lexicons/app/bsky/embed/external.json, read 2026-11-28. */
  cardImageBytes: 1_000_000,
  /** `alt` of the lexicon of `app.bsky.embed.video`, read 2026-11-28. */
  videoAltGraphemes: 1_000,
  /** Longer videos are uploaded in parts, because a lost upload would cost more than their requests. */
  wholeVideoBytes: 20_000_000,
} as const;

export const capabilities: Capabilities = {
  platform: "bluesky",
  source: `${LEXICONS}/feed/post.json`,
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video"],
  unsupported: {},
  caption: { limit: 300, unit: "graphemes", maxBytes: BLUESKY.textBytes, shortensLinks: true },
  firstComment: { limit: 300, unit: "graphemes", isReply: true },
  thread: true,
  images: { max: 10, types: ["image/jpeg", "image/png", "image/webp"], maxBytes: 2_000_000 },
  videos: { max: 1, types: ["video/mp4"], maxBytes: 300_000_000, maxSeconds: 600 },
  linkCard: "from_tags",
  sources: {
    images: { source: `${LEXICONS}/embed/images.json`, read: READ },
    // The lexicon allows 20 and asks clients for at most 10; Bluesky shows no more.
    "images.max": { source: `${LEXICONS}/embed/gallery.json`, read: READ },
    videos: { source: `${LEXICONS}/embed/video.json`, read: READ },
    // The limit of the official app: no lexicon states one.
    "videos.maxSeconds": {
      source: "https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts",
      read: READ,
    },
  },
  // No official number in the lexicon of images. The official app takes this: MAX_ALT_TEXT of
  // https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts, read 2026-11-28. A video has BLUESKY.videoAltGraphemes.
  altText: { limit: 2_000 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      languages: { type: "array", maxItems: BLUESKY.languages, items: { type: "string", maxLength: 35 } },
      reply_control: { enum: [...BLUESKY.replyControl], default: "everyone" },
    },
  },
};
