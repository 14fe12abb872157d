// Videos of the simulated Facebook: upload sessions with verified offsets, processing, publishing.

import { createHash } from "node:crypto";
import type { NetworkContext } from "./context.ts";
import { graphError, missingObjectError } from "./meta-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readFields,
} from "./network.ts";
import { addBytes, digestFile, startFile, type UploadedFile } from "./uploaded-file.ts";

/** The largest chunk that a response requests. */
const MAX_CHUNK_BYTES = 1024 * 1024;
const MAX_COVER_BYTES = 10_000_000;
const MAX_VIDEO_BYTES = 1_750_000_000;

interface Video {
  id: string;
  session: string;
  page: string;
  size: number;
  file: UploadedFile;
  closedAt: number | null;
  reads: number;
  /** The error code of failed processing. */
  error: number | null;
}

export function createVideoUploads(context: NetworkContext, published: PublishedItem[]) {
  const videos = context.map<Video>("videos");

  function start(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const size = Number(readFields(request).file_size);
    if (!Number.isInteger(size) || size <= 0) return graphError(400, 100, null, "Param file_size is required");
    if (size > MAX_VIDEO_BYTES) return graphError(400, 100, 1363023, "The video file you selected is too large.");
    const video: Video = {
      id: context.nextId("10"),
      session: context.nextId("30"),
      page: page.externalId,
      size,
      file: startFile(),
      closedAt: null,
      reads: 0,
      error: null,
    };
    videos.set(video.id, video);
    return {
      status: 200,
      body: { video_id: video.id, upload_session_id: video.session, ...getOffsets(video) },
    };
  }

  function findOpenUpload(page: NetworkAccount, session: string | undefined): Video | null {
    const video = [...videos.values()].find((one) => one.session === session);
    return video && video.page === page.externalId && video.closedAt === null ? video : null;
  }

  function transfer(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const parts = parseFormParts(request);
    const text = (name: string) => parts.get(name)?.toString("utf8");
    const video = findOpenUpload(page, text("upload_session_id"));
    if (!video) return graphError(400, 100, 1363041, "This upload session is not valid.");
    const chunk = parts.get("video_file_chunk");
    if (!chunk || chunk.length === 0) return graphError(400, 100, 1363020, "No video file was selected.");
    if (Number(text("start_offset")) !== video.file.bytes) {
      return graphError(400, 6001, 1363037, "There was a problem uploading your video. Please try again.", {
        error_data: getOffsets(video),
      });
    }
    if (chunk.length > MAX_CHUNK_BYTES || video.file.bytes + chunk.length > video.size)
      return graphError(400, 6001, 1363045, "The sizes do not match.");
    addBytes(video.file, chunk);
    return { status: 200, body: getOffsets(video) };
  }

  /** A cover comes with the other fields in one multipart form. */
  function finish(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const parts = parseFormParts(request);
    const thumb = parts.get("thumb");
    parts.delete("thumb");
    const fields: Record<string, string> = isMultipart(request)
      ? Object.fromEntries([...parts].map(([name, value]) => [name, String(value)]))
      : readFields(request);
    if (thumb && (thumb.length === 0 || thumb.length > MAX_COVER_BYTES)) return graphError(400, 100, null, "Bad thumb");
    const video = findOpenUpload(page, fields.upload_session_id);
    if (!video) return graphError(400, 100, 1363041, "This upload session is not valid.");
    if (video.file.bytes < video.size) return graphError(400, 6001, 1363033, "The upload was interrupted.");
    video.closedAt = context.now();
    const { description, title, upload_phase, upload_session_id, ...settings } = fields;
    published.push({
      id: video.id,
      account: page.externalId,
      kind: "video",
      caption: description ?? "",
      ...(title === undefined ? {} : { title }),
      media: [{ sha256: digestFile(video.file), bytes: video.file.bytes }],
      settings: thumb ? { ...settings, cover: createHash("sha256").update(thumb).digest("hex") } : settings,
      at: new Date(context.now()).toISOString(),
      url: `https://www.facebook.com/${page.externalId}/videos/${video.id}/`,
    });
    return { status: 200, body: { success: true } };
  }

  function read(page: NetworkAccount, id: string): NetworkResponse {
    const video = videos.get(id);
    if (!video || video.page !== page.externalId) return missingObjectError(id, "GET");
    return { status: 200, body: { id, ...getState(video) } };
  }

  function getState(video: Video) {
    const uploading_phase = {
      status: video.file.bytes < video.size ? "in_progress" : "complete",
      bytes_transferred: video.file.bytes,
    };
    return describeState(context, video, video.closedAt, uploading_phase, `/${video.page}/videos/${video.id}/`);
  }

  function failProcessing(id: string, code: number): NetworkResponse | null {
    const video = videos.get(id);
    if (!video) return null;
    failVideo(video, published, id, code);
    return { status: 200, body: { id, ...getState(video) } };
  }

  return { start, transfer, finish, read, failProcessing };
}

