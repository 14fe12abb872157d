// Limits of Pinterest's API v5.
import { PINTEREST_FIELDS } from "../../schemas/post-limits.ts";
import type { Capabilities } from "../rules.ts";

const MB = 1_000_000;
const READ = "2026-11";
const PINS = "https://developers.pinterest.com/docs/api/v5/pins-create/";
const SPECS = "https://help.pinterest.com/en/business/article/pinterest-product-specs";

/** Limits that are not part of the capabilities. */
const PINTEREST = {
  ...PINTEREST_FIELDS,
} as const;

export const capabilities: Capabilities = {
  platform: "pinterest",
  source: PINS,
  read: READ,
  kinds: ["single_image", "multi_image", "single_video"],
  unsupported: { text_only: "Pinterest needs a video or at least one image." },
  caption: { limit: PINTEREST.description, unit: "utf16" },
  // Sources disagree, 20 or 32 MB: this is the smaller size.
  images: { max: 5, types: ["image/jpeg", "image/png"], maxBytes: 20 * MB },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime", "video/x-m4v"],
    maxBytes: 2_000 * MB,
    minSeconds: 4,
    maxSeconds: 900,
    codecs: ["avc", "hevc"],
  },
  sources: {
    "images.maxBytes": { source: SPECS, read: READ },
    videos: { source: SPECS, read: READ },
  },
  // https://github.com/pinterest/api-description/blob/main/v5/openapi.json, read 2026-11-28.
  altText: { limit: 500 },
  cover: { url: true, timestamp: true, index: true },
  options: ["boards", "board_sections"],
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    required: ["board_id"],
    properties: {
      board_id: { type: "string", pattern: "^\\d+$", maxLength: 128 },
      board_section_id: { type: "string", pattern: "^\\d+$", maxLength: 128 },
      title: { type: "string", minLength: 1, maxLength: PINTEREST.title },
      link: { type: "string", format: "uri", maxLength: PINTEREST.link },
      tags: { type: "array", maxItems: 30, items: { type: "string", minLength: 1, maxLength: 100 } },
    },
  },
};
