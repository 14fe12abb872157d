// A pool of large buffers: garbage collection may free them too late when memory is short.

export interface BufferPool {
  /** A buffer of exactly `bytes` bytes; it is not cleared. */
  acquire(bytes: number): Uint8Array;
  /** The caller must not use the buffer afterwards. */
  release(buffer: Uint8Array): void;
}

export function createBufferPool(maxBytes: number): BufferPool {
  const free: Uint8Array[] = [];
  return {
    acquire(bytes) {
      const at = free.findIndex(({ length }) => length === bytes);
      const [found] = at < 0 ? [] : free.splice(at, 1);
      return found ?? new Uint8Array(bytes);
    },
    release(buffer) {
      free.push(buffer);
      let pooledBytes = free.reduce((sum, { length }) => sum + length, 0);
      while (pooledBytes > maxBytes) pooledBytes -= free.shift()?.length ?? pooledBytes;
    },
  };
}
