// TikTok: fields of the reference of its Content Posting API, one operation a row, with the page as its source.

import { tokenRequest } from "./consent-parts.ts";
import {
  boolean,
  integer,
  type JsonSchema,
  list,
  literal,
  type Operation,
  object,
  type Reference,
  string,
} from "./reference.ts";

const DOCS = "https://developers.tiktok.com/doc";
const url = string({ pattern: "^https?://" });

/** Every answer has the data and an error, whose code is `ok`. */
const answer = (data: JsonSchema) =>
  object({ data, error: object({ code: string(), message: string(), "log_id?": string() }) });

const privacy = literal("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY");
const brand = { "brand_content_toggle?": boolean, "brand_organic_toggle?": boolean };
const started = { publish_id: string({ maxLength: 64 }) };

const operations: Operation[] = [
  {
    method: "POST",
    path: "/v2/post/publish/creator_info/query/",
    source: `${DOCS}/content-posting-api-reference-query-creator-info`,
    bodies: { "application/json": object({}) },
    answer: answer(
      object({
        "creator_avatar_url?": string(),
        creator_username: string(),
        creator_nickname: string(),
        privacy_level_options: list(privacy),
        comment_disabled: boolean,
        duet_disabled: boolean,
        stitch_disabled: boolean,
        max_video_post_duration_sec: integer(),
      }),
    ),
  },
  {
    method: "POST",
    path: "/v2/post/publish/video/init/",
    source: `${DOCS}/content-posting-api-reference-direct-post`,
    bodies: {
      "application/json": object({
        post_info: object({
          privacy_level: privacy,
          "title?": string({ maxLength: 2_200 }),
          "disable_duet?": boolean,
          "disable_stitch?": boolean,
          "disable_comment?": boolean,
          "video_cover_timestamp_ms?": integer({ minimum: 0 }),
          "is_aigc?": boolean,
          ...brand,
        }),
        source_info: {
          oneOf: [
            object({
              source: literal("FILE_UPLOAD"),
              video_size: integer({ minimum: 1 }),
              chunk_size: integer({ minimum: 1 }),
              total_chunk_count: integer({ minimum: 1, maximum: 1_000 }),
            }),
            object({ source: literal("PULL_FROM_URL"), video_url: url }),
          ],
        },
      }),
    },
    answer: answer(object({ ...started, "upload_url?": string({ maxLength: 256 }) })),
  },
  {
    method: "POST",
    path: "/v2/post/publish/content/init/",
    source: `${DOCS}/content-posting-api-reference-photo-post`,
    bodies: {
      "application/json": object({
        media_type: literal("PHOTO"),
        post_mode: literal("DIRECT_POST", "MEDIA_UPLOAD"),
        post_info: object({
          "title?": string({ maxLength: 90 }),
          "description?": string({ maxLength: 4_000 }),
          "privacy_level?": privacy,
          "disable_comment?": boolean,
          "auto_add_music?": boolean,
          ...brand,
        }),
        source_info: object({
          source: literal("PULL_FROM_URL"),
          photo_images: list(url, { minItems: 1, maxItems: 35 }),
          photo_cover_index: integer({ minimum: 0 }),
        }),
      }),
    },
    answer: answer(object(started)),
  },
  {
    method: "PUT",
    path: "/upload/",
    source: `${DOCS}/content-posting-api-media-transfer-guide`,
    query: { type: "object" },
    headers: {
      type: "object",
      required: ["content-type", "content-length", "content-range"],
      properties: {
        "content-type": literal("video/mp4", "video/quicktime", "video/webm"),
        "content-range": string({ pattern: "^bytes \\d+-\\d+/\\d+$" }),
      },
    },
    bodies: { "*/*": "bytes" },
  },
  {
    method: "POST",
    path: "/v2/post/publish/status/fetch/",
    source: `${DOCS}/content-posting-api-reference-get-video-status`,
    bodies: { "application/json": object({ publish_id: string() }) },
    answer: answer(
      object({
        status: literal("PROCESSING_UPLOAD", "PROCESSING_DOWNLOAD", "SEND_TO_USER_INBOX", "PUBLISH_COMPLETE", "FAILED"),
        "fail_reason?": string(),
        // Spelled like this by TikTok.
        "publicaly_available_post_id?": list(integer()),
        "uploaded_bytes?": integer(),
        "downloaded_bytes?": integer(),
      }),
    ),
  },
  {
    method: "POST",
    path: "/v2/video/list/",
    source: `${DOCS}/tiktok-api-v2-video-list`,
    query: object({
      fields: string({
        pattern:
          "^((id|create_time|cover_image_url|share_url|video_description|duration|height|width|title|embed_html|embed_link|like_count|comment_count|share_count|view_count)(,|$))+$",
      }),
    }),
    bodies: {
      "application/json": object({ "cursor?": integer(), "max_count?": integer({ minimum: 1, maximum: 20 }) }),
    },
    answer: answer(object({ videos: list({ type: "object" }), cursor: integer(), has_more: boolean })),
  },
  {
    method: "POST",
    path: "/v2/oauth/token/",
    source: `${DOCS}/oauth-user-access-token-management`,
    bodies: tokenRequest({ client_key: string(), client_secret: string() }, { "code_verifier?": string() }),
  },
];

export const tiktok: Reference = {
  network: "tiktok",
  description: "fields of its reference",
  url: `${DOCS}/content-posting-api-get-started`,
  read: "2026-11-24",
  fixed: ["is_aigc was missing", "files of up to 64 MB in one chunk"],
  uncovered: "quotas of creators, how long moderation takes",
  operations,
};
