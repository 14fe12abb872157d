// Instagram and Threads: fields of the official references of Meta, one operation a row, with the page as its source.
import {
  boolean,
  integer,
  type JsonSchema,
  list,
  literal,
  number,
  type Operation,
  object,
  type Reference,
  string,
} from "./reference.ts";

const IG = "https://developers.facebook.com/docs/instagram-platform";
const IG_USER = `${IG}/instagram-graph-api/reference/ig-user`;
const THREADS = "https://developers.facebook.com/documentation/threads/reference";
const FORM = "application/x-www-form-urlencoded";

const id = string({ pattern: "^\\d+$" });
const url = string({ pattern: "^https?://" });
const created = object({ id });
/** A comma-separated list of these fields, some with a selection in braces or parentheses. */
const fieldsOf = (...names: string[]): JsonSchema => {
  const one = `(${names.join("|")})(\\{[^}]*\\}|\\([^)]*\\))?`;
  return string({ pattern: `^${one}(,${one})*$` });
};
const page = { "limit?": integer({ minimum: 1, maximum: 100 }), "after?": string(), "before?": string() };
const quota = object({
  data: list(
    object({
      "quota_usage?": integer(),
      "config?": object({ quota_total: integer(), quota_duration: integer() }),
      "reply_quota_usage?": integer(),
      "reply_config?": { type: "object" },
    }),
  ),
});
const refreshed = object({ access_token: string(), token_type: string(), expires_in: integer() });

const igMediaFields = [
  ..."alt_text caption comments_count id is_comment_enabled is_shared_to_feed like_count media_product_type".split(" "),
  ..."media_type media_url owner permalink shortcode thumbnail_url timestamp username children insights".split(" "),
  "insights\\.metric",
];

const instagramOperations: Operation[] = [
  {
    method: "POST",
    path: "/{version}/{ig_user}/media",
    source: `${IG_USER}/media`,
    bodies: {
      [FORM]: object({
        // VIDEO is an item of a carousel; a video alone is a reel.
        "media_type?": literal("CAROUSEL", "REELS", "STORIES", "VIDEO"),
        "image_url?": url,
        "video_url?": url,
        "caption?": string({ maxLength: 2_200 }),
        "is_carousel_item?": boolean,
        "children?": string({ pattern: "^\\d+(,\\d+){1,9}$" }),
        "alt_text?": string(),
        "audio_name?": string(),
        "collaborators?": list(string(), { maxItems: 3 }),
        "cover_url?": url,
        "thumb_offset?": integer({ minimum: 0 }),
        "share_to_feed?": boolean,
        "location_id?": id,
        "user_tags?": list(
          object({
            username: string(),
            "x?": number({ minimum: 0, maximum: 1 }),
            "y?": number({ minimum: 0, maximum: 1 }),
          }),
          { maxItems: 20 },
        ),
        // https://developers.facebook.com/documentation/instagram-platform/changelog.md, June 22, 2026 (2026-11-28).
        "is_ai_generated?": boolean,
        "product_tags?": list({ type: "object" }),
        "trial_params?": object({ graduation_strategy: literal("MANUAL", "SS_PERFORMANCE") }),
        "upload_type?": literal("resumable"),
      }),
    },
    answer: object({ id, "uri?": string() }),
  },
  {
    method: "POST",
    path: "/{version}/{ig_user}/media_publish",
    source: `${IG_USER}/media_publish`,
    bodies: { [FORM]: object({ creation_id: id }) },
    answer: created,
  },
  {
    method: "GET",
    path: "/{version}/{ig_user}/content_publishing_limit",
    source: `${IG_USER}/content_publishing_limit`,
    query: object({ "fields?": fieldsOf("quota_usage", "config"), "since?": integer() }),
    answer: quota,
  },
  {
    method: "GET",
    path: "/{version}/{ig_user}/media",
    source: `${IG_USER}/media`,
    query: object({ "fields?": fieldsOf(...igMediaFields), ...page }),
  },
  {
    method: "GET",
    path: "/{version}/{ig_user}/stories",
    source: `${IG_USER}/stories`,
    query: object({ "fields?": fieldsOf(...igMediaFields), ...page }),
  },
  {
    method: "GET",
    path: "/{version}/{ig_media}/insights",
    source: `${IG}/reference/instagram-media/insights`,
    query: object({
      metric: fieldsOf(
        ..."comments follows likes profile_activity profile_visits reach replies saved shares total_interactions".split(
          " ",
        ),
        ..."views ig_reels_avg_watch_time ig_reels_video_view_total_time navigation".split(" "),
      ),
      "period?": string(),
    }),
  },
  {
    // As a query on its page; the Graph API takes every parameter of a POST in its body too.
    method: "POST",
    path: "/{version}/{ig_media}/comments",
    source: `${IG}/instagram-graph-api/reference/ig-media/comments`,
    bodies: { [FORM]: object({ message: string({ minLength: 1 }) }) },
    answer: created,
  },
  {
    method: "GET",
    path: "/{version}/{ig_media}/comments",
    source: `${IG}/instagram-graph-api/reference/ig-comment`,
    query: object({
      fields: fieldsOf(..."from hidden id like_count media parent_id replies text timestamp user username".split(" ")),
      "limit?": integer({ minimum: 1, maximum: 50 }),
      "after?": string(),
    }),
    answer: object({ data: list({ type: "object" }), "paging?": { type: "object" } }),
  },
  {
    // A container, https://developers.facebook.com/docs/instagram-platform/reference/ig-container, or a published medium.
    method: "GET",
    path: "/{version}/{ig_container}",
    source: `${IG}/reference/instagram-media`,
    query: object({ fields: fieldsOf(...igMediaFields, "status", "status_code", "copyright_check_status") }),
    answer: object({
      "id?": id,
      "permalink?": url,
      "status?": string(),
      "status_code?": literal("EXPIRED", "ERROR", "FINISHED", "IN_PROGRESS", "PUBLISHED"),
    }),
  },
  {
    method: "GET",
    path: "/refresh_access_token",
    source: `${IG}/reference/refresh_access_token`,
    query: object({ grant_type: literal("ig_refresh_token"), access_token: string() }),
    answer: { ...refreshed, additionalProperties: true },
  },
];

