// Request bodies: limited to 1 MiB, and read as JSON whatever the content type.
// Hono's body-limit is not used: it reads a body without Content-Length in the runtime's chunks of 4 KiB, and streams it again.
import { apiError } from "../shared/errors.ts";
import { createStreamReader } from "../shared/stream-reader.ts";
import type { PipelineStep } from "./pipeline-state.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_DROPPED_BYTES = 8 * MAX_BODY_BYTES;
/** The buffer grows with the bytes that arrive: a declared length costs no memory. */
const FIRST_READ_BYTES = 64 * 1024;

/** The body as text. Throws 413 when it is too large and 400 when it is not UTF-8. */
export async function readText(request: Request): Promise<string> {
  return decode(await readBytes(request));
}

/** All of the body, also to drop it, because a client that is still sending sees no response; or 413 as soon as it is too large. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_BODY_BYTES) {
    if (declared <= MAX_DROPPED_BYTES) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
    throw tooLargeError();
  }
  if (!request.body) return new Uint8Array(0);
  const reader = createStreamReader(request.body, MAX_BODY_BYTES);
  let buffer: Uint8Array = new Uint8Array(FIRST_READ_BYTES);
  for (let filled = 0; ; ) {
    const read = await reader.read(buffer, filled);
    filled += read.bytes;
    if (read.bytes === 0) return read.buffer.subarray(0, filled);
    if (filled > MAX_BODY_BYTES) {
      await reader.close();
      throw tooLargeError();
    }
    buffer = filled < read.buffer.length ? read.buffer : enlarge(read.buffer);
  }
}

/** With room for one byte that makes the body too large. */
function enlarge(buffer: Uint8Array): Uint8Array {
  const larger = new Uint8Array(Math.min(2 * buffer.length, MAX_BODY_BYTES + 1));
  larger.set(buffer);
  return larger;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw apiError("invalid_json", "The body is not valid UTF-8. Send JSON in UTF-8, without compression.");
  }
}

function tooLargeError() {
  return apiError("payload_too_large", "The body is larger than 1 MiB. Upload media with POST /files instead.");
}

/**
 * The JSON validator reads only bodies of a JSON content type; this API reads any, and an empty body as an empty object.
 * `limit` returns which of the bytes are decoded, and may throw.
 */
export function normalizeJsonBody(limit: (bytes: Uint8Array) => Uint8Array): PipelineStep {
  return async (c, next) => {
    const text = decode(limit(await readBytes(c.req.raw))).trimEnd() || "{}";
    const headers = new Headers(c.req.raw.headers);
    headers.set("Content-Type", "application/json");
    const { url, method } = c.req.raw;
    // Hono reads the text of the request, so that it is not encoded, streamed and decoded once more.
    c.req.raw = Object.assign(new Request(url, { method, headers }), { text: () => Promise.resolve(text) });
    await next();
  };
}
