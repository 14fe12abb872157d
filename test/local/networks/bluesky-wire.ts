// Bluesky's errors, tokens and the rules of its post record, for the stand-in.
import { randomUUID } from "node:crypto";
import type { Answer, NetworkAccount } from "./network.ts";

export const SERVER = "pds.example.test";
export const COLLECTION = "app.bsky.feed.post";

export interface Blob {
  account: string;
  sha256: string;
  bytes: number;
  type: string;
}

export function fault(status: number, error: string, message: string): Answer {
  return { status, body: { error, message } };
}

const REFUSALS: Record<string, readonly [number, string]> = {
  ExpiredToken: [400, "Token has expired"],
  InvalidToken: [400, "Token could not be verified"],
  AuthMissing: [401, "Authentication Required"],
  AccountTakedown: [401, "Account has been taken down"],
  AccountSuspended: [401, "Account has been suspended"],
  AccountDeactivated: [401, "Account is deactivated"],
  RepoNotFound: [400, "Could not find repo"],
  BlobTooLarge: [400, "This file is too large. It is 1.2MB but the maximum size is 976.56KB."],
  InvalidMimeType: [400, "Wrong type of file. It is image/heic but it must match image/*."],
  InvalidRecord: [400, "Invalid app.bsky.feed.post record"],
  BlobNotFound: [400, "Could not find blob: bafkrei"],
  PayloadTooLarge: [413, "request entity too large"],
  RecordAlreadyExists: [400, "A record exists under this key already"],
  unconfirmed_email: [401, "Please confirm your email before uploading videos."],
  upload_limit: [400, "You have exceeded your daily video upload limit (videos)"],
  UpstreamFailure: [502, "Upstream Failure"],
};

export function refusalOf(code: string): Answer {
  const [status, message] = REFUSALS[code] ?? [400, `Scripted refusal ${code}`];
  return fault(status, REFUSALS[code] ? code : "InvalidRequest", message);
}

export function tooMany(limit: number): Answer {
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(Math.floor(Date.now() / 1000) + 600),
    "ratelimit-policy": `${limit};w=3600`,
  };
  return { ...fault(429, "RateLimitExceeded", "Rate Limit Exceeded"), headers };
}

/** A token in the form of Bluesky's own: what it claims can be read by anyone. */
export function jwt(did: string, scope: string, seconds: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const claims = { scope, sub: did, iat: now, exp: now + seconds, jti: randomUUID() };
  return `${part({ typ: "at+jwt", alg: "ES256K" })}.${part(claims)}.${part("signature")}`;
}

export function didDocOf(account: NetworkAccount) {
  const service = [
    { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: `https://${SERVER}` },
    { id: "#other", type: "Other", serviceEndpoint: "https://other.example.test" },
  ];
  return { id: account.externalId, service: service.toReversed() };
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const utf8 = new TextEncoder();

type Json = Record<string, unknown>;

/** What is wrong with a post record, null when nothing is. */
export function recordFault(record: Json, rkey: string, blobOf: (link: string) => Blob | undefined): Answer | null {
  const wrong = (why: string) => fault(400, "InvalidRequest", `Invalid ${COLLECTION} record: ${why}`);
  if (!/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(rkey)) return wrong("rkey must be a TID");
  const text = record.text;
  if (record.$type !== COLLECTION || typeof text !== "string") return wrong('Record must have the property "text"');
  if (Number.isNaN(Date.parse(String(record.createdAt)))) return wrong("createdAt must be a datetime");
  if (utf8.encode(text).length > 3_000) return wrong("text must not be longer than 3000 characters");
  if ([...graphemes.segment(text)].length > 300) return wrong("text must not be longer than 300 graphemes");
  for (const facet of (record.facets ?? []) as Json[]) {
    if (!facetFits(facet, utf8.encode(text))) return wrong("facet index is out of range or cuts a character");
  }
  return record.embed === undefined ? null : embedFault(record.embed as Json, blobOf);
}

function facetFits(facet: Json, bytes: Uint8Array): boolean {
  const { byteStart, byteEnd } = facet.index as { byteStart: number; byteEnd: number };
  if (!(byteStart >= 0 && byteEnd > byteStart && byteEnd <= bytes.length)) return false;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.slice(byteStart, byteEnd)) !== "";
  } catch {
    return false;
  }
}

export function linksOf(embed: Json | undefined): string[] {
  const images = (embed?.images ?? []) as { image: { ref: { $link: string } } }[];
  const video = embed?.video as { ref: { $link: string } } | undefined;
  return [...images.map(({ image }) => image.ref.$link), ...(video ? [video.ref.$link] : [])];
}

function embedFault(embed: Json, blobOf: (link: string) => Blob | undefined): Answer | null {
  const links = linksOf(embed);
  const isVideo = embed.$type === "app.bsky.embed.video";
  if (links.length < 1 || links.length > 4 || !(isVideo || embed.$type === "app.bsky.embed.images")) {
    return fault(400, "InvalidRequest", `Invalid ${COLLECTION} record: embed is malformed`);
  }
  for (const link of links) {
    const blob = blobOf(link);
    if (!blob) return fault(400, "BlobNotFound", `Could not find blob: ${link}`);
    if (isVideo ? blob.type !== "video/mp4" : !blob.type.startsWith("image/")) {
      return fault(400, "InvalidMimeType", `Wrong type of file. It is ${blob.type}.`);
    }
    if (blob.bytes > (isVideo ? 100_000_000 : 1_000_000)) {
      return fault(400, "BlobTooLarge", `This file is too large. It is ${blob.bytes} bytes.`);
    }
  }
  return null;
}
