// An object read once from front to back: what passes is hashed, and handed to the checks on the way.
import { createHash } from "node:crypto";
import { LIMITS } from "./limits.ts";
import { pages } from "./pages.ts";
import { type Pieces, piecesOf } from "./pieces.ts";
import { refuse } from "./refusal.ts";
import type { MediaSource } from "./source.ts";

export interface Tape {
  readonly size: number;
  /** The same as `take`, without waiting; null when that would need a read. */
  held(offset: number, length: number): Uint8Array | null;
  /** Valid until the next call. Bytes that have passed already cost a read of their own. */
  take(offset: number, length: number): Promise<Uint8Array>;
  /** Lets the rest pass; lower-case hex SHA-256 of the whole object. */
  finish(): Promise<string>;
  /** Gives the connection back, however far the tape has come. */
  close(): Promise<void>;
}

/** `whole` is the object where it is in memory already. */
export function openTape(source: MediaSource, whole: Uint8Array | null): Tape {
  const hash = createHash("sha256");
  const past = pages(source, LIMITS.tapeRead);
  let pieces: Pieces | null = null;
  let buffer = whole ?? new Uint8Array(0);
  /** Where in the object the buffer begins, and how many of its bytes are filled. */
  let start = 0;
  let held = buffer.length;
  hash.update(buffer);

  /** Forgets what lies before `from`, and has room for `length` bytes from there and for one more read. */
  function makeRoom(from: number, length: number): void {
    const dropped = Math.min(from - start, held);
    const room = length + LIMITS.tapeRead;
    const next = room > buffer.length ? new Uint8Array(Math.max(room, LIMITS.tapeBytes)) : buffer;
    if (next === buffer) buffer.copyWithin(0, dropped, held);
    else next.set(buffer.subarray(dropped, held));
    buffer = next;
    start += dropped;
    held -= dropped;
  }

  async function advance(): Promise<void> {
    pieces ??= piecesOf(await source.stream());
    const piece = await pieces.read(buffer, held);
    if (piece.bytes === 0) throw new Error(`Storage streamed ${start + held} of ${source.size} bytes.`);
    buffer = piece.buffer;
    hash.update(buffer.subarray(held, held + piece.bytes));
    held += piece.bytes;
    if (start + held > source.size) throw new Error(`Storage streamed more than ${source.size} bytes.`);
  }

  function inBuffer(offset: number, length: number): Uint8Array | null {
    const inside = offset >= start && offset + length <= start + held;
    return inside ? buffer.subarray(offset - start, offset - start + length) : null;
  }

  return {
    size: source.size,
    held: inBuffer,

    async take(offset, length) {
      const end = offset + length;
      if (offset < 0 || end > source.size)
        throw refuse("truncated", "The file ends before the data that it announces.");
      if (offset < start) return await past(offset, length);
      while (end > start + held) {
        if (buffer.length - held < LIMITS.tapeRead) makeRoom(offset, length);
        await advance();
      }
      return buffer.subarray(offset - start, end - start);
    },

    async finish() {
      while (start + held < source.size) {
        makeRoom(start + held, 0);
        await advance();
      }
      return hash.digest("hex");
    },

    async close() {
      await pieces?.close();
    },
  };
}
