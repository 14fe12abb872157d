// Request bodies: read with a ceiling, parsed as JSON whatever the content type says.
import { refuse } from "./errors.ts";

const MAX_BYTES = 1024 * 1024;

/** The parsed body; an empty one reads as no fields. Throws 413 over 1 MiB and 400 when it is not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("invalid_json", "The body is not valid JSON.");
  }
}

/** The body as it was sent, for whoever needs it to the byte. Throws 413 over 1 MiB. */
export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BYTES) throw tooLarge();
  if (!request.body) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let [text, bytes] = ["", 0];
  try {
    for await (const chunk of request.body) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) throw tooLarge();
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw refuse("invalid_json", "The body is not valid UTF-8.");
    throw error;
  }
}

function tooLarge() {
  return refuse("payload_too_large", "The body is larger than 1 MiB. Upload media with POST /files instead.");
}
