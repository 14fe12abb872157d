// Errors, tokens and post record validation of the simulated Bluesky.
import { createHash, randomUUID } from "node:crypto";
import type { NetworkAccount, NetworkResponse } from "./network.ts";

export const SERVER = "pds.example.test";
export const COLLECTION = "app.bsky.feed.post";

export interface Blob {
  account: string;
  sha256: string;
  bytes: number;
  type: string;
}

export function errorResponse(status: number, error: string, message: string): NetworkResponse {
  return { status, body: { error, message } };
}

const ERRORS: Record<string, readonly [number, string]> = {
  ExpiredToken: [400, "Token has expired"],
  InvalidToken: [400, "Token could not be verified"],
  AuthMissing: [401, "Authentication Required"],
  AccountTakedown: [401, "Account has been taken down"],
  AccountSuspended: [401, "Account has been suspended"],
  AccountDeactivated: [401, "Account is deactivated"],
  RepoNotFound: [400, "Could not find repo"],
  BlobTooLarge: [400, "This file is too large. It is 2.2MB but the maximum size is 1.91MB."],
  InvalidMimeType: [400, "Wrong type of file. It is image/heic but it must match image/*."],
  InvalidRecord: [400, "Invalid app.bsky.feed.post record"],
  BlobNotFound: [400, "Could not find blob: bafkrei"],
  PayloadTooLarge: [413, "request entity too large"],
  RecordAlreadyExists: [400, "A record exists under this key already"],
  unconfirmed_email: [401, "Please confirm your email before uploading videos."],
  upload_limit: [400, "You have exceeded your daily video upload limit (videos)"],
  UploadExpired: [400, "The upload session expired"],
  UpstreamFailure: [502, "Upstream Failure"],
};

export function namedError(code: string): NetworkResponse {
  const [status, message] = ERRORS[code] ?? [400, `Scripted error ${code}`];
  return errorResponse(status, ERRORS[code] ? code : "InvalidRequest", message);
}

export function rateLimitError(now: number, limit: number): NetworkResponse {
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(Math.floor(now / 1000) + 600),
    "ratelimit-policy": `${limit};w=3600`,
  };
  return { ...errorResponse(429, "RateLimitExceeded", "Rate Limit Exceeded"), headers };
}

/** A token in Bluesky's format, a JWT whose claims the client can read. */
export function createJwt(now: number, did: string, scope: string, seconds: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const issued = Math.floor(now / 1000);
  const claims = { scope, sub: did, iat: issued, exp: issued + seconds, jti: randomUUID() };
  return `${part({ typ: "at+jwt", alg: "ES256K" })}.${part(claims)}.${part("signature")}`;
}

export function createDidDocument(account: NetworkAccount) {
  const service = [
    { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: `https://${SERVER}` },
    { id: "#other", type: "Other", serviceEndpoint: "https://other.example.test" },
  ];
  return { id: account.externalId, service: service.toReversed() };
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const utf8 = new TextEncoder();

type Json = Record<string, unknown>;

/** Returns the error of a post record, null when it is valid. */
export function findRecordError(
  record: Json,
  rkey: string,
  findBlob: (link: string) => Blob | undefined,
): NetworkResponse | null {
  const recordError = (why: string) => errorResponse(400, "InvalidRequest", `Invalid ${COLLECTION} record: ${why}`);
  if (!/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(rkey))
    return recordError("rkey must be a TID");
  const text = record.text;
  if (record.$type !== COLLECTION || typeof text !== "string")
    return recordError('Record must have the property "text"');
  if (Number.isNaN(Date.parse(String(record.createdAt)))) return recordError("createdAt must be a datetime");
  if (utf8.encode(text).length > 3_000) return recordError("text must not be longer than 3000 characters");
  if ([...graphemes.segment(text)].length > 300) return recordError("text must not be longer than 300 graphemes");
  const langs = (record.langs ?? []) as unknown[];
  if (langs.length > 3 || langs.some((tag) => !/^[a-z]{2,3}(-[a-z\d]+)*$/i.test(String(tag)))) {
    return recordError("langs must be at most 3 language tags");
  }
  for (const facet of (record.facets ?? []) as Json[]) {
    if (!isFacetInRange(facet, utf8.encode(text)))
      return recordError("facet index is out of range or cuts a character");
  }
  return record.embed === undefined ? null : findEmbedError(record.embed as Json, findBlob);
}

const GATE = "app.bsky.feed.threadgate";
const GATE_RULES = ["mentionRule", "followerRule", "followingRule", "listRule"].map((rule) => `${GATE}#${rule}`);

/** Returns the error of the record that says who may reply to a post, null when it is valid. */
export function findThreadgateError(
  { collection, rkey, value }: { collection: string; rkey: string; value: Json },
  post: string,
): NetworkResponse | null {
  const rules = (value.allow ?? []) as Json[];
  const isValid =
    collection === GATE &&
    value.$type === GATE &&
    value.post === post &&
    post.endsWith(`/${rkey}`) &&
    rules.length <= 5;
  if (isValid && rules.every(({ $type }) => GATE_RULES.includes(String($type)))) return null;
  return errorResponse(400, "InvalidRequest", `Invalid ${GATE} record`);
}

function isFacetInRange(facet: Json, bytes: Uint8Array): boolean {
  const { byteStart, byteEnd } = facet.index as { byteStart: number; byteEnd: number };
  if (!(byteStart >= 0 && byteEnd > byteStart && byteEnd <= bytes.length)) return false;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.slice(byteStart, byteEnd)) !== "";
  } catch {
    return false;
  }
}

