// YouTube's resumable upload: what has arrived, and the rest of the video chunk by chunk from where the file lies.
import { call, pickString, type Reply, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import { failure, type Job, type MediaFile } from "../platform.ts";
import { expectOk } from "./errors.ts";
import { YOUTUBE } from "./rules.ts";

const CHUNK_TIMEOUT_MS = 300_000;

export interface Session {
  sessionUrl: string;
  size: number;
}

export type Arrived =
  | { state: "partial"; bytes: number }
  | { state: "complete"; videoId: string }
  /** YouTube does not know the session (any more). */
  | { state: "gone" };

/** Asks a session how much of its file has arrived; read only. */
export async function probe(job: Job, { sessionUrl, size }: Session): Promise<Arrived> {
  const reply = await call(job, {
    network: "YouTube",
    method: "PUT",
    url: sessionUrl,
    bearer: job.connection.accessToken,
    headers: { "content-range": `bytes */${size}` },
  });
  return arrivedBy(job, reply);
}

/** Sends what is missing after the `from` bytes that YouTube has; answers the id of the video. */
export async function sendRest(job: Job, session: Session, file: MediaFile, from: number): Promise<string> {
  let next = from;
  while (next < session.size) {
    const arrived = await sendChunk(job, session, file, next);
    if (arrived.state === "complete") return arrived.videoId;
    if (arrived.state === "gone") throw sessionLost();
    // YouTube's own count rules, and may lie within the chunk; without progress nobody can say what goes on.
    if (arrived.bytes <= next) throw unanswered("YouTube", "upload_stuck");
    next = arrived.bytes;
  }
  throw unanswered("YouTube", "upload_without_video");
}

async function sendChunk(job: Job, session: Session, file: MediaFile, first: number): Promise<Arrived> {
  const { size } = session;
  const last = Math.min(first + YOUTUBE.chunkBytes, size) - 1;
  const body = await openRange(job, file.url, { first, last, total: size });
  const reply = await call(job, {
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
  return arrivedBy(job, reply);
}

/** 308 is "go on" here, not a redirect: its Range names what YouTube has, and is left out for nothing. */
function arrivedBy(job: Job, reply: Reply): Arrived {
  if (reply.status === 308) {
    const last = /^bytes=0-(\d+)$/.exec(reply.headers.get("range") ?? "")?.[1];
    return { state: "partial", bytes: last === undefined ? 0 : Number(last) + 1 };
  }
  if (reply.status === 404 || reply.status === 410) return { state: "gone" };
  expectOk(job, reply);
  const videoId = pickString(reply.body, "id");
  if (!videoId) throw unanswered("YouTube", "upload_without_id");
  return { state: "complete", videoId };
}

export function sessionLost() {
  return failure({
    class: "transient",
    code: "upload_session_lost",
    message: "YouTube closed the upload before it was complete. We begin anew by ourselves.",
    restart: true,
  });
}
