// YouTube's resumable upload: queries the progress and sends the remaining chunks from the media URL.
import { type NetworkResponse, pickString, sendRequest, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import type { Job, MediaFile } from "../platform.ts";
import { uploadSessionLost } from "../upload-session.ts";
import { assertSuccess } from "./errors.ts";
import { YOUTUBE } from "./rules.ts";

const CHUNK_TIMEOUT_MS = 300_000;

export interface Session {
  sessionUrl: string;
  size: number;
}

export type UploadStatus =
  | { state: "partial"; bytes: number }
  | { state: "complete"; videoId: string }
  /** YouTube does not know the session. */
  | { state: "gone" };

/** Queries how much of the file a session has received; read only. */
export async function queryUpload(job: Job, { sessionUrl, size }: Session): Promise<UploadStatus> {
  const reply = await sendRequest(job, {
    network: "YouTube",
    method: "PUT",
    url: sessionUrl,
    bearer: job.connection.accessToken,
    headers: { "content-range": `bytes */${size}` },
  });
  return readUploadStatus(job, reply);
}

/** Sends the bytes after the `from` bytes that YouTube has; returns the id of the video. */
export async function sendRemaining(job: Job, session: Session, file: MediaFile, from: number): Promise<string> {
  let next = from;
  while (next < session.size) {
    const arrived = await sendChunk(job, session, file, next);
    if (arrived.state === "complete") return arrived.videoId;
    if (arrived.state === "gone") throw uploadSessionLost("YouTube");
    // YouTube's byte count is authoritative and may be within the chunk; without progress the state is unknown.
    if (arrived.bytes <= next) throw unanswered("YouTube", "upload_stuck");
    next = arrived.bytes;
  }
  throw unanswered("YouTube", "upload_without_video");
}

async function sendChunk(job: Job, session: Session, file: MediaFile, first: number): Promise<UploadStatus> {
  const { size } = session;
  const last = Math.min(first + YOUTUBE.chunkBytes, size) - 1;
  const body = await openRange(job, file.url, { first, last, total: size });
  const reply = await sendRequest(job, {
    network: "YouTube",
    method: "PUT",
    url: session.sessionUrl,
    bearer: job.connection.accessToken,
    headers: {
      "content-type": file.mimeType ?? "video/mp4",
      "content-length": String(last - first + 1),
      "content-range": `bytes ${first}-${last}/${size}`,
    },
    body,
    timeoutMs: CHUNK_TIMEOUT_MS,
    irreversible: true,
  });
  return readUploadStatus(job, reply);
}

/** 308 means "continue", not a redirect: its Range header has the received bytes and is absent for none. */
function readUploadStatus(job: Job, reply: NetworkResponse): UploadStatus {
  if (reply.status === 308) {
    const last = /^bytes=0-(\d+)$/.exec(reply.headers.get("range") ?? "")?.[1];
    return { state: "partial", bytes: last === undefined ? 0 : Number(last) + 1 };
  }
  if (reply.status === 404 || reply.status === 410) return { state: "gone" };
  assertSuccess(job, reply);
  const videoId = pickString(reply.body, "id");
  if (!videoId) throw unanswered("YouTube", "upload_without_id");
  return { state: "complete", videoId };
}
