// Limits of Facebook Pages in the Graph API.
import { FACEBOOK_FIELDS } from "../../schemas/post-limits.ts";
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const PHOTOS_PAGE = "https://developers.facebook.com/docs/graph-api/reference/page/photos/";
const VIDEOS_PAGE = "https://developers.facebook.com/docs/graph-api/video-uploads";

/** Limits that are not part of the capabilities. */
export const FACEBOOK = {
  ...FACEBOOK_FIELDS,
  version: "v24.0",
  // Facebook sets the chunk length in its responses; this is the first chunk of a resumed upload.
  resumeChunkBytes: 1024 * 1024,
} as const;

export const capabilities: Capabilities = {
  platform: "facebook",
  source: "https://developers.facebook.com/docs/pages-api/posts",
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video"],
  unsupported: {},
  caption: { limit: 63_206, unit: "utf16" },
  firstComment: { limit: 8_000, unit: "utf16", permission: ["pages_manage_engagement"] },
  images: { max: 10, types: ["image/jpeg", "image/png", "image/gif", "image/webp"], maxBytes: 4 * MB },
  // Below the documented 1.75 GB and 45 minutes: another protocol allows 1 GB, and error 1363026 says 40 minutes.
  videos: { max: 1, types: ["video/mp4", "video/quicktime"], maxBytes: 1_000 * MB, maxSeconds: 2_400 },
  linkCard: "by_network",
  sources: {
    // Facebook documents no length: this is what HighLevel checks, and Buffer 5,000.
    firstComment: {
      source: "https://marketplace.gohighlevel.com/docs/ghl/social-planner/comments",
      read: "2026-11-28",
    },
    // From the text of error 1366046; the documentation says 10 MB.
    "images.maxBytes": { source: PHOTOS_PAGE, read: READ },
    "images.types": { source: PHOTOS_PAGE, read: READ },
    "videos.maxBytes": { source: VIDEOS_PAGE, read: READ },
    "videos.maxSeconds": { source: VIDEOS_PAGE, read: READ },
  },
  // `thumb` of POST /{page-id}/videos, a file: https://developers.facebook.com/docs/graph-api/reference/page/videos/. The bytes
  // are those of another call: https://developers.facebook.com/docs/graph-api/reference/video/thumbnails. Read 2026-11-28.
  cover: { url: true, maxBytes: 10 * MB },
  // `alt_text_custom` of photos has no official number (PHOTOS_PAGE, read 2026-11-28): this is that of Instagram.
  altText: { limit: 1_000 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      post_type: { enum: FACEBOOK.postTypes, default: "post" },
      title: { type: "string", minLength: 1, maxLength: FACEBOOK.title },
      url: { type: "string", format: "uri", maxLength: 2_048 },
    },
  },
};

/**
 * Videos of reels and, with fewer seconds, of stories: MP4, at least 540 x 960, 24 to 60 frames per second, 9:16 (below).
 * https://developers.facebook.com/documentation/video-api/guides/reels-publishing, of 2026-07-30, read 2026-11-28.
 */
const upright = (maxSeconds: number): Capabilities["videos"] => ({
  ...capabilities.videos,
  ...{ sides: { min: 540, max: 8_192 }, fps: { min: 24, max: 60 }, minSeconds: 3, maxSeconds },
});

/** Encoders round sides to even numbers. */
export const UPRIGHT_RATIO = { ratio: 9 / 16, tolerance: 0.01 } as const;

/** The rules of a reel and a story in place of those of a post. */
export const POST_TYPES: Readonly<Record<string, Pick<Capabilities, "kinds" | "images" | "videos">>> = {
  reel: { kinds: ["single_video"], images: capabilities.images, videos: upright(90) },
  // https://developers.facebook.com/docs/page-stories-api, of 2026-09-11, read 2026-11-28. It names 10 MB for photos, and 4 MB
  // in its translations; BMP and TIFF, which it names too, are no types of our files.
  story: {
    kinds: ["single_image", "single_video"],
    images: { ...capabilities.images, types: ["image/jpeg", "image/png", "image/gif"] },
    videos: upright(60),
  },
};
