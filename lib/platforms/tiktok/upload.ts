// Sends a video to TikTok's upload URL chunk by chunk, each streamed straight from where the file lies.
import { call, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import { failure, type Job } from "../platform.ts";
import { TIKTOK } from "./rules.ts";

const CHUNK_TIMEOUT_MS = 300_000;

export interface Plan {
  size: number;
  chunkSize: number;
  chunkCount: number;
}

/** TikTok's own arithmetic: the count is rounded down and the last chunk carries the rest. */
export function planChunks(size: number): Plan {
  if (size <= TIKTOK.chunkBytes) return { size, chunkSize: size, chunkCount: 1 };
  return { size, chunkSize: TIKTOK.chunkBytes, chunkCount: Math.floor(size / TIKTOK.chunkBytes) };
}

/** Bytes of chunk `index`, both ends inclusive. */
export function chunkRange(plan: Plan, index: number): { first: number; last: number; total: number } {
  const first = index * plan.chunkSize;
  const last = index === plan.chunkCount - 1 ? plan.size - 1 : first + plan.chunkSize - 1;
  return { first, last, total: plan.size };
}

/** Sends what is missing after the `arrived` bytes that TikTok already has. */
export async function sendChunks(
  io: Pick<Job, "fetch" | "fetchMedia" | "now">,
  upload: Plan & { uploadUrl: string; mimeType: string; mediaUrl: string; arrived: number },
): Promise<void> {
  for (let index = Math.floor(upload.arrived / upload.chunkSize); index < upload.chunkCount; index++) {
    await sendChunk(io, upload, index);
  }
}

async function sendChunk(
  io: Pick<Job, "fetch" | "fetchMedia" | "now">,
  upload: Plan & { uploadUrl: string; mimeType: string; mediaUrl: string },
  index: number,
): Promise<void> {
  const range = chunkRange(upload, index);
  const body = await openRange(io, upload.mediaUrl, range);
  const reply = await call(io, {
    network: "TikTok",
    method: "PUT",
    url: upload.uploadUrl,
    headers: {
      "content-type": upload.mimeType,
      "content-length": String(range.last - range.first + 1),
      "content-range": `bytes ${range.first}-${range.last}/${range.total}`,
    },
    body,
    timeoutMs: CHUNK_TIMEOUT_MS,
    irreversible: true,
  });
  const expected = index === upload.chunkCount - 1 ? 201 : 206;
  if (reply.status === expected) return;
  // 416: TikTok has other bytes than we believe; any other success is one we do not understand. Its status knows.
  if (reply.status === 416 || reply.status < 400) throw unanswered("TikTok", `upload_http_${reply.status}`);
  throw failure({
    class: "transient",
    code: "upload_session_lost",
    message: "TikTok closed the upload before it was complete. We begin anew by ourselves.",
    restart: true,
  });
}
