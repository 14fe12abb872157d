// Vectors for texts, learned from a corpus alone: words that keep the same company point the same way. A stand-in for an
// embedding model: random projection of co-occurrence, weighted by rarity, with what all texts have in common taken off.
import { createHash } from "node:crypto";
import { chance } from "./random.ts";

export interface Meaning {
  vectorOf(text: string): number[];
}

const SIGNS = 12;
/** Words in more than this share of texts say nothing. */
const COMMON_SHARE = 0.05;

export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize("NFKC")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

export function learn(texts: Iterable<string>, dimensions: number): Meaning {
  const documents = [...texts].map((text) => [...new Set(wordsOf(text))]);
  const frequency = new Map<string, number>();
  for (const words of documents) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log((documents.length + 1) / ((frequency.get(word) ?? 0) + 1));
  const dull = (word: string) => (frequency.get(word) ?? 0) > documents.length * COMMON_SHARE;

  const learned = new Map<string, Float64Array>();
  for (const words of documents) {
    const telling = words.filter((word) => !dull(word));
    const together = new Float64Array(dimensions);
    for (const word of telling) add(together, ownVector(word, dimensions), rarity(word));
    for (const word of telling) {
      const sum = learned.get(word) ?? new Float64Array(dimensions);
      add(sum, together, 1);
      learned.set(word, sum);
    }
  }
  for (const vector of learned.values()) normalise(vector);
  const middle = new Float64Array(dimensions);
  for (const vector of learned.values()) add(middle, vector, 1 / Math.max(1, learned.size));
  for (const vector of learned.values()) {
    add(vector, middle, -1);
    normalise(vector);
  }

  return {
    vectorOf(text) {
      const sum = new Float64Array(dimensions);
      for (const word of new Set(wordsOf(text))) {
        if (!dull(word)) add(sum, learned.get(word) ?? ownVector(word, dimensions), rarity(word));
      }
      // A text of dull words alone still gets a direction, its own.
      if (sum.every((value) => value === 0)) add(sum, ownVector(text, dimensions), 1);
      normalise(sum);
      return [...sum].map((value) => Math.round(value * 1e5) / 1e5);
    },
  };
}

const known = new Map<string, Float64Array>();

/** A few random signs at random places, the same for the same word everywhere. */
function ownVector(word: string, dimensions: number): Float64Array {
  const found = known.get(word);
  if (found?.length === dimensions) return found;
  const vector = new Float64Array(dimensions);
  const of = chance(createHash("sha256").update(word).digest().readUInt32LE());
  for (let sign = 0; sign < SIGNS; sign++) vector[of.whole(0, dimensions - 1)] = of.next() < 0.5 ? -1 : 1;
  normalise(vector);
  known.set(word, vector);
  return vector;
}

function add(to: Float64Array, vector: Float64Array, weight: number): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + (vector[at] ?? 0) * weight;
}

function normalise(vector: Float64Array): void {
  const length = Math.hypot(...vector) || 1;
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
}
