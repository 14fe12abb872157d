// Request bodies: limited to 1 MiB, and read as JSON whatever the content type.
// Hono's body-limit is not used: it buffers a body without Content-Length whole, before anything in it can be rejected.
import { apiError } from "../shared/errors.ts";
import type { PipelineStep } from "./pipeline-state.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The body as text. Throws 413 when it is too large and 400 when it is not UTF-8. `inspect` is called with the bytes as
 * they arrive; when it throws, the rest is not decoded, but read: a client that is still sending sees no response.
 */
export async function readText(request: Request, inspect?: (bytes: Uint8Array) => void): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLargeError();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let [text, size] = ["", 0];
  let error: unknown = null;
  for await (const bytes of request.body ?? []) {
    size += bytes.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLargeError();
    if (error) continue;
    try {
      inspect?.(bytes);
      text += decode(decoder, bytes);
    } catch (thrown) {
      error = thrown;
    }
  }
  if (error) throw error;
  return text + decode(decoder);
}

function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw apiError("invalid_json", "The body is not valid UTF-8.");
  }
}

function tooLargeError() {
  return apiError("payload_too_large", "The body is larger than 1 MiB. Upload media with POST /files instead.");
}

/**
 * The JSON validator reads only bodies of a JSON content type; this API reads any, and an empty body as an empty object.
 * `createInspector` makes what `readText` calls with the bytes of one body.
 */
export function normalizeJsonBody(createInspector: () => (bytes: Uint8Array) => void): PipelineStep {
  return async (c, next) => {
    const body = (await readText(c.req.raw, createInspector())).trim() || "{}";
    const headers = new Headers(c.req.raw.headers);
    headers.set("Content-Type", "application/json");
    const { url, method } = c.req.raw;
    c.req.raw = new Request(url, { method, headers, body });
    await next();
  };
}
