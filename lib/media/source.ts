// Where the bytes of an uploaded object come from: ranged reads for its index, one pass for all the rest.
import { LIMITS } from "./limits.ts";
import { refusalOf, refuse } from "./refusal.ts";
import { openTape, type Tape } from "./tape.ts";

export interface MediaSource {
  size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The whole object, once and in order. */
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/** Bytes that are already there. */
export function inMemory(bytes: Uint8Array): MediaSource {
  return {
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    stream: async () => new Blob([new Uint8Array(bytes)]).stream(),
  };
}

/** A source with budgets, which knows a failure of the storage from a damaged file. */
export interface Guarded {
  source: MediaSource;
  /** All bytes, when the object is small enough to have been read at once. */
  whole: Uint8Array | null;
  /** The one pass over the whole object. */
  tape: Tape;
  /** An error of the storage itself, so that nobody takes it for damage. */
  failed(): { error: unknown } | null;
}

/** Reads small objects whole; otherwise counts reads and bytes, so that crafted tables cannot keep us reading. */
export async function guard(source: MediaSource, signal: AbortSignal | undefined): Promise<Guarded> {
  let failure: { error: unknown } | null = null;
  let reads = 0;
  let bytes = 0;

  async function noted<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      signal?.throwIfAborted();
      return await work();
    } catch (error) {
      if (!refusalOf(error)) failure ??= { error };
      throw error;
    }
  }

  const maxBytes = source.size * LIMITS.readAmplification + LIMITS.readSlack;
  const fetchRange = (offset: number, length: number) =>
    noted(async () => {
      const chunk = await source.read(offset, length);
      if (chunk.byteLength !== length) throw new Error(`Storage returned ${chunk.byteLength} of ${length} bytes.`);
      return chunk;
    });

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

  const guarded = { size: source.size, read, stream: () => source.stream() };
  const tape = openTape(guarded, whole);
  return {
    source: guarded,
    whole,
    tape: {
      ...tape,
      take: (offset, length) => noted(() => tape.take(offset, length)),
      finish: () => noted(() => tape.finish()),
    },
    failed: () => failure,
  };
}
