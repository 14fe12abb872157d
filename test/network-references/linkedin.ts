// LinkedIn: fields of the reference of its Community Management API, one operation a row, with the page as its source.

import { CLIENT, tokenRequest } from "./consent-parts.ts";
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

const COMMUNITY = "https://learn.microsoft.com/en-us/linkedin/marketing/community-management";
const SHARES = `${COMMUNITY}/shares`;
const author = string({ pattern: "^urn:li:(person|organization):[\\w-]+$" });
const asset = string({ pattern: "^urn:li:(image|video|document):[\\w-]+$" });

/** https://learn.microsoft.com/en-us/linkedin/marketing/versioning */
const headers: JsonSchema = {
  type: "object",
  required: ["authorization", "linkedin-version", "x-restli-protocol-version"],
  properties: {
    "linkedin-version": string({ pattern: "^20\\d\\d(0[1-9]|1[0-2])$" }),
    "x-restli-protocol-version": literal("2.0.0"),
  },
};

// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/post-api-schema
const post = {
  author,
  commentary: string(),
  visibility: literal("PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"),
  distribution: object({
    feedDistribution: literal("MAIN_FEED", "NONE"),
    "targetEntities?": list({ type: "object" }),
    "thirdPartyDistributionChannels?": list({ type: "object" }),
  }),
  lifecycleState: literal("PUBLISHED", "DRAFT"),
  "isReshareDisabledByAuthor?": boolean,
  "container?": string(),
  "contentLandingPage?": string(),
  "content?": {
    oneOf: [
      object({ media: object({ id: asset, "title?": string(), "altText?": string() }) }),
      object({
        article: object({
          source: string({ pattern: "^https?://" }),
          title: string({ minLength: 1, maxLength: 400 }),
          "description?": string({ maxLength: 4_086 }),
          "thumbnail?": string({ pattern: "^urn:li:image:" }),
          "thumbnailAltText?": string(),
        }),
      }),
      object({
        multiImage: object({
          images: list(object({ id: string({ pattern: "^urn:li:image:" }), "altText?": string() }), {
            minItems: 2,
            maxItems: 20,
          }),
        }),
      }),
    ],
  },
};
const stored = {
  ...post,
  id: string(),
  "createdAt?": integer(),
  "publishedAt?": integer(),
  "lastModifiedAt?": integer(),
};

const action = object({ action: literal("initializeUpload", "finalizeUpload") });
const initialize = (more: Record<string, JsonSchema>) =>
  object({ initializeUploadRequest: object({ owner: author, ...more }) });
const uploaded = (kind: string, more: Record<string, JsonSchema>) =>
  object({ value: object({ [kind]: asset, ...more }) });

function describeAsset(kind: "image" | "document"): Operation[] {
  const source = `${SHARES}/${kind}s-api`;
  return [
    {
      method: "POST",
      path: `/rest/${kind}s`,
      source,
      query: action,
      headers,
      bodies: { "application/json": initialize({}) },
      answer: uploaded(kind, { uploadUrlExpiresAt: integer(), uploadUrl: string() }),
    },
    { method: "GET", path: `/rest/${kind}s/{urn}`, source, headers },
  ];
}

