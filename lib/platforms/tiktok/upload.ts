// Uploads a video to TikTok in chunks, each streamed from the media URL.
import { sendRequest, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import type { Job } from "../platform.ts";
import { uploadSessionLost } from "../upload-session.ts";
import { TIKTOK } from "./rules.ts";

const CHUNK_TIMEOUT_MS = 300_000;

export interface ChunkPlan {
  size: number;
  chunkSize: number;
  chunkCount: number;
}

/** As TikTok requires, the chunk count is rounded down and the last chunk contains the remainder. */
export function planChunks(size: number): ChunkPlan {
  if (size <= TIKTOK.wholeBytes) return { size, chunkSize: size, chunkCount: 1 };
  return { size, chunkSize: TIKTOK.chunkBytes, chunkCount: Math.floor(size / TIKTOK.chunkBytes) };
}

/** Returns the bytes of chunk `index`, both ends inclusive. */
export function getChunkRange(plan: ChunkPlan, index: number): { first: number; last: number; total: number } {
  const first = index * plan.chunkSize;
  const last = index === plan.chunkCount - 1 ? plan.size - 1 : first + plan.chunkSize - 1;
  return { first, last, total: plan.size };
}

/** Sends the bytes after the `arrived` bytes that TikTok already has. */
export async function sendChunks(
  io: Pick<Job, "fetch" | "fetchMedia" | "now">,
  upload: ChunkPlan & { uploadUrl: string; mimeType: string; mediaUrl: string; arrived: number },
): Promise<void> {
  for (let index = Math.floor(upload.arrived / upload.chunkSize); index < upload.chunkCount; index++) {
    await sendChunk(io, upload, index);
  }
}

async function sendChunk(
  io: Pick<Job, "fetch" | "fetchMedia" | "now">,
  upload: ChunkPlan & { uploadUrl: string; mimeType: string; mediaUrl: string },
  index: number,
): Promise<void> {
  const range = getChunkRange(upload, index);
  const body = await openRange(io, upload.mediaUrl, range);
  const response = await sendRequest(io, {
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
  if (response.status === expected) return;
  // 416 means that TikTok has other bytes than assumed, and other success codes are undocumented: the status decides.
  if (response.status === 416 || response.status < 400) throw unanswered("TikTok", `upload_http_${response.status}`);
  throw uploadSessionLost("TikTok");
}
