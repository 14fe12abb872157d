// Uploads media to X in segments; only one segment is in memory at a time.
import { type NetworkResponse, pick, pickNumber, pickString, sendRequest, unanswered } from "../http.ts";
import { getMediaSize, openRange } from "../media.ts";
import type { Job } from "../platform.ts";
import { contentFailure, getMaxBytes, type MediaItem } from "./content.ts";
import { assertSuccess, NETWORK } from "./errors.ts";
import { X } from "./rules.ts";

const SEGMENT_TIMEOUT_MS = 60_000;

export interface UploadedMedia {
  id: string;
  /** X is still processing it; poll until it is done. */
  pending: boolean;
}

export async function uploadMedia(job: Job, piece: MediaItem): Promise<UploadedMedia> {
  const size = await getMediaSize(job, piece.file);
  if (size > getMaxBytes(piece.category)) {
    const most = `${Math.floor(getMaxBytes(piece.category) / 1024 / 1024)} MiB`;
    throw contentFailure(
      "media_too_large",
      `The file has ${size} bytes, but X allows at most ${most}. Use a smaller one.`,
    );
  }
  const id = await initializeUpload(job, piece, size);
  const length = Math.max(X.segmentBytes, Math.ceil(size / X.segments));
  for (let segment = 0; segment * length < size; segment++) {
    const first = segment * length;
    await appendSegment(job, piece, id, segment, { first, last: Math.min(first + length, size) - 1, total: size });
  }
  const done = await requestApi(job, "POST", `media/upload/${id}/finalize`, {});
  const state = pickString(done.body, "data", "processing_info", "state");
  return { id, pending: state !== null && state !== "succeeded" };
}

async function initializeUpload(job: Job, piece: MediaItem, size: number): Promise<string> {
  const reply = await requestApi(job, "POST", "media/upload/initialize", {
    json: {
      media_type: piece.file.mimeType ?? piece.fallbackType,
      media_category: piece.category,
      total_bytes: size,
    },
  });
  const id = pickString(reply.body, "data", "id");
  if (!id) throw unanswered(NETWORK, "upload_without_id");
  return id;
}

async function appendSegment(
  job: Job,
  piece: MediaItem,
  id: string,
  segment: number,
  range: Parameters<typeof openRange>[2],
): Promise<void> {
  const stream = await openRange(job, piece.file.url, range);
  const form = new FormData();
  form.set("segment_index", String(segment));
  form.set("media", await new Response(stream).blob(), "media");
  await requestApi(job, "POST", `media/upload/${id}/append`, { body: form, timeoutMs: SEGMENT_TIMEOUT_MS });
}

export type UploadState = { done: true } | { done: false; afterMs: number } | { done: false; failed: unknown };

export async function pollUpload(job: Job, id: string): Promise<UploadState> {
  const reply = await requestApi(job, "GET", "media/upload", { query: { command: "STATUS", media_id: id } });
  const info = pick(reply.body, "data", "processing_info");
  const state = pickString(info, "state");
  if (state === "failed") return { done: false, failed: info };
  if (state === null || state === "succeeded") return { done: true };
  return { done: false, afterMs: (pickNumber(info, "check_after_secs") ?? 5) * 1000 };
}

/** Sends a request to the API v2; only the publishing request sets `irreversible`. */
export async function requestApi(
  job: Job,
  method: "GET" | "POST",
  path: string,
  options: {
    json?: unknown;
    body?: FormData;
    query?: Record<string, string | undefined>;
    timeoutMs?: number;
    irreversible?: boolean;
  },
): Promise<NetworkResponse> {
  const url = `${job.network.baseUrl}/2/${path}`;
  const reply = await sendRequest(job, {
    network: NETWORK,
    method,
    url,
    bearer: job.connection.accessToken,
    ...options,
  });
  assertSuccess(job, reply);
  return reply;
}
