// Reads media files for networks that want bytes: their size, and one range at a time, never the whole file.
import { failure, type Job, type MediaFile } from "./platform.ts";

type Io = Pick<Job, "fetchMedia">;

// Covers reading the stream too, so it must not end before the upload that drinks from it.
const OPEN_TIMEOUT_MS = 300_000;

/** The size of a file: what is known of it, else HEAD, else the total that a one-byte range names. */
export async function sizeOf(io: Io, file: MediaFile): Promise<number> {
  if (file.bytes !== null) return file.bytes;
  const head = await open(io, file.url, { method: "HEAD" });
  const length = Number(head.headers.get("content-length") ?? Number.NaN);
  if (head.ok && length > 0) return length;
  const probe = await open(io, file.url, { headers: { range: "bytes=0-0" } });
  await probe.body?.cancel();
  const total = Number(/\/(\d+)$/.exec(probe.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);
  if (probe.status === 206 && total > 0) return total;
  throw unreachable(probe.status);
}

/** Opens the bytes `first`..`last` (inclusive) of a file whose size is known, as a stream. */
export async function openRange(
  io: Io,
  url: string,
  range: { first: number; last: number; total: number },
): Promise<ReadableStream> {
  const response = await open(io, url, { headers: { range: `bytes=${range.first}-${range.last}` } });
  const whole = range.first === 0 && range.last === range.total - 1;
  const expected = `bytes ${range.first}-${range.last}/${range.total}`;
  const fits = response.status === 206 ? response.headers.get("content-range") === expected : whole && response.ok;
  if (fits && response.body) return response.body;
  await response.body?.cancel();
  if (response.ok || response.status === 416) {
    throw failure({
      class: "content",
      code: "media_changed",
      message: "The media file is not the one that was checked: its size changed. Upload it again and post anew.",
    });
  }
  throw unreachable(response.status);
}

async function open(io: Io, url: string, init: RequestInit): Promise<Response> {
  try {
    return await io.fetchMedia(url, { ...init, signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) });
  } catch {
    throw unreachable(null);
  }
}

function unreachable(status: number | null) {
  const final = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return failure({
    class: final ? "content" : "transient",
    code: "media_unreachable",
    message: final
      ? `The media URL answers ${status}. Give a URL that can be read without signing in.`
      : "The media URL does not answer. We try again by ourselves.",
  });
}