interface EmbeddedImage {
  image: { ref: { $link: string } };
  alt?: unknown;
  aspectRatio?: unknown;
}

export function listBlobLinks(embed: Json | undefined): string[] {
  const images = (embed?.images ?? embed?.items ?? []) as EmbeddedImage[];
  const video = embed?.video as { ref: { $link: string } } | undefined;
  const { thumb } = (embed?.external ?? {}) as { thumb?: { ref: { $link: string } } };
  const others = [video, thumb].flatMap((blob) => blob?.ref.$link ?? []);
  return [...images.map(({ image }) => image.ref.$link), ...others];
}

/** The alternative text of a file in an embed. */
export function findAlt(embed: Json, link: string): string {
  const images = (embed.images ?? embed.items ?? []) as EmbeddedImage[];
  const own = embed.video ? embed : images.find(({ image }) => image.ref.$link === link);
  return typeof own?.alt === "string" ? own.alt : "";
}

/** The most files that an embed of each kind holds. */
const EMBED_FILES: Record<string, number> = {
  "app.bsky.embed.images": 4,
  "app.bsky.embed.gallery": 20,
  "app.bsky.embed.video": 1,
  "app.bsky.embed.external": 1,
};

/** Title and description must be there; they may be empty. */
function isExternal(external: unknown): boolean {
  const { uri, title, description } = (external ?? {}) as Record<string, unknown>;
  return /^https?:/.test(String(uri)) && typeof title === "string" && typeof description === "string";
}

function findEmbedError(embed: Json, findBlob: (link: string) => Blob | undefined): NetworkResponse | null {
  const links = listBlobLinks(embed);
  const type = String(embed.$type);
  const isVideo = type === "app.bsky.embed.video";
  const isCard = type === "app.bsky.embed.external";
  if (isCard && !isExternal(embed.external)) {
    return errorResponse(400, "InvalidRequest", `Invalid ${COLLECTION} record: embed/external is malformed`);
  }
  const items = (embed.items ?? []) as EmbeddedImage[];
  const isIncomplete = items.some(({ alt, aspectRatio }) => typeof alt !== "string" || !aspectRatio);
  if ((links.length < 1 && !isCard) || links.length > (EMBED_FILES[type] ?? 0) || isIncomplete) {
    return errorResponse(400, "InvalidRequest", `Invalid ${COLLECTION} record: embed is malformed`);
  }
  for (const link of links) {
    const blob = findBlob(link);
    if (!blob) return errorResponse(400, "BlobNotFound", `Could not find blob: ${link}`);
    if (isVideo ? blob.type !== "video/mp4" : !blob.type.startsWith("image/")) {
      return errorResponse(400, "InvalidMimeType", `Wrong type of file. It is ${blob.type}.`);
    }
    if (blob.bytes > (isVideo ? 300_000_000 : isCard ? 1_000_000 : 2_000_000)) {
      return errorResponse(400, "BlobTooLarge", `This file is too large. It is ${blob.bytes} bytes.`);
    }
  }
  return null;
}

const CID_CODECS = { raw: 0x55, record: 0x71 } as const;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** A content id (CID, version 1) of a record, which its address stands for. */
export const createCid = (text: string): string => toCid("record", createHash("sha256").update(text).digest());

/** A content id of bytes: codec and SHA-256 in base 32. */
export function toCid(codec: keyof typeof CID_CODECS, digest: Uint8Array): string {
  const bits = [1, CID_CODECS[codec], 0x12, 0x20, ...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return `b${groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("")}`;
}
