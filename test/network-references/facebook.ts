// Facebook pages: fields of the Graph API's reference, one operation a row, with the page as its source.
import { boolean, integer, list, literal, type Operation, object, type Reference, string } from "./reference.ts";

const GRAPH = "https://developers.facebook.com/docs/graph-api/reference";
const FORM = "application/x-www-form-urlencoded";

const id = string({ pattern: "^\\d+(_\\d+)?$" });
const url = string({ pattern: "^https?://" });
const offsets = { start_offset: string({ pattern: "^\\d+$" }), end_offset: string({ pattern: "^\\d+$" }) };
/** The description of a video, sent with the file or when its upload ends. */
const videoText = {
  "title?": string(),
  "description?": string(),
  "published?": boolean,
  "scheduled_publish_time?": integer(),
  "content_category?": string(),
  "embeddable?": boolean,
  "no_story?": boolean,
};

/** Fields of a post: https://developers.facebook.com/docs/graph-api/reference/post/, and of its insights. */
const POST_FIELDS = [
  ..."id message created_time permalink_url full_picture shares attachments\\{[\\w{},]+\\}".split(" "),
  ...["reactions", "comments"].map((edge) => `${edge}\\.limit\\(0\\)\\.summary\\(total_count\\)`),
  "insights\\.metric\\(post_media_view\\)",
].join("|");

/** https://developers.facebook.com/docs/graph-api/reference/comment/ */
const COMMENT_FIELDS = "id|message|from|created_time|permalink_url|parent|is_hidden";

const REELS = "https://developers.facebook.com/documentation/video-api/guides/reels-publishing";
const STORIES = "https://developers.facebook.com/docs/page-stories-api";
const started = object({ video_id: id, upload_url: url });
const start = object({ upload_phase: literal("start") });