const operations: Operation[] = [
  {
    method: "POST",
    path: "/rest/posts",
    source: `${SHARES}/posts-api`,
    headers,
    bodies: { "application/json": object(post) },
  },
  {
    method: "GET",
    path: "/rest/posts",
    source: `${SHARES}/posts-api`,
    headers: { ...headers, required: [...(headers.required as string[]), "x-restli-method"] },
    query: object({
      q: literal("author"),
      author,
      "count?": integer({ minimum: 1, maximum: 100 }),
      "start?": integer(),
      "sortBy?": literal("LAST_MODIFIED", "CREATED"),
    }),
    answer: object({ elements: list(object(stored)), "paging?": { type: "object" } }),
  },
  {
    method: "GET",
    path: "/rest/posts/{urn}",
    source: `${SHARES}/posts-api`,
    headers,
    query: object({ "viewContext?": literal("READER", "AUTHOR") }),
    answer: object(stored),
  },
  {
    method: "GET",
    path: "/v2/userinfo",
    source: "https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2",
    answer: object({ sub: string(), name: string(), "locale?": {} }),
  },
  {
    method: "GET",
    path: "/rest/organizationalEntityShareStatistics",
    source: `${COMMUNITY}/organizations/share-statistics`,
    headers,
    query: object({
      q: literal("organizationalEntity"),
      organizationalEntity: string({ pattern: "^urn:li:organization:\\d+$" }),
      "shares?": string({ pattern: "^List\\(urn:li:share:\\w+(,urn:li:share:\\w+)*\\)$" }),
      "ugcPosts?": string({ pattern: "^List\\(urn:li:ugcPost:\\w+(,urn:li:ugcPost:\\w+)*\\)$" }),
    }),
  },
  {
    method: "GET",
    path: "/rest/memberCreatorPostAnalytics",
    source: `${COMMUNITY}/members/post-statistics`,
    headers,
    query: object({
      q: literal("entity"),
      entity: string({ pattern: "^\\((share|ugc):urn:li:(share|ugcPost):\\w+\\)$" }),
      queryType: literal("IMPRESSION", "MEMBERS_REACHED", "RESHARE", "REACTION", "COMMENT", "POST_SAVE"),
      aggregation: literal("TOTAL", "DAILY"),
    }),
  },
  {
    method: "POST",
    path: "/rest/posts/{urn}",
    source: `${SHARES}/posts-api`,
    headers: {
      ...headers,
      required: [...(headers.required as string[]), "x-restli-method"],
      properties: { ...(headers.properties as object), "x-restli-method": literal("PARTIAL_UPDATE") },
    },
    bodies: { "application/json": object({ patch: object({ $set: object({ commentary: string() }) }) }) },
  },
  { method: "DELETE", path: "/rest/posts/{urn}", source: `${SHARES}/posts-api`, headers },
  ...describeAsset("image"),
  ...describeAsset("document"),
  {
    method: "POST",
    path: "/rest/videos",
    source: `${SHARES}/videos-api`,
    query: action,
    headers,
    bodies: {
      "application/json": {
        oneOf: [
          initialize({ fileSizeBytes: integer({ minimum: 1 }), uploadCaptions: boolean, uploadThumbnail: boolean }),
          object({
            finalizeUploadRequest: object({
              video: asset,
              uploadToken: string(),
              uploadedPartIds: list(string({ minLength: 1 }), { minItems: 1 }),
            }),
          }),
        ],
      },
    },
  },
  {
    method: "POST",
    path: "/rest/socialActions/{urn}/comments",
    source: `${SHARES}/comments-api`,
    headers,
    bodies: {
      "application/json": object({
        actor: author,
        object: string({ pattern: "^urn:li:(activity|share|ugcPost):\\d+$" }),
        message: object({ text: string({ minLength: 1 }), "attributes?": list({ type: "object" }) }),
        "content?": list({ type: "object" }),
        "parentComment?": string({ pattern: "^urn:li:comment:" }),
      }),
    },
  },
  {
    method: "GET",
    path: "/rest/socialActions/{urn}/comments",
    source: `${SHARES}/comments-api`,
    headers,
    query: object({ "start?": integer({ minimum: 0 }), "count?": integer({ minimum: 1, maximum: 100 }) }),
  },
  { method: "GET", path: "/rest/videos/{urn}", source: `${SHARES}/videos-api`, headers },
  {
    method: "PUT",
    path: "/dms-uploads/{path+}",
    source: `${SHARES}/images-api`,
    query: { type: "object" },
    headers: { type: "object", required: ["content-length"] },
    bodies: { "*/*": "bytes" },
  },
  {
    method: "POST",
    path: "/oauth/v2/accessToken",
    source: "https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens",
    bodies: tokenRequest(CLIENT),
    answer: object({
      access_token: string(),
      expires_in: integer(),
      "refresh_token?": string(),
      "refresh_token_expires_in?": integer(),
      "scope?": string(),
      "id_token?": string(),
      "token_type?": string(),
    }),
  },
];

export const linkedin: Reference = {
  network: "linkedin",
  description: "fields of its reference",
  url: `${SHARES}/posts-api`,
  read: "2026-11-24",
  fixed: [
    "version 202610 was never published",
    "the end of a version was the customer's error",
    "a duplicate of a member, whose posts may not be read, was an error",
  ],
  uncovered: "hosts and lifetimes of uploads, how long a text is a duplicate",
  operations,
};
