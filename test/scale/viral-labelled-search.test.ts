// The embedding model of the local stack: what it finds of the labelled posts, and its stored vectors.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toEmbeddingText, ViralLine } from "../../functions/commands/import-viral.ts";
import { DIMENSIONS } from "../../lib/ai/embeddings.ts";
import { formatVectors, parseVectors } from "../local/corpus/stored-vectors.ts";
import { generateViralPosts, VIRAL_CORPUS } from "../local/corpus/viral.ts";
import { CORPUS_VECTORS, embedWithModel, MAX_COSINE_DISTANCE } from "../local/embedding-model.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { openCorpus } from "../viral-library/corpus.ts";
import { LABELLED_POSTS, measureNdcg, rankByMeaning, rankByWords } from "../viral-library/labelled-search.ts";

test("the hundred reported queries find posts that share no word with them, and full text search does not", async () => {
  const { db, close } = await openCorpus(await openSeparateDatabase("library"), LABELLED_POSTS);
  const byMeaning = await measureNdcg("reported", (q) => rankByMeaning(db, q, MAX_COSINE_DISTANCE));
  const byWords = await measureNdcg("reported", (q) => rankByWords(db, q));
  await close();
  // Measured: 0.41, and 0.06.
  expect(byMeaning).toBeGreaterThan(0.4);
  expect(byWords).toBeLessThan(0.1);
}, 240_000);

test("stored vectors are those of the model, for every hundredth post", async () => {
  const all = [...generateViralPosts(VIRAL_CORPUS)].map((line) => toEmbeddingText(ViralLine.parse(line)));
  const texts = all.filter((_, at) => at % 100 === 0);
  const stored = parseVectors(readFileSync(CORPUS_VECTORS), DIMENSIONS);
  expect(texts).toHaveLength(30);
  for (const text of texts) {
    const fresh = await embedWithModel(text);
    const cosine = stored.find(text)?.reduce((sum, value, at) => sum + value * (fresh[at] ?? 0), 0);
    expect([text, cosine]).toEqual([text, expect.closeTo(1, 3)]);
  }
  expect(all.filter((text) => !stored.find(text))).toEqual([]);
});

test("vectors that are stored are read by their text, and a damaged file is rejected", () => {
  const file = formatVectors("two texts", [
    { text: "tea", vector: [0.6, -0.8] },
    { text: "coffee", vector: [1, 0] },
  ]);
  const { size, find } = parseVectors(file, 2);
  expect([size, find("water"), find("coffee")]).toEqual([2, null, [1, 0]]);
  expect(find("tea")).toEqual([expect.closeTo(0.6, 2), expect.closeTo(-0.8, 2)]);
  expect(() => parseVectors(file.subarray(0, -1), 2)).toThrow("not of 2 numbers");
});
