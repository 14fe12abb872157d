// Sends media to X segment by segment: one of them in memory at a time, never a whole file.
import { call, pick, pickNumber, pickString, type Reply, unanswered } from "../http.ts";
import { openRange, sizeOf } from "../media.ts";
import type { Job } from "../platform.ts";
import { largest, type Piece, refused } from "./content.ts";
import { expectSuccess, NETWORK } from "./errors.ts";
import { X } from "./rules.ts";

const SEGMENT_TIMEOUT_MS = 60_000;

export interface Uploaded {
  id: string;
  /** X still works on it: to be asked for until it is done. */
  pending: boolean;
}

export async function uploadPiece(job: Job, piece: Piece): Promise<Uploaded> {
  const size = await sizeOf(job, piece.file);
  if (size > largest(piece.category)) {
    const most = `${Math.floor(largest(piece.category) / 1024 / 1024)} MiB`;
    throw refused("media_too_large", `The file has ${size} bytes, X takes at most ${most}. Give a smaller one.`);
  }
  const id = await initialize(job, piece, size);
  for (let segment = 0; segment * X.segmentBytes < size; segment++) await append(job, piece, id, segment, size);
  const done = await api(job, "POST", `media/upload/${id}/finalize`, {});
  const state = pickString(done.body, "data", "processing_info", "state");
  return { id, pending: state !== null && state !== "succeeded" };
}

async function initialize(job: Job, piece: Piece, size: number): Promise<string> {
  const reply = await api(job, "POST", "media/upload/initialize", {
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

async function append(job: Job, piece: Piece, id: string, segment: number, total: number): Promise<void> {
  const first = segment * X.segmentBytes;
  const last = Math.min(first + X.segmentBytes, total) - 1;
  const stream = await openRange(job, piece.file.url, { first, last, total });
  const form = new FormData();
  form.set("segment_index", String(segment));
  form.set("media", await new Response(stream).blob(), "media");
  await api(job, "POST", `media/upload/${id}/append`, { body: form, timeoutMs: SEGMENT_TIMEOUT_MS });
}

export type UploadState = { done: true } | { done: false; afterMs: number } | { done: false; failed: unknown };

export async function askUpload(job: Job, id: string): Promise<UploadState> {
  const reply = await api(job, "GET", "media/upload", { query: { command: "STATUS", media_id: id } });
  const info = pick(reply.body, "data", "processing_info");
  const state = pickString(info, "state");
  if (state === "failed") return { done: false, failed: info };
  if (state === null || state === "succeeded") return { done: true };
  return { done: false, afterMs: (pickNumber(info, "check_after_secs") ?? 5) * 1000 };
}

/** Any call of the API v2; only the publishing one says that it can not be undone. */
export async function api(
  job: Job,
  method: "GET" | "POST",
  path: string,
  rest: {
    json?: unknown;
    body?: FormData;
    query?: Record<string, string | undefined>;
    timeoutMs?: number;
    irreversible?: boolean;
  },
): Promise<Reply> {
  const url = `${job.network.baseUrl}/2/${path}`;
  const reply = await call(job, { network: NETWORK, method, url, bearer: job.connection.accessToken, ...rest });
  expectSuccess(job, reply);
  return reply;
}
