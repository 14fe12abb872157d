// Reads a stream into a caller's buffer in large chunks: with a default reader, a Worker gets only 4 KiB per read.

export interface StreamReader {
  /** Appends after the first `filled` bytes. The passed buffer is transferred; the result has its content. */
  read(buffer: Uint8Array, filled: number): Promise<{ buffer: Uint8Array; bytes: number }>;
  close(): Promise<void>;
}

interface StreamChunk {
  done: boolean;
  value?: Uint8Array | undefined;
}

/** `readAtLeast` exists in Workers only. Elsewhere chunks are large enough, and `min` fails on in-memory bodies. */
interface ByobReader {
  read(view: Uint8Array): Promise<StreamChunk>;
  readAtLeast?(bytes: number, view: Uint8Array): Promise<StreamChunk>;
  cancel(): Promise<void>;
}

/** A read waits for `minBytes`, the free part of the buffer or the end, whichever comes first, where the runtime supports it. */
export function createStreamReader(stream: ReadableStream<Uint8Array>, minBytes: number): StreamReader {
  const reader = getByobReader(stream);
  return reader ? createByobStreamReader(reader, minBytes) : createChunkStreamReader(stream.getReader());
}

/** Null for a stream that is not a byte stream, which stays unlocked. */
function getByobReader(stream: ReadableStream<Uint8Array>): ByobReader | null {
  try {
    return stream.getReader({ mode: "byob" }) as unknown as ByobReader;
  } catch {
    return null;
  }
}

function createByobStreamReader(reader: ByobReader, minBytes: number): StreamReader {
  return {
    async read(buffer, filled) {
      const rest = buffer.subarray(filled);
      const least = Math.min(minBytes, rest.length);
      const { value } = await (reader.readAtLeast?.(least, rest) ?? reader.read(rest));
      if (!value) return { buffer, bytes: 0 };
      return { buffer: new Uint8Array(value.buffer), bytes: value.byteLength };
    },
    close: () => reader.cancel().catch(() => undefined),
  };
}

function createChunkStreamReader(reader: ReadableStreamDefaultReader<Uint8Array>): StreamReader {
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async read(buffer, filled) {
      while (rest.length === 0) {
        const { done, value } = await reader.read();
        if (done) return { buffer, bytes: 0 };
        rest = value;
      }
      const part = rest.subarray(0, buffer.length - filled);
      buffer.set(part, filled);
      rest = rest.subarray(part.length);
      return { buffer, bytes: part.length };
    },
    close: () => reader.cancel().catch(() => undefined),
  };
}
