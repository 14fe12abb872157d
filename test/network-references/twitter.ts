// X: the declarations of its official SDK, which X generates from its OpenAPI description.

import { tokenRequest } from "./consent-parts.ts";
import { readDeclarations } from "./declarations.ts";
import { list, literal, type Operation, object, type Reference, string } from "./reference.ts";

const DOCS = "https://docs.x.com/x-api";
const TOKENS = "https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code";

const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const sdk = readDeclarations("@xdevplatform/xdk", toSnakeCase);

// The SDK names the options of `getPosts` in camel case; these are their names in the URL, of openapi.json 2.167 in
// https://github.com/xdevplatform/docs, read 2026-11-24. Lists are joined by commas.
const timelineQuery = object({
  "max_results?": { type: "integer", minimum: 5, maximum: 100 },
  "pagination_token?": string({ minLength: 1 }),
  "start_time?": string({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$" }),
  "end_time?": string(),
  "since_id?": string(),
  "until_id?": string(),
  "exclude?": string(),
  "post.fields?": string({
    pattern:
      "^(attachments|community_id|created_at|entities|id|note_post|public_metrics|text)(,(attachments|community_id|created_at|entities|id|note_post|public_metrics|text))*$",
  }),
  "expansions?": string(),
  // The prose pages still name it so.
  "tweet.fields?": string(),
});

// The timeline is checked by its fields only: the SDK leaves the fields of a post open.
const operations: Operation[] = [
  {
    method: "POST",
    path: "/2/tweets",
    source: `${DOCS}/posts/create-post`,
    bodies: { "application/json": sdk.toSchema("CreatePostsRequest") },
  },
  { method: "DELETE", path: "/2/tweets/{id}", source: `${DOCS}/posts/delete-post` },
  { method: "GET", path: "/2/users/{id}/tweets", source: `${DOCS}/users/get-posts`, query: timelineQuery },
  {
    method: "POST",
    path: "/2/media/upload/initialize",
    source: `${DOCS}/media/initialize-media-upload`,
    bodies: { "application/json": sdk.toSchema("InitializeMediaUploadRequest") },
    answer: sdk.toSchema("InitializeMediaUploadResponse"),
  },
  {
    method: "POST",
    path: "/2/media/metadata",
    source: `${DOCS}/media/create-media-metadata`,
    bodies: { "application/json": sdk.toSchema("CreateMediaMetadataRequest") },
    answer: sdk.toSchema("CreateMediaMetadataResponse"),
  },
  {
    method: "POST",
    path: "/2/media/upload/{id}/append",
    source: `${DOCS}/media/append-media-upload`,
    bodies: { "multipart/form-data": sdk.toSchema("AppendMediaUploadRequest") },
    answer: sdk.toSchema("AppendMediaUploadResponse"),
  },
  {
    method: "POST",
    path: "/2/media/upload/{id}/finalize",
    source: `${DOCS}/media/finalize-media-upload`,
    answer: sdk.toSchema("FinalizeMediaUploadResponse"),
  },
  {
    method: "GET",
    path: "/2/media/upload",
    source: `${DOCS}/media/get-media-upload-status`,
    query: object({ media_id: string({ pattern: "^[0-9]{1,19}$" }), "command?": literal("STATUS") }),
    answer: sdk.toSchema("GetMediaUploadStatusResponse"),
  },
  {
    method: "POST",
    path: "/2/oauth2/token",
    source: TOKENS,
    bodies: tokenRequest({ "client_id?": string() }, { "code_verifier?": string() }),
  },
  {
    method: "GET",
    path: "/2/users/me",
    source: `${DOCS}/users/get-my-user`,
    query: object({ "user.fields?": string() }),
  },
  {
    method: "GET",
    path: "/2/tweets",
    source: `${DOCS}/posts/get-posts-by-ids`,
    query: object({ ids: list(string()) }),
  },
];

export const twitter: Reference = {
  network: "twitter",
  description: "declarations of @xdevplatform/xdk 0.6.6",
  url: "https://www.npmjs.com/package/@xdevplatform/xdk/v/0.6.6",
  read: "2026-11-24",
  fixed: [
    "`tweet.fields` is `post.fields`, `note_tweet` is `note_post`",
    "videos of 20 minutes and 8 GB, with Premium 125 minutes and 16 GB",
    "the error about a video's length is the content's",
    "an error about an unknown authentication is temporary",
  ],
  uncovered: "texts of errors, bytes of a segment, whether its edge accepts 5 MB",
  operations,
};
