// Reads media files for networks that need bytes: the size, and one range at a time, never the whole file.
import { getBodySize, UNCOMPRESSED } from "../shared/file-size.ts";
import { contentFailure, failure, getFailure, type Job, type Media, type MediaFile } from "./platform.ts";

type MediaContext = Pick<Job, "fetchMedia">;

// The timeout also covers reading the stream, so it must outlast the upload that consumes it.
const OPEN_TIMEOUT_MS = 300_000;
/** A file whose size no server names is read once more, to count it. */
const MAX_COUNTED_BYTES = 100 * 1024 ** 2;

/** The images of a slideshow. Throws for a carousel of images and videos, which this network does not have. */
export function getImages(media: Exclude<Media, { type: "video" }>): MediaFile[] {
  if (media.type === "slideshow") return media.images;
  throw contentFailure(
    "content_kind_unsupported",
    "The network has no carousels that mix images and videos. Send one video, or images only.",
  );
}

/** Returns the size of a file: the known size, else what the server names; else its bytes are counted. */
export async function getMediaSize(io: MediaContext, file: MediaFile): Promise<number> {
  if (file.bytes !== null) return file.bytes;
  const head = await fetchMedia(io, file.url, { method: "HEAD" });
  const length = getBodySize(head);
  if (head.ok && length) return length;
  const probe = await fetchMedia(io, file.url, { headers: { range: "bytes=0-0" } });
  const isPart = probe.status === 206;
  const total = isPart ? getTotal(probe) : probe.ok ? getBodySize(probe) : null;
  if (!total && !isPart) return countBytes(probe);
  await probe.body?.cancel();
  return total || countBytes(await fetchMedia(io, file.url, {}));
}

const getTotal = ({ headers }: Response) => Number(/\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] ?? 0);

async function countBytes(response: Response): Promise<number> {
  if (!response.ok) {
    await response.body?.cancel();
    throw mediaUnreachable(response.status);
  }
  let size = 0;
  try {
    // Throwing in the loop cancels the stream.
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_COUNTED_BYTES) throw sizeUnknown();
    }
  } catch (error) {
    throw getFailure(error) ? error : mediaUnreachable(null);
  }
  if (size === 0) throw contentFailure("media_unreachable", "The media URL returns an empty file.");
  return size;
}

function sizeUnknown() {
  const most = `${MAX_COUNTED_BYTES / 1024 ** 2} MiB`;
  return contentFailure(
    "media_unreachable",
    `The server of the media URL does not say how large the file is, and it has more than ${most}. Upload the file instead.`,
  );
}

/** Opens the bytes `first`..`last` (inclusive) of a file of known size as a stream. */
export async function openRange(
  io: MediaContext,
  url: string,
  range: { first: number; last: number; total: number },
): Promise<ReadableStream> {
  const response = await fetchMedia(io, url, { headers: { range: `bytes=${range.first}-${range.last}` } });
  const { status, body } = response;
  const expected = `bytes ${range.first}-${range.last}/${range.total}`;
  if (status === 206 && body && response.headers.get("content-range") === expected) return body;
  // A server without ranges sends the whole file.
  if (status === 200 && body && (getBodySize(response) ?? range.total) === range.total) return sliceStream(body, range);
  await body?.cancel();
  if (response.ok || status === 416) {
    throw contentFailure(
      "media_changed",
      "The size of the media file changed after validation. Upload the file again and create a new post.",
    );
  }
  throw mediaUnreachable(status);
}

function sliceStream(
  body: ReadableStream<Uint8Array>,
  { first, last, total }: { first: number; last: number; total: number },
): ReadableStream {
  if (first === 0 && last === total - 1) return body;
  let position = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const part = chunk.subarray(Math.max(first - position, 0), last + 1 - position);
        if (part.byteLength > 0) controller.enqueue(part);
        position += chunk.byteLength;
        if (position > last) controller.terminate();
      },
    }),
  );
}

async function fetchMedia(io: MediaContext, url: string, init: RequestInit): Promise<Response> {
  try {
    const headers = { ...init.headers, ...UNCOMPRESSED };
    return await io.fetchMedia(url, { ...init, headers, signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) });
  } catch {
    throw mediaUnreachable(null);
  }
}

function mediaUnreachable(status: number | null) {
  const final = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return failure({
    class: final ? "content" : "transient",
    code: "media_unreachable",
    message: final
      ? `The media URL returns HTTP ${status}. Use a URL that can be read without signing in.`
      : "The media URL does not respond.",
  });
}
