// Limits of LinkedIn's Posts API, for members and for pages.
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const DOCS = "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares";

/** Limits and protocol facts that are not part of the capabilities. */
export const LINKEDIN = {
  // Sent with every request unless LINKEDIN_API_VERSION names another. Versions are published monthly, with gaps, and
  // end after a year: this is the last one that was seen.
  version: "202608",
  // Members can post 10 minutes of video, pages 30.
  personVideoSeconds: 600,
  documentBytes: 100 * MB,
} as const;

export const capabilities: Capabilities = {
  platform: "linkedin",
  source: `${DOCS}/posts-api`,
  read: READ,
  kinds: ["text_only", "single_image", "multi_image", "single_video"],
  unsupported: {},
  caption: { limit: 3_000, unit: "utf16" },
  // Of a member, and of a page.
  firstComment: { limit: 1_250, unit: "utf16", permission: ["w_member_social_feed", "w_organization_social_feed"] },
  images: {
    max: 20,
    types: ["image/jpeg", "image/png", "image/gif"],
    // Sources disagree, 5 to 8 MB: this is the smaller size.
    maxBytes: 5 * MB,
    maxPixels: 36_152_320,
  },
  // Sources disagree, 500 MB and newer ones 5 GB: this is the smaller size.
  videos: { max: 1, types: ["video/mp4"], maxBytes: 500 * MB, minSeconds: 3, maxSeconds: 1_800 },
  linkCard: "from_tags",
  sources: {
    // LinkedIn's reference names no length: this is what Buffer checks.
    firstComment: { source: "https://developers.buffer.com/guides/character-limits.md", read: "2026-11-28" },
    "images.max": { source: `${DOCS}/multiimage-post-api`, read: READ },
    images: { source: `${DOCS}/images-api`, read: READ },
    videos: { source: `${DOCS}/videos-api`, read: READ },
  },
  // `uploadThumbnail` of initializeUpload: `${DOCS}/videos-api`, read 2026-11-28. It names no size, so this is that of images.
  cover: { url: true, maxBytes: 5 * MB },
  // `altText` of images has no official number on `${DOCS}/posts-api`, read 2026-11-28: this is ours.
  altText: { limit: 1_000 },
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      post_as_images_carousel: { type: "boolean", default: false },
      carousel_name: { type: "string", minLength: 1, maxLength: 100 },
      visibility: { enum: ["PUBLIC", "CONNECTIONS"], default: "PUBLIC" },
    },
  },
};
