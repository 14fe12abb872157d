// SHA-256 of a whole object from its stream, read in large pieces because small ones cost six times the CPU.
import { createHash, type Hash } from "node:crypto";

const PIECE = 1024 * 1024;

interface Piece {
  done: boolean;
  value?: Uint8Array | undefined;
}

/** Workers can wait for a full buffer; elsewhere chunks are large enough, and `min` fails on bodies made from memory. */
interface ByteReader {
  read(view: Uint8Array): Promise<Piece>;
  readAtLeast?(bytes: number, view: Uint8Array): Promise<Piece>;
}

export async function sha256(stream: ReadableStream<Uint8Array>): Promise<{ hex: string; bytes: number }> {
  const hash = createHash("sha256");
  const bytes = (await hashByPieces(stream, hash)) ?? (await hashByChunks(stream, hash));
  return { hex: hash.digest("hex"), bytes };
}

export function sha256OfBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function hashByPieces(stream: ReadableStream<Uint8Array>, hash: Hash): Promise<number | null> {
  const reader = byteReader(stream);
  if (!reader) return null;
  let buffer = new ArrayBuffer(PIECE);
  let total = 0;
  for (;;) {
    const view = new Uint8Array(buffer);
    const { done, value } = await (reader.readAtLeast?.(PIECE, view) ?? reader.read(view));
    if (value && value.byteLength > 0) {
      hash.update(value);
      total += value.byteLength;
    }
    if (done) return total;
    // The view was transferred: its buffer comes back with the value and serves the next read.
    buffer = value ? (value.buffer as ArrayBuffer) : new ArrayBuffer(PIECE);
  }
}

async function hashByChunks(stream: ReadableStream<Uint8Array>, hash: Hash): Promise<number> {
  const reader = stream.getReader();
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return total;
    hash.update(value);
    total += value.byteLength;
  }
}

/** Null for a stream that is no byte stream: then nothing was locked and the chunks are read as they come. */
function byteReader(stream: ReadableStream<Uint8Array>): ByteReader | null {
  try {
    return stream.getReader({ mode: "byob" }) as unknown as ByteReader;
  } catch {
    return null;
  }
}
