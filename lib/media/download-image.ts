// A small image as bytes, for networks that do not fetch it themselves: the picture of a card, the cover of a video.
import { readUpTo } from "../services/safe-fetch.ts";
import type { FetchPage } from "./link-tags.ts";
import { sniffMimeType } from "./sniff-type.ts";

const TIMEOUT_MS = 10_000;

export interface DownloadedImage {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
}

/** Null when it cannot be used: a card or a video is shown without it. */
export async function downloadImage(
  fetchImage: FetchPage,
  url: string,
  { maxBytes, types }: { maxBytes: number; types: readonly string[] },
): Promise<DownloadedImage | null> {
  try {
    const response = await fetchImage(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok || Number(response.headers.get("content-length") ?? 0) > maxBytes) {
      await response.body?.cancel();
      return null;
    }
    const bytes = await readUpTo(response.body, maxBytes);
    const type = bytes && sniffMimeType(bytes);
    return bytes && type && types.includes(type) ? { bytes, type } : null;
  } catch {
    return null;
  }
}