/** The fields of a post to these edges are also those of Meta's own SDK, of 2026-06-24: create_video_reel, create_video_story. */
const operations: Operation[] = [
  {
    method: "POST",
    path: "/{version}/{page}/video_reels",
    source: REELS,
    bodies: {
      [FORM]: {
        oneOf: [
          start,
          object({
            upload_phase: literal("finish"),
            video_id: id,
            video_state: literal("DRAFT", "SCHEDULED", "PUBLISHED"),
            "description?": string(),
            "title?": string(),
            "scheduled_publish_time?": integer(),
            "place?": id,
          }),
        ],
      },
    },
    answer: { oneOf: [started, object({ success: boolean, "post_id?": id })] },
  },
  {
    method: "POST",
    path: "/{version}/{page}/video_stories",
    source: STORIES,
    bodies: { [FORM]: { oneOf: [start, object({ upload_phase: literal("finish"), video_id: id })] } },
    answer: { oneOf: [started, object({ success: boolean, post_id: id })] },
  },
  {
    method: "POST",
    path: "/{version}/{page}/photo_stories",
    source: STORIES,
    bodies: { [FORM]: object({ photo_id: id }) },
    answer: object({ success: boolean, post_id: id }),
  },
  {
    method: "GET",
    path: "/{version}/{page}/stories",
    source: STORIES,
    query: object({
      fields: string({
        pattern: "^(post_id|status|creation_time|media_type|media_id|url)(,(post_id|status|media_id|url))*$",
      }),
      "since?": integer(),
      "until?": integer(),
      "limit?": integer({ minimum: 1, maximum: 100 }),
    }),
  },
  {
    // On the host rupload.facebook.com, which takes the file from its URL.
    method: "POST",
    path: "/video-upload/{version}/{video}",
    source: REELS,
    headers: {
      type: "object",
      required: ["authorization", "file_url"],
      properties: { authorization: string({ pattern: "^OAuth ." }), file_url: url },
    },
    answer: object({ success: boolean }),
  },
  {
    method: "POST",
    path: "/{version}/{page}/feed",
    source: `${GRAPH}/page/feed/`,
    bodies: {
      [FORM]: object({
        "message?": string({ maxLength: 63_206 }),
        "link?": url,
        "attached_media?": list(object({ media_fbid: id })),
        "published?": boolean,
        "scheduled_publish_time?": integer(),
        "backdated_time?": string(),
        "place?": id,
        "tags?": list(id),
        "targeting?": { type: "object" },
        "feed_targeting?": { type: "object" },
      }),
    },
    answer: object({ id }),
  },
  {
    method: "GET",
    path: "/{version}/{page}/published_posts",
    source: `${GRAPH}/page/published_posts/`,
    query: object({
      fields: string({
        pattern: `^(${POST_FIELDS})(,(${POST_FIELDS}))*$`,
      }),
      "after?": string(),
      "since?": integer(),
      "until?": integer(),
      "limit?": integer({ minimum: 1, maximum: 100 }),
    }),
  },
  {
    method: "POST",
    path: "/{version}/{page}/photos",
    source: `${GRAPH}/page/photos/`,
    bodies: {
      [FORM]: object({
        url,
        "published?": boolean,
        "temporary?": boolean,
        "caption?": string(),
        "alt_text_custom?": string(),
        "no_story?": boolean,
        "scheduled_publish_time?": integer(),
      }),
    },
    answer: object({ id, "post_id?": id }),
  },
  {
    // One edge with the phases of an upload: https://developers.facebook.com/docs/graph-api/reference/page/videos/
    method: "POST",
    path: "/{version}/{page}/videos",
    source: `${GRAPH}/page/videos/`,
    bodies: {
      [FORM]: {
        oneOf: [
          object({ upload_phase: literal("start"), file_size: integer({ minimum: 1 }) }),
          object({ upload_phase: literal("finish"), upload_session_id: id, ...videoText }),
          object({ file_url: url, ...videoText }),
          object({ fbuploader_video_file_chunk: string(), ...videoText }),
        ],
      },
      "multipart/form-data": {
        oneOf: [
          object({
            upload_phase: literal("transfer"),
            upload_session_id: id,
            start_offset: integer({ minimum: 0 }),
            video_file_chunk: string(),
          }),
          // `thumb` is a file, so the form with a cover has parts.
          object({ upload_phase: literal("finish"), upload_session_id: id, thumb: string(), ...videoText }),
        ],
      },
    },
    answer: {
      oneOf: [
        object({ video_id: id, upload_session_id: id, ...offsets }),
        object(offsets),
        object({ success: boolean }),
        object({ id }),
      ],
    },
  },
  {
    // A video, https://developers.facebook.com/docs/graph-api/reference/video/, or a post.
    method: "GET",
    path: "/{version}/{object}",
    source: `${GRAPH}/video/`,
    query: object({
      fields: string({ pattern: "^(id|status|published|permalink_url)(,(id|status|published|permalink_url))*$" }),
    }),
    answer: object({
      "id?": id,
      "permalink_url?": string(),
      "published?": boolean,
      "status?": object({
        video_status: literal(
          "ready",
          "processing",
          "error",
          "expired",
          "upload_failed",
          "upload_complete",
          "uploading",
        ),
        "uploading_phase?": { type: "object" },
        "processing_phase?": { type: "object" },
        "publishing_phase?": { type: "object" },
        "processing_progress?": integer(),
      }),
    }),
  },
  {
    // A post of the page or, by its description, a video.
    method: "POST",
    path: "/{version}/{object}",
    source: "https://developers.facebook.com/documentation/pages-api/posts.md",
    bodies: {
      [FORM]: { oneOf: [object({ message: string({ maxLength: 63_206 }) }), object({ description: string() })] },
    },
    answer: object({ success: boolean }),
  },
  {
    method: "POST",
    path: "/{version}/{object}/comments",
    source: "https://developers.facebook.com/documentation/pages-api/comments-mentions",
    bodies: { [FORM]: object({ message: string({ minLength: 1 }) }) },
    answer: object({ id }),
  },
  {
    method: "GET",
    path: "/{version}/{object}/comments",
    source: `${GRAPH}/object/comments/`,
    query: object({
      fields: string({ pattern: `^(${COMMENT_FIELDS})(,(${COMMENT_FIELDS}))*$` }),
      "order?": literal("chronological", "reverse_chronological"),
      "filter?": literal("toplevel", "stream"),
      "limit?": integer({ minimum: 1, maximum: 100 }),
      "after?": string(),
    }),
    answer: object({ data: list({ type: "object" }), "paging?": { type: "object" } }),
  },
  {
    method: "DELETE",
    path: "/{version}/{object}",
    source: `${GRAPH}/post/`,
    query: object({ "access_token?": string() }),
  },
  {
    method: "GET",
    path: "/{version}/oauth/access_token",
    source: "https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived",
    query: object({
      grant_type: literal("fb_exchange_token"),
      client_id: string(),
      client_secret: string(),
      fb_exchange_token: string(),
    }),
    answer: object({ access_token: string(), token_type: string(), "expires_in?": integer() }),
  },
];

export const facebook: Reference = {
  network: "facebook",
  description: "fields of its reference",
  url: `${GRAPH}/page/`,
  read: "2026-11-24",
  fixed: ["the feed was read before each post, which needs a permission of its own"],
  uncovered: "phases of a video's status, which errors leave the outcome open",
  operations,
};
