// Reads media files for networks that need bytes: the size, and one range at a time, never the whole file.
import { contentFailure, failure, type Job, type Media, type MediaFile } from "./platform.ts";

type MediaContext = Pick<Job, "fetchMedia">;

// The timeout also covers reading the stream, so it must outlast the upload that consumes it.
const OPEN_TIMEOUT_MS = 300_000;

/** The images of a slideshow. Throws for a carousel of images and videos, which this network does not have. */
export function getImages(media: Exclude<Media, { type: "video" }>): MediaFile[] {
  if (media.type === "slideshow") return media.images;
  throw contentFailure(
    "content_kind_unsupported",
    "The network has no carousels that mix images and videos. Send one video, or images only.",
  );
}

/** Returns the size of a file: the known size, else from HEAD, else from the total of a one-byte range request. */
export async function getMediaSize(io: MediaContext, file: MediaFile): Promise<number> {
  if (file.bytes !== null) return file.bytes;
  const head = await fetchMedia(io, file.url, { method: "HEAD" });
  const length = Number(head.headers.get("content-length") ?? Number.NaN);
  if (head.ok && length > 0) return length;
  const probe = await fetchMedia(io, file.url, { headers: { range: "bytes=0-0" } });
  await probe.body?.cancel();
  const total = Number(/\/(\d+)$/.exec(probe.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);
  if (probe.status === 206 && total > 0) return total;
  throw mediaUnreachable(probe.status);
}

/** Opens the bytes `first`..`last` (inclusive) of a file of known size as a stream. */
export async function openRange(
  io: MediaContext,
  url: string,
  range: { first: number; last: number; total: number },
): Promise<ReadableStream> {
  const response = await fetchMedia(io, url, { headers: { range: `bytes=${range.first}-${range.last}` } });
  const whole = range.first === 0 && range.last === range.total - 1;
  const expected = `bytes ${range.first}-${range.last}/${range.total}`;
  const fits = response.status === 206 ? response.headers.get("content-range") === expected : whole && response.ok;
  if (fits && response.body) return response.body;
  await response.body?.cancel();
  if (response.ok || response.status === 416) {
    throw contentFailure(
      "media_changed",
      "The size of the media file changed after validation. Upload the file again and create a new post.",
    );
  }
  throw mediaUnreachable(response.status);
}

async function fetchMedia(io: MediaContext, url: string, init: RequestInit): Promise<Response> {
  try {
    return await io.fetchMedia(url, { ...init, signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) });
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
