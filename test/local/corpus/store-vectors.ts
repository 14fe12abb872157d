// `npx node test/local/corpus/store-vectors.ts`: embeds the generated viral posts again and replaces corpus/vectors.int8. It takes some minutes.
import { writeFileSync } from "node:fs";
import { toEmbeddingText, ViralLine } from "../../../functions/commands/import-viral.ts";
import { DIMENSIONS } from "../../../lib/ai/embeddings.ts";
import { CORPUS_VECTORS, EMBEDDING_MODEL, embedWithModel } from "../embedding-model.ts";
import { formatVectors } from "./stored-vectors.ts";
import { generateViralPosts, VIRAL_CORPUS } from "./viral.ts";

const PROGRESS_INTERVAL = 250;

const texts = new Set([...generateViralPosts(VIRAL_CORPUS)].map((line) => toEmbeddingText(ViralLine.parse(line))));
const entries: { text: string; vector: number[] }[] = [];
for (const text of texts) {
  entries.push({ text, vector: await embedWithModel(text) });
  if (entries.length % PROGRESS_INTERVAL === 0) console.log(`${entries.length} of ${texts.size} texts`);
}
const description = `${texts.size} texts of the generated viral posts by ${EMBEDDING_MODEL}, ${DIMENSIONS} numbers each; test/local/corpus/store-vectors.ts writes this file`;
writeFileSync(CORPUS_VECTORS, formatVectors(description, entries));
