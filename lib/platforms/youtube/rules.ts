// Limits of YouTube's Data API: videos only; Shorts are ordinary uploads.
import { YOUTUBE_FIELDS } from "../../schemas/post-limits.ts";
import type { Capabilities } from "../rules.ts";

const GB = 1_000_000_000;
const READ = "2026-11";
const INSERT = "https://developers.google.com/youtube/v3/docs/videos/insert";
const VIDEO = "https://developers.google.com/youtube/v3/docs/videos";
const HELP = "https://support.google.com/youtube/answer/71673";

/** Limits that are not part of the capabilities. */
export const YOUTUBE = {
  ...YOUTUBE_FIELDS,
  // All tags together, with commas between tags and quotes around tags that contain spaces.
  tags: 500,
  // Since 2026-09-14: https://developers.google.com/youtube/v3/docs/thumbnails/set and /youtube/v3/revision_history, read
  // 2026-11-28; before, 2 MB.
  thumbnailBytes: 50 * 1_000_000,
  // People & Blogs, YouTube's default category.
  categoryId: "22",
  // Chunks must be a multiple of 256 KiB, except the last one.
  chunkBytes: 16 * 1024 * 1024,
} as const;

export const capabilities: Capabilities = {
  platform: "youtube",
  source: INSERT,
  read: READ,
  kinds: ["single_video"],
  unsupported: {
    text_only: "YouTube needs a video.",
    single_image: "YouTube does not support image posts. Create a video from the image.",
    multi_image: "YouTube does not support image posts. Create a video from the images.",
  },
  // The caption becomes the description, which is limited in bytes; its first line becomes the title.
  caption: { limit: YOUTUBE.descriptionBytes, unit: "utf8_bytes" },
  firstComment: {
    limit: 10_000,
    unit: "utf16",
    permission: ["https://www.googleapis.com/auth/youtube.force-ssl"],
  },
  images: { max: 0, types: [], maxBytes: 0 },
  videos: {
    max: 1,
    types: [
      "video/mp4",
      "video/quicktime",
      "video/webm",
      "video/mpeg",
      "video/x-msvideo",
      "video/x-ms-wmv",
      "video/x-flv",
      "video/3gpp",
    ],
    maxBytes: 256 * GB,
    maxSeconds: 12 * 3600,
  },
  sources: {
    // YouTube's reference has an error for comments that are too long, and no length: this is what HighLevel checks.
    firstComment: {
      source: "https://marketplace.gohighlevel.com/docs/ghl/social-planner/comments",
      read: "2026-11-28",
    },
    "caption.limit": { source: VIDEO, read: READ },
    "videos.types": { source: "https://support.google.com/youtube/troubleshooter/2888402", read: READ },
    // Accounts without a verified phone number are limited to 15 minutes, which YouTube reports only after the upload.
    "videos.maxSeconds": { source: HELP, read: READ },
    "videos.maxBytes": { source: HELP, read: READ },
  },
  // A thumbnail.
  cover: { url: true },
  options: ["playlists", "categories"],
  settingsSchema: {
    type: "object",
    additionalProperties: false,
    properties: {
      title: { type: "string", maxLength: YOUTUBE.title },
      description: { type: "string", maxLength: YOUTUBE.descriptionBytes },
      privacy: { enum: ["public", "private", "unlisted"], default: "public" },
      type: { enum: ["public", "private", "unlisted"], description: "Another name of privacy." },
      tags: {
        type: "array",
        maxItems: 100,
        items: {
          type: "object",
          additionalProperties: false,
          required: ["label"],
          properties: {
            value: { type: "string", maxLength: 100 },
            label: { type: "string", minLength: 1, maxLength: 100 },
          },
        },
      },
      categoryId: { type: "string", pattern: "^\\d{1,3}$", default: YOUTUBE.categoryId },
      selfDeclaredMadeForKids: { enum: ["yes", "no"], default: "no" },
      madeForKids: { type: "boolean", description: "Another name of selfDeclaredMadeForKids." },
      containsSyntheticMedia: { type: "boolean" },
      playlist_ids: {
        type: "array",
        maxItems: YOUTUBE.playlists,
        items: { type: "string", pattern: "^[\\w-]+$", maxLength: 128 },
      },
      notify_subscribers: { type: "boolean", default: true },
      license: { enum: [...YOUTUBE.licenses], default: "youtube" },
      embeddable: { type: "boolean", default: true },
      publishAt: { type: "string", format: "date-time", maxLength: 80 },
      thumbnail: {
        type: "object",
        additionalProperties: false,
        required: ["path"],
        properties: { path: { type: "string", format: "uri", maxLength: 2_048 } },
      },
    },
  },
};
