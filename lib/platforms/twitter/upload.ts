// Uploads media to X in segments; only one segment is in memory at a time. Videos and GIFs resume after the segments that
// X has; images, at most five segments, are sent again.
import { pick, pickNumber, pickString, unanswered } from "../http.ts";
import { getMediaSize, openRange } from "../media.ts";
import { contentFailure, type Job } from "../platform.ts";
import { getPartRange, restartIfRejected, sendPart, uploadSessionLost } from "../upload-session.ts";
import { request, requestRaw } from "./api.ts";
import { getMaxBytes, type MediaItem } from "./content.ts";
import { assertSuccess, NETWORK } from "./errors.ts";
import { X } from "./rules.ts";

const SEGMENT_TIMEOUT_MS = 60_000;

export interface UploadedMedia {
  id: string;
  /** X is still processing it; poll until it is done. */
  pending: boolean;
}

/** An upload that has begun, with the segments that X has. */
export interface SegmentedUpload {
  id: string;
  size: number;
  segmentBytes: number;
  sent: number;
  /** In milliseconds; X forgets the segments then. */
  expiresAt: number;
}

export function isSegmented({ category }: MediaItem): boolean {
  return category !== "tweet_image";
}

export async function beginUpload(
  job: Job,
  piece: MediaItem,
  preferredBytes: number = X.segmentBytes,
): Promise<SegmentedUpload> {
  const size = await getMediaSize(job, piece.file);
  if (size > getMaxBytes(piece.category)) {
    const most = `${Math.floor(getMaxBytes(piece.category) / 1024 / 1024)} MiB`;
    throw contentFailure(
      "media_too_large",
      `The file has ${size} bytes, but X allows at most ${most}. Use a smaller one.`,
    );
  }

  const response = await request(job, "POST", "media/upload/initialize", {
    json: {
      media_type: piece.file.mimeType ?? piece.fallbackType,
      media_category: piece.category,
      total_bytes: size,
    },
  });
  const id = pickString(response.body, "data", "id");
  if (!id) throw unanswered(NETWORK, "upload_without_id");
  const seconds = pickNumber(response.body, "data", "expires_after_secs") ?? X.uploadSeconds;
  const segmentBytes = Math.max(preferredBytes, Math.ceil(size / X.segments));
  return { id, size, segmentBytes, sent: 0, expiresAt: job.now().getTime() + seconds * 1000 };
}

/**
 * Sends the next segment; null when X has all of them. X has no use for segments of two sizes, so after a 413 the returned
 * upload is a new one, with segments half the size.
 */
export async function sendNextSegment(
  job: Job,
  piece: MediaItem,
  upload: SegmentedUpload,
): Promise<SegmentedUpload | null> {
  if (job.now().getTime() >= upload.expiresAt) throw uploadSessionLost(NETWORK);
  const range = getPartRange(upload.sent, { partBytes: upload.segmentBytes, total: upload.size });
  if (!range) return null;
  const isTooLarge = await sendPart(async () => {
    const form = new FormData();
    form.set("segment_index", String(upload.sent));
    form.set("media", await new Response(await openRange(job, piece.file.url, range)).blob(), "media");
    const path = `media/upload/${upload.id}/append`;
    const response = await requestRaw(job, "POST", path, { body: form, timeoutMs: SEGMENT_TIMEOUT_MS });
    if (response.status === 413) return true;
    // X accepted segments of this form before, so the upload is what it does not know any more.
    if (upload.sent > 0 && [400, 404, 410].includes(response.status)) throw uploadSessionLost(NETWORK);
    assertSuccess(job, response);
    return false;
  });
  if (isTooLarge) return beginUpload(job, piece, halveSegments(upload));
  return { ...upload, sent: upload.sent + 1 };
}

/** Throws when X would not take that many segments, or none of that size. */
function halveSegments({ size, segmentBytes }: SegmentedUpload): number {
  const half = Math.floor(segmentBytes / 2);
  if (half >= Math.max(X.leastSegmentBytes, size / X.segments)) return half;
  throw contentFailure(
    "x_media_too_large",
    `X takes at most ${X.segments} segments of a file and refuses segments of ${segmentBytes} bytes, which a file of ${size} bytes needs. Use a smaller one.`,
  );
}

export async function finishUpload(job: Job, { id }: SegmentedUpload): Promise<UploadedMedia> {
  const done = await restartIfRejected(request(job, "POST", `media/upload/${id}/finalize`));
  const state = pickString(done.body, "data", "processing_info", "state");
  return { id, pending: state !== null && state !== "succeeded" };
}

/** Setting it again changes nothing, so an attempt that is repeated may. */
export async function describeMedia(job: Job, id: string, { file, category }: MediaItem): Promise<void> {
  if (!file.altText || category === "tweet_video") return;
  const metadata = { alt_text: { text: file.altText } };
  await request(job, "POST", "media/metadata", { json: { id, metadata } });
}

export async function uploadWhole(job: Job, piece: MediaItem): Promise<UploadedMedia> {
  let upload = await beginUpload(job, piece);
  for (let next: SegmentedUpload | null = upload; next; next = await sendNextSegment(job, piece, upload)) upload = next;
  const uploaded = await finishUpload(job, upload);
  await describeMedia(job, uploaded.id, piece);
  return uploaded;
}

export type UploadState = { done: true } | { done: false; afterMs: number } | { done: false; failed: unknown };

export async function pollUpload(job: Job, id: string): Promise<UploadState> {
  const response = await request(job, "GET", "media/upload", { query: { command: "STATUS", media_id: id } });
  const info = pick(response.body, "data", "processing_info");
  const state = pickString(info, "state");
  if (state === "failed") return { done: false, failed: info };
  if (state === null || state === "succeeded") return { done: true };
  return { done: false, afterMs: (pickNumber(info, "check_after_secs") ?? 5) * 1000 };
}
