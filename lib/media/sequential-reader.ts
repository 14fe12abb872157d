// Streams an object once from start to end: hashes all bytes, and returns ranges of them to the checks.
import { createHash } from "node:crypto";
import { createStreamReader, type StreamReader } from "../shared/stream-reader.ts";
import { LIMITS } from "./limits.ts";
import type { MediaSource } from "./media-source.ts";
import { createPageCache } from "./page-cache.ts";
import { verificationError } from "./verification-error.ts";

export interface SequentialReader {
  readonly size: number;
  /** Like `read`, but synchronous: null when the bytes are not buffered. */
  tryRead(offset: number, length: number): Uint8Array | null;
  /** The result is valid until the next call. Bytes before the buffer cost an extra range read. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Reads the rest. Returns the lower-case hex SHA-256 of the whole object. */
  finish(): Promise<string>;
  /** Cancels the stream, wherever it is. */
  close(): Promise<void>;
}

/** `whole` is the object if it is in memory already. */
export function openSequentialReader(source: MediaSource, whole: Uint8Array | null): SequentialReader {
  const hash = createHash("sha256");
  const readPassed = createPageCache(source, LIMITS.readerChunkBytes);
  let streamReader: StreamReader | null = null;
  let buffer = whole ?? new Uint8Array(0);
  /** Offset of the buffer in the object, and how many of its bytes are filled. */
  let start = 0;
  let filled = buffer.length;
  hash.update(buffer);

  /** Drops the bytes before `from`, and makes space for `length` bytes from there plus one more read. */
  function makeSpace(from: number, length: number): void {
    const dropped = Math.min(from - start, filled);
    const capacity = length + LIMITS.readerChunkBytes;
    const next = capacity > buffer.length ? new Uint8Array(Math.max(capacity, LIMITS.readerBufferBytes)) : buffer;
    if (next === buffer) buffer.copyWithin(0, dropped, filled);
    else next.set(buffer.subarray(dropped, filled));
    buffer = next;
    start += dropped;
    filled -= dropped;
  }

  async function advance(): Promise<void> {
    streamReader ??= createStreamReader(await source.stream(), LIMITS.readerChunkBytes);
    const chunk = await streamReader.read(buffer, filled);
    if (chunk.bytes === 0) throw new Error(`Storage streamed ${start + filled} of ${source.size} bytes.`);
    buffer = chunk.buffer;
    hash.update(buffer.subarray(filled, filled + chunk.bytes));
    filled += chunk.bytes;
    if (start + filled > source.size) throw new Error(`Storage streamed more than ${source.size} bytes.`);
  }

  function readBuffered(offset: number, length: number): Uint8Array | null {
    const inside = offset >= start && offset + length <= start + filled;
    return inside ? buffer.subarray(offset - start, offset - start + length) : null;
  }

  return {
    size: source.size,
    tryRead: readBuffered,

    async read(offset, length) {
      const end = offset + length;
      if (offset < 0 || end > source.size)
        throw verificationError("truncated", "The file ends before the data that its headers declare.");
      if (offset < start) return await readPassed(offset, length);
      while (end > start + filled) {
        if (buffer.length - filled < LIMITS.readerChunkBytes) makeSpace(offset, length);
        await advance();
      }
      return buffer.subarray(offset - start, end - start);
    },

    async finish() {
      while (start + filled < source.size) {
        makeSpace(start + filled, 0);
        await advance();
      }
      return hash.digest("hex");
    },

    async close() {
      await streamReader?.close();
    },
  };
}
