// Uploads a video to Pinterest's storage as one multipart form, streamed range by range: the one POST that the signed policy
// allows has the whole file, so there are no parts to resume, and a lost one is repeated from its start.
import { isObject, pick, pickString, sendRequest, unanswered } from "../http.ts";
import { getMediaSize, openRange } from "../media.ts";
import { failure, type Job, type MediaFile } from "../platform.ts";
import { NETWORK, request } from "./api.ts";
import { toLostUploadFailure } from "./errors.ts";

const RANGE_BYTES = 16 * 1024 * 1024;
const UPLOAD_TIMEOUT_MS = 280_000;

/** Returns the media id that the pin refers to. */
export async function uploadVideo(job: Job, file: MediaFile): Promise<string> {
  const size = await getMediaSize(job, file);
  const { body } = await request(job, "POST", "media", { json: { media_type: "video" } });
  const mediaId = pickString(body, "media_id");
  const url = pickString(body, "upload_url");
  const parameters = pick(body, "upload_parameters");
  if (!mediaId || !url || !isObject(parameters)) throw unanswered(NETWORK, "media_without_upload");
  const form = buildForm(parameters, file, `upload-${mediaId}`);
  const length = form.head.length + size + form.tail.length;
  const response = await sendRequest(job, {
    network: NETWORK,
    method: "POST",
    url,
    headers: { "content-type": `multipart/form-data; boundary=${form.boundary}`, "content-length": String(length) },
    body: streamForm(job, file.url, size, form, length),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  if (response.status >= 300) throw failure(toLostUploadFailure(`upload_http_${response.status}`));
  return mediaId;
}

interface Form {
  boundary: string;
  head: Uint8Array;
  tail: Uint8Array;
}

/** The storage requires its own fields first and the file last. */
function buildForm(parameters: Record<string, unknown>, { mimeType }: MediaFile, boundary: string): Form {
  const bytes = new TextEncoder();
  const fields = Object.entries(parameters).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="video"\r\nContent-Type: ${mimeType ?? "video/mp4"}\r\n\r\n`;
  return { boundary, head: bytes.encode(fields.join("") + file), tail: bytes.encode(`\r\n--${boundary}--\r\n`) };
}

/** The storage rejects bodies without a length, which Workers send only for a `FixedLengthStream`. */
function streamForm(job: Job, url: string, size: number, form: Form, length: number): ReadableStream {
  const { readable, writable } =
    typeof FixedLengthStream === "undefined" ? new TransformStream() : new FixedLengthStream(length);
  // An error here aborts the body, which makes the request that sends it fail.
  writeForm(job, url, size, form, writable).catch((error: unknown) => writable.abort(error).catch(() => undefined));
  return readable;
}

async function writeForm(job: Job, url: string, size: number, form: Form, into: WritableStream): Promise<void> {
  await writeChunk(into, form.head);
  for (let first = 0; first < size; first += RANGE_BYTES) {
    const last = Math.min(first + RANGE_BYTES, size) - 1;
    const range = await openRange(job, url, { first, last, total: size });
    await range.pipeTo(into, { preventClose: true });
  }
  await writeChunk(into, form.tail);
  await into.close();
}

async function writeChunk(into: WritableStream, bytes: Uint8Array): Promise<void> {
  const writer = into.getWriter();
  await writer.write(bytes);
  writer.releaseLock();
}
