// Large buffers, lent out again and again: what is left to the garbage collector goes when it likes, not when memory is short.

export interface Buffers {
  /** Of exactly so many bytes, holding whatever the last one left in it. */
  take(bytes: number): Uint8Array;
  /** Nobody may look at it afterwards. */
  giveBack(buffer: Uint8Array): void;
}

export function buffersUpTo(most: number): Buffers {
  const kept: Uint8Array[] = [];
  return {
    take(bytes) {
      const at = kept.findIndex(({ length }) => length === bytes);
      const [found] = at < 0 ? [] : kept.splice(at, 1);
      return found ?? new Uint8Array(bytes);
    },
    giveBack(buffer) {
      kept.push(buffer);
      let held = kept.reduce((sum, { length }) => sum + length, 0);
      while (held > most) held -= kept.shift()?.length ?? held;
    },
  };
}
