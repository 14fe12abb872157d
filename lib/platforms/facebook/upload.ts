// Uploads a video in the chunks that Facebook requests, each streamed from the media URL.
import { parseJson } from "../../shared/parse-json.ts";
import { pick, pickNumber, pickString, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import { assertSuccess, readMetaError } from "../meta.ts";
import { failure, getFailure, type Job } from "../platform.ts";
import { uploadSessionLost } from "../upload-session.ts";
import { DIALECT, SUBCODES } from "./errors.ts";
import { NETWORK, requestGraphRaw } from "./graph.ts";

const CHUNK_TIMEOUT_MS = 300_000;
/** One attempt resends this many chunks before it leaves the rest to a later attempt. */
const MAX_RESENDS = 3;

/** The bytes from `start` to `end`, exclusive; equal when the upload is complete. */
export interface ByteWindow {
  start: number;
  end: number;
}

export interface Upload {
  sessionId: string;
  size: number;
}

/** Sends the missing bytes, beginning with `window`. Nothing becomes visible, so no failure leaves an open outcome. */
export async function sendVideo(
  job: Job,
  upload: Upload,
  video: { url: string; mimeType: string },
  window: ByteWindow,
): Promise<void> {
  let next = window;
  let resends = 0;
  while (next.start < next.end) {
    try {
      const after = await sendChunk(job, upload, video, next);
      // Facebook may request earlier bytes again; the number of repeats is limited.
      if (after.start <= next.start) resends += 1;
      if (resends > MAX_RESENDS) throw uploadSessionLost(NETWORK);
      next = after;
    } catch (error) {
      const failed = getFailure(error);
      resends += 1;
      if (!failed || failed.restart || !["unanswered", "transient"].includes(failed.class)) throw error;
      if (resends > MAX_RESENDS) throw failure({ ...failed, class: "transient" });
    }
  }
}

async function sendChunk(
  job: Job,
  upload: Upload,
  video: { url: string; mimeType: string },
  window: ByteWindow,
): Promise<ByteWindow> {
  const length = window.end - window.start;
  const bytes = await openRange(job, video.url, { first: window.start, last: window.end - 1, total: upload.size });
  const fields = {
    upload_phase: "transfer",
    upload_session_id: upload.sessionId,
    start_offset: String(window.start),
  };
  const part = buildMultipartForm(fields, { name: "video_file_chunk", mimeType: video.mimeType, bytes, length });
  const response = await requestGraphRaw(job, "POST", `${job.connection.externalId}/videos`, {
    ...part,
    timeoutMs: CHUNK_TIMEOUT_MS,
  });
  const subcode = readMetaError(response.body)?.subcode;
  if (subcode === SUBCODES.offset) {
    return (
      readWindow(pick(response.body, "error", "error_data"), upload.size) ?? throwError(uploadSessionLost(NETWORK))
    );
  }
  if (subcode === SUBCODES.sessionGone) throw uploadSessionLost(NETWORK);
  assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT });
  return readWindow(response.body, upload.size) ?? throwError(unanswered(NETWORK, "transfer_without_offsets"));
}

/** Offsets are strings or numbers, and in errors sometimes inside a JSON string. */
export function readWindow(source: unknown, size: number): ByteWindow | null {
  const from = typeof source === "string" ? parseJson(source) : source;
  const start = readOffset(from, "start_offset");
  const end = readOffset(from, "end_offset");
  if (start === null || end === null || start > end || end > size) return null;
  // Equal offsets mean that the upload is complete, which is valid only at the end of the file.
  return start === end && end < size ? null : { start, end };
}

function readOffset(source: unknown, name: string): number | null {
  const value = pickNumber(source, name) ?? Number(pickString(source, name) ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function throwError(error: Error): never {
  throw error;
}

/** Builds a multipart form that streams one file. */
function buildMultipartForm(
  fields: Record<string, string>,
  file: { name: string; mimeType: string; bytes: ReadableStream; length: number },
): { headers: Record<string, string>; body: ReadableStream } {
  const boundary = `chunk-${crypto.randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const opening = `--${boundary}\r\nContent-Disposition: form-data; name="${file.name}"; filename="video"\r\nContent-Type: ${file.mimeType}\r\n\r\n`;
  const text = new TextEncoder();
  const head = text.encode(parts.join("") + opening);
  const tail = text.encode(`\r\n--${boundary}--\r\n`);
  const framed = file.bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(head),
      flush: (controller) => controller.enqueue(tail),
    }),
  );
  const length = head.length + file.length + tail.length;
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": String(length) },
    body: withLength(framed, length),
  };
}

/** Workers send a stream without a length unless it is a `FixedLengthStream`. */
function withLength(stream: ReadableStream, length: number): ReadableStream {
  return typeof FixedLengthStream === "undefined" ? stream : stream.pipeThrough(new FixedLengthStream(length));
}
