// The bytes of an uploaded object: range reads for its index, one stream for the rest, both within budgets.
import { LIMITS } from "./limits.ts";
import type { MediaSource } from "./media-source.ts";
import { openSequentialReader, type SequentialReader } from "./sequential-reader.ts";
import { getVerificationFailure, verificationError } from "./verification-error.ts";

/** A source with read budgets that distinguishes storage errors from damaged files. */
export interface BudgetedSource {
  source: MediaSource;
  /** All bytes of an object that is small enough to be read at once. */
  whole: Uint8Array | null;
  /** Reads the whole object once, in order. */
  reader: SequentialReader;
  /** The first error of storage itself, which is not the fault of the file. */
  getStorageFailure(): { error: unknown } | null;
}

/** Reads small objects whole. Reads of larger ones are limited, because crafted tables can cause endless reads. */
export async function openBudgetedSource(
  source: MediaSource,
  signal: AbortSignal | undefined,
): Promise<BudgetedSource> {
  let failure: { error: unknown } | null = null;
  let reads = 0;
  let bytes = 0;

  async function recordFailure<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      signal?.throwIfAborted();
      return await work();
    } catch (error) {
      if (!getVerificationFailure(error)) failure ??= { error };
      throw error;
    }
  }

  const maxBytes = source.size * LIMITS.readAmplification + LIMITS.readSlack;
  const fetchRange = (offset: number, length: number) =>
    recordFailure(async () => {
      const chunk = await source.read(offset, length);
      if (chunk.byteLength !== length) throw new Error(`Storage returned ${chunk.byteLength} of ${length} bytes.`);
      return chunk;
    });

  const whole = source.size <= LIMITS.wholeObject ? await fetchRange(0, source.size) : null;

  async function read(offset: number, length: number): Promise<Uint8Array> {
    if (offset < 0 || length < 0 || offset + length > source.size) {
      throw verificationError("truncated", "The file ends before the data that its headers declare.");
    }
    if (whole) return whole.subarray(offset, offset + length);
    reads += 1;
    bytes += length;
    if (reads > LIMITS.reads || bytes > maxBytes) {
      throw verificationError("too_complex", "The file is too complex to check: its index requires too many reads.");
    }
    return await fetchRange(offset, length);
  }

  const budgeted = { size: source.size, read, stream: () => source.stream() };
  const sequential = openSequentialReader(budgeted, whole);
  return {
    source: budgeted,
    whole,
    reader: {
      ...sequential,
      read: (offset, length) => recordFailure(() => sequential.read(offset, length)),
      finish: () => recordFailure(() => sequential.finish()),
    },
    getStorageFailure: () => failure,
  };
}
