// Limits of Facebook Pages in the Graph API.
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const PHOTOS_PAGE = "https://developers.facebook.com/docs/graph-api/reference/page/photos/";
const VIDEOS_PAGE = "https://developers.facebook.com/docs/graph-api/video-uploads";

/** Limits that are not part of the capabilities. */
export const FACEBOOK = {
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
  images: { max: 10, types: ["image/jpeg", "image/png", "image/gif", "image/webp"], maxBytes: 4 * MB },
  // Below the documented 1.75 GB and 45 minutes: another protocol allows 1 GB, and error 1363026 says 40 minutes.
  videos: { max: 1, types: ["video/mp4", "video/quicktime"], maxBytes: 1_000 * MB, maxSeconds: 2_400 },
  linkCard: "by_network",
  sources: {
    // From the text of error 1366046; the documentation says 10 MB.
    "images.maxBytes": { source: PHOTOS_PAGE, read: READ },
    "images.types": { source: PHOTOS_PAGE, read: READ },
    "videos.maxBytes": { source: VIDEOS_PAGE, read: READ },
    "videos.maxSeconds": { source: VIDEOS_PAGE, read: READ },
  },
  // `alt_text_custom` of photos: PHOTOS_PAGE, read 2026-11-28, names no limit, so this is ours.
  altText: { limit: 1_000 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: { url: { type: "string", format: "uri", maxLength: 2_048 } },
  },
};
