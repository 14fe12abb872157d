// Damage that happens to files, the same in every run with the same seed.

export type Pick = (below: number) => number;

/** Numbers from a seed; mulberry32. */
export function generator(seed: number): Pick {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export const DAMAGES = {
  flipped: flip,
  zeroed: zero,
  spliced: splice,
} as const;
export type Damage = keyof typeof DAMAGES;

/** Where a file of fragments ends between two of them, what is left is a whole file. */
export function cutAt(bytes: Uint8Array, pick: Pick): Uint8Array {
  const at = 1 + pick(bytes.length - 1);
  const next = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
  return bytes.slice(0, next === "moof" || next === "mfra" ? at + 1 : at);
}

/** One to four bits. */
function flip(bytes: Uint8Array, pick: Pick): Uint8Array {
  const copy = bytes.slice();
  for (let left = 1 + pick(4); left > 0; left--) {
    const at = pick(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << pick(8));
  }
  return copy;
}

/** Up to a twentieth of the file. */
function zero(bytes: Uint8Array, pick: Pick): Uint8Array {
  const copy = bytes.slice();
  const at = pick(copy.length);
  return copy.fill(0, at, at + 1 + pick(Math.ceil(copy.length / 20)));
}

/** A piece is left out, or comes twice; more behind a whole file would be no damage to it, so it is never the last one. */
function splice(bytes: Uint8Array, pick: Pick): Uint8Array {
  const at = pick(bytes.length - 2);
  const length = 1 + pick(Math.min(Math.ceil(bytes.length / 20), bytes.length - 2 - at));
  const twice = pick(2) === 0;
  const parts = twice
    ? [bytes.subarray(0, at + length), bytes.subarray(at)]
    : [bytes.subarray(0, at), bytes.subarray(at + length)];
  return new Uint8Array(Buffer.concat(parts));
}
