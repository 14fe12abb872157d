// Random damage to files, reproducible by seed.

export type PickRandom = (below: number) => number;

/** Seeded random numbers (mulberry32). */
export function createRandom(seed: number): PickRandom {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export const DAMAGES = {
  flipped: flipBits,
  zeroed: zeroRange,
  spliced: spliceRange,
} as const;
export type DamageKind = keyof typeof DAMAGES;

/** Never truncates a fragmented file between two fragments, which would leave a valid file. */
export function truncateAtRandom(bytes: Uint8Array, pick: PickRandom): Uint8Array {
  const at = 1 + pick(bytes.length - 1);
  const next = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
  return bytes.slice(0, next === "moof" || next === "mfra" ? at + 1 : at);
}

/** Flips one to four bits. */
function flipBits(bytes: Uint8Array, pick: PickRandom): Uint8Array {
  const copy = bytes.slice();
  for (let left = 1 + pick(4); left > 0; left--) {
    const at = pick(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << pick(8));
  }
  return copy;
}

/** Zeroes up to a twentieth of the file. */
function zeroRange(bytes: Uint8Array, pick: PickRandom): Uint8Array {
  const copy = bytes.slice();
  const at = pick(copy.length);
  return copy.fill(0, at, at + 1 + pick(Math.ceil(copy.length / 20)));
}

/** Removes or repeats a range, but not the last one: bytes appended to a complete file do not damage it. */
function spliceRange(bytes: Uint8Array, pick: PickRandom): Uint8Array {
  const at = pick(bytes.length - 2);
  const length = 1 + pick(Math.min(Math.ceil(bytes.length / 20), bytes.length - 2 - at));
  const twice = pick(2) === 0;
  const parts = twice
    ? [bytes.subarray(0, at + length), bytes.subarray(at)]
    : [bytes.subarray(0, at), bytes.subarray(at + length)];
  return new Uint8Array(Buffer.concat(parts));
}
