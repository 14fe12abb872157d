// Reads a stream into a buffer of ours in large pieces: by the chunk, a Worker gets 4 KiB at a time.
import { LIMITS } from "./limits.ts";

export interface Pieces {
  /** Fills the buffer behind its first `held` bytes. The buffer handed in is spent, its content is in the one handed out. */
  read(buffer: Uint8Array, held: number): Promise<{ buffer: Uint8Array; bytes: number }>;
  close(): Promise<void>;
}

interface Piece {
  done: boolean;
  value?: Uint8Array | undefined;
}

/** Workers can wait for a full buffer; elsewhere chunks are large enough, and `min` fails on bodies made from memory. */
interface ByteReader {
  read(view: Uint8Array): Promise<Piece>;
  readAtLeast?(bytes: number, view: Uint8Array): Promise<Piece>;
  cancel(): Promise<void>;
}

export function piecesOf(stream: ReadableStream<Uint8Array>): Pieces {
  const reader = byteReader(stream);
  return reader ? byBytes(reader) : byChunks(stream.getReader());
}

/** Null for a stream that is no byte stream; nothing is locked then. */
function byteReader(stream: ReadableStream<Uint8Array>): ByteReader | null {
  try {
    return stream.getReader({ mode: "byob" }) as unknown as ByteReader;
  } catch {
    return null;
  }
}

function byBytes(reader: ByteReader): Pieces {
  return {
    async read(buffer, held) {
      const room = buffer.subarray(held);
      const least = Math.min(LIMITS.tapeRead, room.length);
      const { value } = await (reader.readAtLeast?.(least, room) ?? reader.read(room));
      if (!value) return { buffer, bytes: 0 };
      return { buffer: new Uint8Array(value.buffer), bytes: value.byteLength };
    },
    close: () => reader.cancel().catch(() => undefined),
  };
}

function byChunks(reader: ReadableStreamDefaultReader<Uint8Array>): Pieces {
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async read(buffer, held) {
      while (rest.length === 0) {
        const { done, value } = await reader.read();
        if (done) return { buffer, bytes: 0 };
        rest = value;
      }
      const part = rest.subarray(0, buffer.length - held);
      buffer.set(part, held);
      rest = rest.subarray(part.length);
      return { buffer, bytes: part.length };
    },
    close: () => reader.cancel().catch(() => undefined),
  };
}
