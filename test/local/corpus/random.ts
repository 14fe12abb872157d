// A seeded random number generator, so that every run generates the same data.

export interface SeededRandom {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  sample<Value>(values: readonly Value[], count: number): Value[];
  /** A long-tailed value around `middle`. */
  logNormal(middle: number): number;
}

/** Mulberry32. */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[integer(0, values.length - 1)];
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  };
  const sample = <Value>(values: readonly Value[], count: number): Value[] => {
    const remaining = [...values];
    return Array.from({ length: Math.min(count, remaining.length) }, () =>
      remaining.splice(integer(0, remaining.length - 1), 1),
    ).flat();
  };
  const logNormal = (middle: number) => Math.round(middle * Math.exp((next() + next() + next() - 1.5) * 2.2));
  return { next, integer, pick, sample, logNormal };
}
