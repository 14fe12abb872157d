// A small embedding model trained on the corpus: random projection of word co-occurrence, weighted by inverse document
// frequency, with the mean vector subtracted.
import { createHash } from "node:crypto";
import { createRandom } from "./random.ts";

export interface TextVectorModel {
  embed(text: string): number[];
}

const NONZERO_COMPONENTS = 12;
/** Words in more than this share of texts are stop words. */
const STOP_WORD_SHARE = 0.05;

export function splitWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize("NFKC")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

export function trainTextVectors(texts: Iterable<string>, dimensions: number): TextVectorModel {
  const documents = [...texts].map((text) => [...new Set(splitWords(text))]);
  const documentFrequency = new Map<string, number>();
  for (const words of documents)
    for (const word of words) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1);
  const getInverseFrequency = (word: string) =>
    Math.log((documents.length + 1) / ((documentFrequency.get(word) ?? 0) + 1));
  const isStopWord = (word: string) => (documentFrequency.get(word) ?? 0) > documents.length * STOP_WORD_SHARE;

  const wordVectors = new Map<string, Float64Array>();
  for (const words of documents) {
    const contentWords = words.filter((word) => !isStopWord(word));
    const documentVector = new Float64Array(dimensions);
    for (const word of contentWords)
      addScaled(documentVector, getRandomVector(word, dimensions), getInverseFrequency(word));
    for (const word of contentWords) {
      const sum = wordVectors.get(word) ?? new Float64Array(dimensions);
      addScaled(sum, documentVector, 1);
      wordVectors.set(word, sum);
    }
  }
  for (const vector of wordVectors.values()) normalize(vector);
  const meanVector = new Float64Array(dimensions);
  for (const vector of wordVectors.values()) addScaled(meanVector, vector, 1 / Math.max(1, wordVectors.size));
  for (const vector of wordVectors.values()) {
    addScaled(vector, meanVector, -1);
    normalize(vector);
  }

  return {
    embed(text) {
      const sum = new Float64Array(dimensions);
      for (const word of new Set(splitWords(text))) {
        if (!isStopWord(word))
          addScaled(sum, wordVectors.get(word) ?? getRandomVector(word, dimensions), getInverseFrequency(word));
      }
      // A text of stop words only gets a random direction of its own.
      if (sum.every((value) => value === 0)) addScaled(sum, getRandomVector(text, dimensions), 1);
      normalize(sum);
      return [...sum].map((value) => Math.round(value * 1e5) / 1e5);
    },
  };
}

const randomVectors = new Map<string, Float64Array>();

/** A sparse random vector of +1 and -1, deterministic for each word. */
function getRandomVector(word: string, dimensions: number): Float64Array {
  const cached = randomVectors.get(word);
  if (cached?.length === dimensions) return cached;
  const vector = new Float64Array(dimensions);
  const random = createRandom(createHash("sha256").update(word).digest().readUInt32LE());
  for (let index = 0; index < NONZERO_COMPONENTS; index++)
    vector[random.integer(0, dimensions - 1)] = random.next() < 0.5 ? -1 : 1;
  normalize(vector);
  randomVectors.set(word, vector);
  return vector;
}

function addScaled(to: Float64Array, vector: Float64Array, weight: number): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + (vector[at] ?? 0) * weight;
}

function normalize(vector: Float64Array): void {
  const length = Math.hypot(...vector) || 1;
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
}
