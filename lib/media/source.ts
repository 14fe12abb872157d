// Where the bytes of an uploaded object come from: ranged reads for the checks, one stream for the hash.
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";

export interface MediaSource {
  size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The whole object, once and in order. */
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/** A source with budgets. `failed` keeps an error of the storage itself, so that nobody takes it for damage. */
export interface Guarded {
  source: MediaSource;
  /** All bytes, when the object is small enough to have been read at once. */
  whole: Uint8Array | null;
  failed(): { error: unknown } | null;
}

/** Reads small objects whole; otherwise counts reads and bytes, so that crafted tables cannot keep us reading. */
export async function guard(source: MediaSource, signal: AbortSignal | undefined): Promise<Guarded> {
  let failure: { error: unknown } | null = null;
  let reads = 0;
  let bytes = 0;
  const maxBytes = source.size * LIMITS.readAmplification + LIMITS.readSlack;

  async function fetchRange(offset: number, length: number): Promise<Uint8Array> {
    try {
      signal?.throwIfAborted();
      const chunk = await source.read(offset, length);
      if (chunk.byteLength !== length) throw new Error(`Storage returned ${chunk.byteLength} of ${length} bytes.`);
      return chunk;
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  const whole = source.size <= LIMITS.wholeObject ? await fetchRange(0, source.size) : null;

  async function read(offset: number, length: number): Promise<Uint8Array> {
    if (offset < 0 || length < 0 || offset + length > source.size) {
      throw refuse("truncated", "The file ends before the data that it announces.");
    }
    if (whole) return whole.subarray(offset, offset + length);
    reads += 1;
    bytes += length;
    if (reads > LIMITS.reads || bytes > maxBytes) {
      throw refuse("too_complex", "The file is built in a way that takes too much work to check.");
    }
    return await fetchRange(offset, length);
  }

  return { source: { size: source.size, read, stream: () => source.stream() }, whole, failed: () => failure };
}

/** Small reads served from a few kept pages; `pageSize` is the size of one read from the source. */
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
