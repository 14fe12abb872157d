// Bluesky: the published lexicons of every method that the driver calls, and of the records that it writes.
import type { Operation, Reference, ReferencedExchange } from "./reference.ts";

const LEXICONS = "https://github.com/bluesky-social/atproto/tree/main/lexicons";
const QUERIES = [
  "app.bsky.feed.getAuthorFeed",
  "com.atproto.identity.resolveHandle",
  "com.atproto.repo.getRecord",
  "com.atproto.server.describeServer",
  "com.atproto.server.getServiceAuth",
  "com.atproto.server.getSession",
  "app.bsky.video.getJobStatus",
];
const PROCEDURES = [
  "com.atproto.repo.applyWrites",
  "com.atproto.repo.createRecord",
  "com.atproto.repo.deleteRecord",
  "com.atproto.repo.uploadBlob",
  "com.atproto.server.createSession",
  "com.atproto.server.refreshSession",
  "app.bsky.video.uploadVideo",
  "app.bsky.video.startUpload",
  "app.bsky.video.uploadPart",
  "app.bsky.video.finishUpload",
];

/** The lexicons are large, so they are loaded for the first request only. */
async function validate(nsid: string, exchange: ReferencedExchange): Promise<string[]> {
  const { validateExchange } = await import("./bluesky-lexicons.ts");
  return validateExchange(nsid, exchange);
}

function toOperation(method: string, nsid: string): Operation {
  return {
    method,
    path: `/xrpc/${nsid}`,
    source: `${LEXICONS}/${nsid.replaceAll(".", "/")}.json`,
    validate: (exchange) => validate(nsid, exchange),
  };
}

export const bluesky: Reference = {
  network: "bluesky",
  description: "lexicons of @atproto/api 0.21.0",
  url: "https://www.npmjs.com/package/@atproto/api/v/0.21.0",
  read: "2026-11-23",
  fixed: [
    "accounts are DIDs and content ids CIDs",
    "galleries of ten images of 2,000,000 bytes",
    "videos of 300,000,000 bytes",
    "requests go to the server of the account's DID document",
  ],
  uncovered: "sizes that the video service accepts, rate limits",
  operations: [
    ...QUERIES.map((nsid) => toOperation("GET", nsid)),
    ...PROCEDURES.map((nsid) => toOperation("POST", nsid)),
  ],
};