export const instagram: Reference = {
  network: "instagram",
  description: "fields of its reference",
  url: IG_USER,
  read: "2026-11-24",
  fixed: [
    "the children of a carousel were not awaited",
    "a rejected publish may have published",
    "a reel of a minute took twelve polls",
  ],
  uncovered: "errors that are not on the pages, how long processing takes",
  operations: instagramOperations,
};

const threadFields = [
  ..."id media_product_type media_type media_url permalink owner username text timestamp shortcode".split(" "),
  ..."thumbnail_url children is_quote_post alt_text link_attachment_url topic_tag".split(" "),
];

const threadsOperations: Operation[] = [
  {
    method: "POST",
    path: "/v1.0/{threads_user}/threads",
    source: `${THREADS}/publishing`,
    bodies: {
      [FORM]: object({
        media_type: literal("TEXT", "IMAGE", "VIDEO", "CAROUSEL"),
        "text?": string(),
        "image_url?": url,
        "video_url?": url,
        "is_carousel_item?": boolean,
        "children?": string({ pattern: "^\\d+(,\\d+){1,19}$" }),
        "reply_to_id?": id,
        "reply_control?": literal(
          ..."everyone accounts_you_follow mentioned_only parent_post_author_only followers_only".split(" "),
        ),
        "allowlisted_country_codes?": list(string()),
        "alt_text?": string({ maxLength: 1_000 }),
        "link_attachment?": url,
        "quote_post_id?": id,
        "topic_tag?": string({ minLength: 1, maxLength: 50, pattern: "^[^.&]+$" }),
        "poll_attachment?": { type: "object" },
        "auto_publish_text?": boolean,
      }),
    },
    answer: created,
  },
  {
    method: "POST",
    path: "/v1.0/{threads_user}/threads_publish",
    source: `${THREADS}/publishing`,
    bodies: { [FORM]: object({ creation_id: id }) },
    answer: created,
  },
  {
    method: "GET",
    path: "/v1.0/{threads_user}/threads_publishing_limit",
    source: `${THREADS}/publishing`,
    query: object({ fields: fieldsOf("quota_usage", "config", "reply_quota_usage", "reply_config") }),
    answer: quota,
  },
  {
    method: "GET",
    path: "/v1.0/{threads_user}/threads",
    source: `${THREADS}/user`,
    query: object({ "fields?": fieldsOf(...threadFields), ...page, "since?": string(), "until?": string() }),
  },
  {
    method: "GET",
    path: "/v1.0/{threads_media}/insights",
    source: "https://developers.facebook.com/docs/threads/insights",
    query: object({ metric: fieldsOf("views", "likes", "replies", "reposts", "quotes", "shares") }),
    answer: object({ "data?": list({ type: "object" }) }),
  },
  {
    method: "GET",
    path: "/v1.0/{threads_user}/replies",
    source: "https://developers.facebook.com/documentation/threads/retrieve-and-manage-replies/retrieve-replies",
    query: object({ "fields?": fieldsOf(...threadFields), ...page, "since?": string(), "until?": string() }),
  },
  {
    // A container or a published post.
    method: "GET",
    path: "/v1.0/{threads_media}",
    source: `${THREADS}/publishing`,
    query: object({ fields: fieldsOf(...threadFields, "status", "error_message") }),
    answer: object({
      "id?": id,
      "permalink?": url,
      "status?": literal("EXPIRED", "ERROR", "FINISHED", "IN_PROGRESS", "PUBLISHED"),
      "error_message?": string(),
    }),
  },
  {
    method: "DELETE",
    path: "/v1.0/{threads_media}",
    source: "https://developers.facebook.com/docs/threads/posts/delete-posts",
    query: object({ "access_token?": string() }),
  },
  {
    method: "GET",
    path: "/refresh_access_token",
    source: "https://developers.facebook.com/docs/threads/get-started/long-lived-tokens",
    query: object({ grant_type: literal("th_refresh_token"), access_token: string() }),
    answer: refreshed,
  },
];

export const threads: Reference = {
  network: "threads",
  description: "fields of its reference",
  url: `${THREADS}/publishing`,
  read: "2026-11-24",
  fixed: ["the children of a carousel were not awaited", "4279004 failed the post"],
  uncovered: "errors, which the reference does not list, how long processing takes",
  operations: threadsOperations,
};
