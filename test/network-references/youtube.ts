// YouTube: the declarations of Google's client, which Google generates from the discovery document of the API.
import { readDeclarations } from "./declarations.ts";
import { type JsonSchema, literal, type Operation, object, type Reference, string } from "./reference.ts";

const DOCS = "https://developers.google.com/youtube/v3/docs";
const RESUMABLE = "https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol";
const client = readDeclarations("@googleapis/youtube/build/v3.js", (name) => name);

/** The parameters of a method; the client sends its body apart from them. */
function toQuery(method: string): JsonSchema {
  const { properties, ...schema } = client.toSchema(`Params$Resource$${method}`) as {
    properties: Record<string, JsonSchema>;
  };
  const { requestBody: _body, media: _media, auth: _auth, ...query } = properties;
  return { ...schema, properties: query };
}

const video = client.toSchema("Schema$Video");
/** Google's declarations make every field optional; a type with a wrong name is still found. */
const insertQuery = toQuery("Videos$Insert");
const sessionQuery = {
  ...insertQuery,
  properties: { ...(insertQuery.properties as object), upload_id: string() },
};

const operations: Operation[] = [
  {
    method: "POST",
    path: "/upload/youtube/v3/videos",
    source: `${DOCS}/videos/insert`,
    query: insertQuery,
    bodies: { "application/json": video },
  },
  {
    method: "PUT",
    path: "/upload/youtube/v3/videos",
    source: RESUMABLE,
    query: sessionQuery,
    headers: {
      type: "object",
      required: ["content-length"],
      properties: { "content-range": string({ pattern: "^bytes (\\d+-\\d+|\\*)/\\d+$" }) },
    },
    bodies: { "*/*": "bytes" },
  },
  {
    method: "GET",
    path: "/youtube/v3/videos",
    source: `${DOCS}/videos/list`,
    query: toQuery("Videos$List"),
    answer: client.toSchema("Schema$VideoListResponse"),
  },
  {
    method: "PUT",
    path: "/youtube/v3/videos",
    source: `${DOCS}/videos/update`,
    query: toQuery("Videos$Update"),
    bodies: { "application/json": client.toSchema("Schema$Video") },
    answer: client.toSchema("Schema$Video"),
  },
  { method: "DELETE", path: "/youtube/v3/videos", source: `${DOCS}/videos/delete`, query: toQuery("Videos$Delete") },
  {
    method: "POST",
    path: "/upload/youtube/v3/thumbnails/set",
    source: `${DOCS}/thumbnails/set`,
    query: toQuery("Thumbnails$Set"),
    bodies: { "*/*": "bytes" },
    answer: client.toSchema("Schema$ThumbnailSetResponse"),
  },
  {
    method: "GET",
    path: "/youtube/v3/channels",
    source: `${DOCS}/channels/list`,
    query: toQuery("Channels$List"),
    answer: client.toSchema("Schema$ChannelListResponse"),
  },
  {
    method: "GET",
    path: "/youtube/v3/playlistItems",
    source: `${DOCS}/playlistItems/list`,
    query: toQuery("Playlistitems$List"),
    answer: client.toSchema("Schema$PlaylistItemListResponse"),
  },
  {
    method: "POST",
    path: "/youtube/v3/playlistItems",
    source: `${DOCS}/playlistItems/insert`,
    query: toQuery("Playlistitems$Insert"),
    bodies: { "application/json": client.toSchema("Schema$PlaylistItem") },
    answer: client.toSchema("Schema$PlaylistItem"),
  },
  {
    method: "GET",
    path: "/youtube/v3/playlists",
    source: `${DOCS}/playlists/list`,
    query: toQuery("Playlists$List"),
    answer: client.toSchema("Schema$PlaylistListResponse"),
  },
  {
    method: "GET",
    path: "/youtube/v3/videoCategories",
    source: `${DOCS}/videoCategories/list`,
    query: toQuery("Videocategories$List"),
    answer: client.toSchema("Schema$VideoCategoryListResponse"),
  },
  {
    method: "POST",
    path: "/youtube/v3/commentThreads",
    source: `${DOCS}/commentThreads/insert`,
    query: toQuery("Commentthreads$Insert"),
    bodies: { "application/json": client.toSchema("Schema$CommentThread") },
    answer: client.toSchema("Schema$CommentThread"),
  },
  {
    method: "GET",
    path: "/youtube/v3/commentThreads",
    source: `${DOCS}/commentThreads/list`,
    query: toQuery("Commentthreads$List"),
    answer: client.toSchema("Schema$CommentThreadListResponse"),
  },
  {
    method: "POST",
    path: "/token",
    source: "https://developers.google.com/identity/protocols/oauth2/web-server#offline",
    bodies: {
      "application/x-www-form-urlencoded": object({
        grant_type: literal("refresh_token", "authorization_code"),
        client_id: string(),
        client_secret: string(),
        "refresh_token?": string(),
        "code?": string(),
        "redirect_uri?": string(),
        "code_verifier?": string(),
      }),
    },
    answer: object({
      access_token: string(),
      expires_in: { type: "integer" },
      token_type: literal("Bearer"),
      "scope?": string(),
      "refresh_token?": string(),
      "refresh_token_expires_in?": { type: "integer" },
      "id_token?": string(),
    }),
  },
];

export const youtube: Reference = {
  network: "youtube",
  description: "declarations of @googleapis/youtube 39.0.0",
  url: "https://www.npmjs.com/package/@googleapis/youtube/v/39.0.0",
  read: "2026-11-24",
  fixed: ["containsSyntheticMedia and publishAt were missing", "polls of every five seconds"],
  uncovered: "the upload protocol beyond its headers, when processing ends",
  operations,
};
