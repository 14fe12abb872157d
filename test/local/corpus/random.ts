// Chance that is the same on every run: a small seeded generator.

export interface Chance {
  /** 0 up to 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  one<Value>(of: readonly Value[]): Value;
  some<Value>(of: readonly Value[], count: number): Value[];
  /** Long-tailed, around `middle`. */
  skewed(middle: number): number;
}

/** Mulberry32. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const one = <Value>(of: readonly Value[]): Value => {
    const value = of[whole(0, of.length - 1)];
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  };
  const some = <Value>(of: readonly Value[], count: number): Value[] => {
    const left = [...of];
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(whole(0, left.length - 1), 1)).flat();
  };
  const skewed = (middle: number) => Math.round(middle * Math.exp((next() + next() + next() - 1.5) * 2.2));
  return { next, whole, one, some, skewed };
}
