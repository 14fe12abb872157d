// A source from which verification reads bytes: an uploaded object, or memory.

export interface MediaSource {
  size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The whole object in order. */
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/** A source of bytes in memory. */
export function createMemorySource(bytes: Uint8Array): MediaSource {
  return {
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    stream: async () => new Blob([new Uint8Array(bytes)]).stream(),
  };
}
