// Fetches media as networks do.
import type { FetchedMedia } from "./context.ts";

const TIMEOUT_MS = 5_000;

/** HEAD, then the first range; errors and timeouts return `ok: false`. */
export async function fetchMedia(send: typeof fetch, url: string): Promise<FetchedMedia> {
  const nothing: FetchedMedia = { ok: false, type: "", bytes: 0 };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const head = await send(url, { method: "HEAD", signal });
    const range = await send(url, { headers: { range: "bytes=0-1023" }, signal });
    const read = (await range.arrayBuffer()).byteLength;
    if (!range.ok || read === 0) return nothing;
    const total = /\/(\d+)$/.exec(range.headers.get("content-range") ?? "")?.[1] ?? head.headers.get("content-length");
    const type = (range.headers.get("content-type") ?? "").split(";")[0] ?? "";
    return { ok: true, type, bytes: Number(total ?? read) };
  } catch {
    return nothing;
  }
}
