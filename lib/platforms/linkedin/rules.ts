// What LinkedIn accepts through its Posts API, for members and for pages.
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const DOCS = "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares";

/** Limits and protocol facts that no capability shows. */
export const LINKEDIN = {
  // Named in every call; LinkedIn ends each version about a year after its month.
  version: "202610",
  // Pages may post longer videos than people: 30 minutes against 10.
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
  images: {
    max: 20,
    types: ["image/jpeg", "image/png", "image/gif"],
    // Sources say 5 to 8 MB: this is the smaller size.
    maxBytes: 5 * MB,
    maxPixels: 36_152_320,
  },
  // Sources say 500 MB and, newer, 5 GB: this is the smaller size.
  videos: { max: 1, types: ["video/mp4"], maxBytes: 500 * MB, minSeconds: 3, maxSeconds: 1_800 },
  sources: {
    "images.max": { source: `${DOCS}/multiimage-post-api`, read: READ },
    images: { source: `${DOCS}/images-api`, read: READ },
    videos: { source: `${DOCS}/videos-api`, read: READ },
  },
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