/** The phases of a video, and its address once it is published. `own`: what the phase of publishing has beside its state. */
export function describeState(
  { now, timing }: NetworkContext,
  video: Pick<Video, "error" | "reads">,
  closedAt: number | null,
  uploading_phase: { status: string },
  permalink_url: string,
  own: object = {},
) {
  const phases = (video_status: string, processing_phase: object, status = "not_started") => ({
    status: { video_status, uploading_phase, processing_phase, publishing_phase: { status, ...own } },
    published: status === "complete",
  });
  if (video.error !== null) {
    const errors = [{ code: video.error, message: "There was a problem processing your video." }];
    return phases("error", { status: "error", errors });
  }
  if (closedAt === null)
    return phases(uploading_phase.status === "complete" ? "upload_complete" : "uploading", { status: "not_started" });
  video.reads += 1;
  if (now() < closedAt + timing.processingMs || video.reads <= timing.processingPolls)
    return phases("processing", { status: "in_progress" });
  return { ...phases("ready", { status: "complete" }, "complete"), permalink_url };
}

function getOffsets(video: Video) {
  // Strings, as in real responses.
  return {
    start_offset: String(video.file.bytes),
    end_offset: String(Math.min(video.file.bytes + MAX_CHUNK_BYTES, video.size)),
  };
}

/** Fails processing with this code and removes the published video. */
export function failVideo(
  video: { error: number | null },
  published: PublishedItem[],
  postId: string,
  code: number,
): void {
  video.error = code;
  const at = published.findIndex(({ id }) => id === postId);
  if (at >= 0) published.splice(at, 1);
}

/** The requests of this phase of an upload; a part of a file names none. */
export const inPhase =
  (phase: "start" | "transfer" | "finish") =>
  (request: NetworkRequest): boolean =>
    phase ===
    (isMultipart(request)
      ? String(parseFormParts(request).get("upload_phase") ?? "transfer")
      : readFields(request).upload_phase);

const isMultipart = (request: NetworkRequest) =>
  /^multipart\/form-data/.test(request.headers.get("content-type") ?? "");

/** Parses a multipart form into the bytes of each field. */
function parseFormParts(request: NetworkRequest): Map<string, Buffer> {
  const parts = new Map<string, Buffer>();
  const boundary = /boundary=([^;]+)/.exec(request.headers.get("content-type") ?? "")?.[1];
  if (!boundary) return parts;
  const delimiter = `--${boundary}`;
  let at = request.body.indexOf(delimiter);
  while (at >= 0) {
    const headersEnd = request.body.indexOf("\r\n\r\n", at);
    const next = request.body.indexOf(`\r\n${delimiter}`, at);
    if (headersEnd < 0 || next < 0) break;
    const name = /name="([^"]+)"/.exec(request.body.subarray(at, headersEnd).toString("latin1"))?.[1];
    if (name) parts.set(name, request.body.subarray(headersEnd + 4, next));
    at = next + 2;
  }
  return parts;
}
