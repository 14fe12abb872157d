// Pinterest: facts of its OpenAPI description, version 5.23.0, one operation a row.
import {
  integer,
  type JsonSchema,
  list,
  literal,
  type Operation,
  object,
  type Reference,
  string,
} from "./reference.ts";

const SPEC = "https://github.com/pinterest/api-description/blob/main/v5/openapi.json";
const id = string({ pattern: "^\\d+$" });
const nullable = (schema: JsonSchema) => ({ anyOf: [schema, { type: "null" }] });

const mediaSource: JsonSchema = {
  oneOf: [
    object({ source_type: literal("image_url"), url: string(), "is_standard?": { type: "boolean" } }),
    object({
      source_type: literal("multiple_image_urls"),
      "index?": integer({ minimum: 0 }),
      items: list(object({ url: string(), "title?": string(), "description?": string(), "link?": string() }), {
        minItems: 2,
        maxItems: 5,
      }),
    }),
    object({
      source_type: literal("video_id"),
      media_id: id,
      "cover_image_url?": string(),
      "cover_image_key_frame_time?": integer({ minimum: 0 }),
      "cover_image_content_type?": string(),
      "cover_image_data?": string(),
      "is_standard?": { type: "boolean" },
    }),
  ],
};

const pinFields = {
  "title?": nullable(string({ maxLength: 100 })),
  "description?": nullable(string({ maxLength: 800 })),
  "link?": nullable(string({ maxLength: 2_048 })),
  "alt_text?": nullable(string({ maxLength: 500 })),
  "board_id?": id,
  "board_section_id?": nullable(id),
  "dominant_color?": nullable(string()),
  "parent_pin_id?": nullable(id),
};
const pin = object({
  id,
  ...pinFields,
  "board_owner?": { type: "object" },
  "created_at?": string(),
  "creative_type?": nullable(string()),
  "has_been_promoted?": { type: "boolean" },
  "is_owner?": { type: "boolean" },
  "is_standard?": { type: "boolean" },
  "media?": { type: "object" },
  "pin_metrics?": nullable({ type: "object" }),
});
const paging = { "bookmark?": string(), "page_size?": integer({ minimum: 1, maximum: 250 }) };
const board = object({ "id?": id, name: string() });
const section = object({ "id?": id, name: string() });
const mediaType = literal("video");
const adAccount = { "ad_account_id?": id };

const operations: Operation[] = [
  {
    method: "POST",
    path: "/v5/pins",
    source: SPEC,
    query: object(adAccount),
    bodies: { "application/json": object({ ...pinFields, "media_source?": mediaSource, "sponsor_id?": nullable(id) }) },
    answer: pin,
  },
  {
    method: "GET",
    path: "/v5/pins",
    source: SPEC,
    query: object({
      ...adAccount,
      "bookmark?": string(),
      "page_size?": integer({ minimum: 1, maximum: 250 }),
      "pin_metrics?": { type: "boolean" },
      "pin_filter?": string(),
      "include_protected_pins?": { type: "boolean" },
      "pin_type?": string(),
      "creative_types?": list(string()),
    }),
    answer: object({ items: list(pin), "bookmark?": nullable(string()) }),
  },
  {
    method: "PATCH",
    path: "/v5/pins/{pin_id}",
    source: SPEC,
    query: object(adAccount),
    bodies: {
      "application/json": object({
        ...pinFields,
        "note?": string(),
        "carousel_slots?": list({ type: "object" }),
      }),
    },
    answer: pin,
  },
  { method: "DELETE", path: "/v5/pins/{pin_id}", source: SPEC, query: object(adAccount) },
  { method: "GET", path: "/v5/pins/{pin_id}", source: SPEC, query: object(adAccount), answer: pin },
  {
    method: "GET",
    path: "/v5/boards",
    source: SPEC,
    query: object({ ...adAccount, ...paging, "privacy?": string() }),
    answer: object({ items: list({ ...board, additionalProperties: true }), "bookmark?": nullable(string()) }),
  },
  {
    method: "GET",
    path: "/v5/boards/{board_id}/sections",
    source: SPEC,
    query: object({ ...adAccount, ...paging }),
    answer: object({ items: list(section), "bookmark?": nullable(string()) }),
  },
  { method: "GET", path: "/v5/boards/{board_id}", source: SPEC, query: object(adAccount) },
  {
    method: "GET",
    path: "/v5/boards/{board_id}/pins",
    source: SPEC,
    query: object({
      ...adAccount,
      ...paging,
      "creative_types?": list(string()),
      "pin_metrics?": { type: "boolean" },
    }),
    answer: object({ items: list(pin), "bookmark?": nullable(string()) }),
  },
  {
    method: "POST",
    path: "/v5/media",
    source: SPEC,
    bodies: { "application/json": object({ media_type: mediaType }) },
    answer: object({
      media_id: id,
      media_type: mediaType,
      "upload_url?": string(),
      "upload_parameters?": object({
        "Content-Type?": string(),
        "key?": string(),
        "policy?": string(),
        "x-amz-algorithm?": string(),
        "x-amz-credential?": string(),
        "x-amz-date?": string(),
        "x-amz-security-token?": string(),
        "x-amz-signature?": string(),
      }),
    }),
  },
  {
    method: "GET",
    path: "/v5/media/{media_id}",
    source: SPEC,
    answer: object({
      media_id: id,
      media_type: mediaType,
      "status?": literal("registered", "processing", "succeeded", "failed"),
    }),
  },
  {
    // The storage of the upload_url; its fields are the upload_parameters, then the file.
    method: "POST",
    path: "/s3/",
    source: "https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/",
    bodies: { "multipart/form-data": { type: "object", required: ["key", "policy", "file"] } },
  },
  {
    method: "POST",
    path: "/v5/oauth/token",
    source: SPEC,
    headers: { type: "object", required: ["authorization"] },
    bodies: {
      "application/x-www-form-urlencoded": {
        oneOf: [
          object({ grant_type: literal("refresh_token"), refresh_token: string(), "scope?": string() }),
          object({
            grant_type: literal("authorization_code"),
            code: string(),
            redirect_uri: string(),
            "continuous_refresh?": string(),
          }),
        ],
      },
    },
    answer: object({
      access_token: string(),
      token_type: string(),
      expires_in: integer(),
      scope: string(),
      "response_type?": string(),
      "refresh_token?": string(),
      "refresh_token_expires_in?": integer(),
      "refresh_token_expires_at?": integer(),
    }),
  },
  { method: "GET", path: "/v5/user_account", source: SPEC, query: object(adAccount) },
];

export const pinterest: Reference = {
  network: "pinterest",
  description: "facts of its OpenAPI 5.23.0",
  url: SPEC,
  read: "2026-11-24",
  fixed: ["the pins of a board have no promised order", "pages of 250 pins"],
  uncovered: "the storage's form, codes and texts of errors, the time zone of created_at",
  operations,
};
