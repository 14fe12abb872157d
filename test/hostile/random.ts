// Random numbers from a seed: the same seed and index give the same request on every machine.
import { createHash } from "node:crypto";

export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: string) {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);

  /** Mulberry32: 0 <= result < 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, 0 <= result < below. */
  const int = (below: number): number => Math.floor(next() * below);
  const between = (min: number, max: number): number => min + int(max - min + 1);
  const chance = (probability: number): boolean => next() < probability;

  function pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("Nothing to pick from.");
    return list[int(list.length)] as T;
  }

  /** Picks a key by its weight. */
  function pickWeighted<K extends string>(weights: Record<K, number>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return (entries[0] as [K, number])[0];
  }

  const hex = (length: number): string => Array.from({ length }, () => int(16).toString(16)).join("");
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(["8", "9", "a", "b"])}${hex(3)}-${hex(12)}`;

  return { next, int, between, chance, pick, pickWeighted, hex, uuid };
}
