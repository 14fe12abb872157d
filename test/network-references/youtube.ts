// YouTube: the declarations of Google's client, which Google generates from the discovery document of the API.

import { CLIENT, tokenRequest } from "./consent-parts.ts";
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

const toList = (path: string, resource: string, item: string): Operation => ({
  method: "GET",
  path: `/youtube/v3/${path}`,
  source: `${DOCS}/${path}/list`,
  query: toQuery(`${resource}$List`),
  answer: client.toSchema(`Schema$${item}ListResponse`),
});
const toInsert = (path: string, resource: string, item: string): Operation => ({
  method: "POST",
  path: `/youtube/v3/${path}`,
  source: `${DOCS}/${path}/insert`,
  query: toQuery(`${resource}$Insert`),
  bodies: { "application/json": client.toSchema(`Schema$${item}`) },
  answer: client.toSchema(`Schema$${item}`),
});

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
  toList("videos", "Videos", "Video"),
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
  toList("channels", "Channels", "Channel"),
  toList("playlistItems", "Playlistitems", "PlaylistItem"),
  toInsert("playlistItems", "Playlistitems", "PlaylistItem"),
  toList("playlists", "Playlists", "Playlist"),
  toList("videoCategories", "Videocategories", "VideoCategory"),
  toInsert("commentThreads", "Commentthreads", "CommentThread"),
  toList("commentThreads", "Commentthreads", "CommentThread"),
  {
    method: "POST",
    path: "/token",
    source: "https://developers.google.com/identity/protocols/oauth2/web-server#offline",
    bodies: tokenRequest(CLIENT, { "code_verifier?": string() }),
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
