// Sends a video to a page chunk by chunk, in the lengths that Facebook's answers ask for, each streamed from where it lies.
import { pick, pickNumber, pickString, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import { expectSuccess, metaError } from "../meta.ts";
import { failure, failureOf, type Job } from "../platform.ts";
import { DIALECT, SUBCODES } from "./errors.ts";
import { NETWORK, rawGraph } from "./graph.ts";

const CHUNK_TIMEOUT_MS = 300_000;
/** How often one step sends a chunk anew before it leaves the rest to a later one. */
const HITCHES_AT_MOST = 3;

/** The bytes from `start` up to, and without, `end`; equal when everything has arrived. */
export interface Window {
  start: number;
  end: number;
}

export interface Upload {
  sessionId: string;
  size: number;
}

/** Sends what is missing, beginning with `window`. Nothing becomes visible by it, so every failure is a clear one. */
export async function sendVideo(
  job: Job,
  upload: Upload,
  video: { url: string; mimeType: string },
  window: Window,
): Promise<void> {
  let next = window;
  let hitches = 0;
  while (next.start < next.end) {
    try {
      const after = await sendChunk(job, upload, video, next);
      // Facebook may point back; bounded, because it might never stop to.
      if (after.start <= next.start) hitches += 1;
      if (hitches > HITCHES_AT_MOST) throw brokenOff();
      next = after;
    } catch (error) {
      const failed = failureOf(error);
      hitches += 1;
      if (!failed || failed.restart || !["unanswered", "transient"].includes(failed.class)) throw error;
      if (hitches > HITCHES_AT_MOST) throw failure({ ...failed, class: "transient" });
    }
  }
}

async function sendChunk(
  job: Job,
  upload: Upload,
  video: { url: string; mimeType: string },
  window: Window,
): Promise<Window> {
  const length = window.end - window.start;
  const bytes = await openRange(job, video.url, { first: window.start, last: window.end - 1, total: upload.size });
  const fields = {
    upload_phase: "transfer",
    upload_session_id: upload.sessionId,
    start_offset: String(window.start),
  };
  const part = multipart(fields, { name: "video_file_chunk", mimeType: video.mimeType, bytes, length });
  const reply = await rawGraph(job, "POST", `${job.connection.externalId}/videos`, {
    host: "video",
    ...part,
    timeoutMs: CHUNK_TIMEOUT_MS,
  });
  const subcode = metaError(reply.body)?.subcode;
  if (subcode === SUBCODES.offset) {
    return windowOf(pick(reply.body, "error", "error_data"), upload.size) ?? fail(brokenOff());
  }
  if (subcode === SUBCODES.sessionGone) throw brokenOff();
  expectSuccess(job, reply, { prefix: "fb", irreversible: false, dialect: DIALECT });
  return windowOf(reply.body, upload.size) ?? fail(unanswered(NETWORK, "transfer_without_offsets"));
}

/** Offsets come as strings or numbers, in errors sometimes inside a JSON string. */
export function windowOf(source: unknown, size: number): Window | null {
  const from = typeof source === "string" ? parsed(source) : source;
  const start = offset(from, "start_offset");
  const end = offset(from, "end_offset");
  if (start === null || end === null || start > end || end > size) return null;
  // Equal offsets mean "all here", which is only true at the end of the file.
  return start === end && end < size ? null : { start, end };
}

function offset(source: unknown, name: string): number | null {
  const value = pickNumber(source, name) ?? Number(pickString(source, name) ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fail(error: Error): never {
  throw error;
}

function brokenOff() {
  return failure({
    class: "transient",
    code: "upload_session_lost",
    message: "Facebook closed the upload before it was complete. We begin anew by ourselves.",
    restart: true,
  });
}

/** A form with one file whose bytes flow through, framed by the form's own text. */
function multipart(
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
    body: sized(framed, length),
  };
}

/** Workers send a stream chunked, without a length, unless the stream itself promises one. */
function sized(stream: ReadableStream, length: number): ReadableStream {
  return typeof FixedLengthStream === "undefined" ? stream : stream.pipeThrough(new FixedLengthStream(length));
}
