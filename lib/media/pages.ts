// Small reads of a source, served from a few large ones.
import { LIMITS } from "./limits.ts";
import type { MediaSource } from "./source.ts";

/** `pageSize` is the size of one read from the source. */
export function pages(source: MediaSource, pageSize: number): (offset: number, length: number) => Promise<Uint8Array> {
  const kept = new Map<number, Uint8Array>();

  async function page(index: number): Promise<Uint8Array> {
    const found = kept.get(index);
    if (found) return found;
    const start = index * pageSize;
    const fresh = await source.read(start, Math.min(pageSize, source.size - start));
    const oldest = kept.keys().next();
    if (kept.size >= LIMITS.keptPages && !oldest.done) kept.delete(oldest.value);
    kept.set(index, fresh);
    return fresh;
  }

  return async (offset, length) => {
    const end = Math.min(offset + length, source.size);
    if (end <= offset) return new Uint8Array(0);
    const first = Math.floor(offset / pageSize);
    const last = Math.floor((end - 1) / pageSize);
    const head = await page(first);
    if (first === last) return head.subarray(offset - first * pageSize, end - first * pageSize);
    return await source.read(offset, end - offset);
  };
}
