// YouTube's resumable upload: queries the progress and sends the remaining chunks from the media URL.
import { type NetworkResponse, pickString, sendRequest, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import type { Job, MediaFile } from "../platform.ts";
import { uploadSessionLost } from "../upload-session.ts";
import { assertSuccess } from "./errors.ts";
import { YOUTUBE } from "./rules.ts";

const CHUNK_TIMEOUT_MS = 300_000;

export interface UploadSession {
  sessionUrl: string;
  size: number;
}

export type UploadStatus =
  | { state: "partial"; bytes: number }
  | { state: "complete"; videoId: string }
  /** HTTP 404 or 410: the session expired or does not exist. */
  | { state: "lost" };

/** Asks how many bytes the session has received. The PUT has no body and changes nothing. */
export async function queryUpload(job: Job, { sessionUrl, size }: UploadSession): Promise<UploadStatus> {
  const response = await sendRequest(job, {
    network: "YouTube",
    method: "PUT",
    url: sessionUrl,
    bearer: job.connection.accessToken,
    headers: { "content-range": `bytes */${size}` },
  });
  return readUploadStatus(job, response);
}

/**
 * Sends the file from byte `receivedBytes` on and returns the id of the video. Throws `upload_session_lost`, or
 * `unanswered` when the outcome is unknown.
 */
export async function sendRemaining(
  job: Job,
  session: UploadSession,
  file: MediaFile,
  receivedBytes: number,
): Promise<string> {
  let offset = receivedBytes;
  while (offset < session.size) {
    const uploadStatus = await sendChunk(job, session, file, offset);
    if (uploadStatus.state === "complete") return uploadStatus.videoId;
    if (uploadStatus.state === "lost") throw uploadSessionLost("YouTube");
    // YouTube may have stored only a part of the chunk, so its byte count decides. Without progress the outcome is unknown.
    if (uploadStatus.bytes <= offset) throw unanswered("YouTube", "upload_stuck");
    offset = uploadStatus.bytes;
  }
  // YouTube has every byte but returned no video id: reconcile determines the outcome.
  throw unanswered("YouTube", "upload_without_video");
}

async function sendChunk(job: Job, session: UploadSession, file: MediaFile, first: number): Promise<UploadStatus> {
  const { size } = session;
  const last = Math.min(first + YOUTUBE.chunkBytes, size) - 1;
  const body = await openRange(job, file.url, { first, last, total: size });
  const response = await sendRequest(job, {
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
    // The chunk that completes the upload publishes the video.
    irreversible: true,
  });
  return readUploadStatus(job, response);
}

/** Status 308 means "continue", not a redirect. Its Range header `bytes=0-N` names the last received byte; without it none arrived. */
function readUploadStatus(job: Job, response: NetworkResponse): UploadStatus {
  if (response.status === 308) {
    const last = /^bytes=0-(\d+)$/.exec(response.headers.get("range") ?? "")?.[1];
    return { state: "partial", bytes: last === undefined ? 0 : Number(last) + 1 };
  }
  if (response.status === 404 || response.status === 410) return { state: "lost" };
  assertSuccess(job, response);
  const videoId = pickString(response.body, "id");
  if (!videoId) throw unanswered("YouTube", "upload_without_id");
  return { state: "complete", videoId };
}
