// Serves small reads of a source from a few cached pages.

import { LIMITS } from "./limits.ts";
import type { MediaSource } from "./media-source.ts";

/** `pageSize` is the size of one read from the source. */
export function createPageCache(
  source: MediaSource,
  pageSize: number,
): (offset: number, length: number) => Promise<Uint8Array> {
  const cached = new Map<number, Uint8Array>();

  async function readPage(index: number): Promise<Uint8Array> {
    const found = cached.get(index);
    if (found) return found;
    const start = index * pageSize;
    const fresh = await source.read(start, Math.min(pageSize, source.size - start));
    const oldest = cached.keys().next();
    if (cached.size >= LIMITS.cachedPages && !oldest.done) cached.delete(oldest.value);
    cached.set(index, fresh);
    return fresh;
  }

  return async (offset, length) => {
    const end = Math.min(offset + length, source.size);
    if (end <= offset) return new Uint8Array(0);
    const first = Math.floor(offset / pageSize);
    const last = Math.floor((end - 1) / pageSize);
    const head = await readPage(first);
    if (first === last) return head.subarray(offset - first * pageSize, end - first * pageSize);
    return await source.read(offset, end - offset);
  };
}
