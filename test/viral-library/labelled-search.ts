// Measures search on paraphrases.jsonl: 125 queries over 500 posts, each relevant to one query. The 25 queries of the split
// `tuning` choose the cutoff and the weights; the other hundred are for figures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { searchViralPosts } from "../../lib/queries/viral.ts";
import { ViralQuery } from "../../lib/schemas/viral.ts";
import type { Db } from "../../lib/services/database.ts";
import type { ViralPostLine } from "../local/corpus/viral.ts";
import { localEmbedder } from "../local/embedding-model.ts";
import { toRows } from "../support/rows.ts";

export interface LabelledQuery {
  split: "tuning" | "reported";
  theme: string;
  q: string;
  /** The captions of the posts that answer it. */
  posts: string[];
}

export const LABELLED_QUERIES: LabelledQuery[] = readFileSync(join(import.meta.dirname, "paraphrases.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** Results of each query that count. */
const TOP = 10;
/** A cutoff that every post passes. */
export const NO_CUTOFF = 2;
/** https://cormack.uwaterloo.ca/cormacksigir09-rrf.pdf, read 2026-11-24 */
const RANK_CONSTANT = 60;

const toPostId = (query: number, post: number) => `labelled-${query}-${post}`;
const toStoredId = (query: number, post: number) => `tiktok_${toPostId(query, post)}`;

/** The 500 posts, with nothing but their captions. */
export const LABELLED_POSTS: ViralPostLine[] = LABELLED_QUERIES.flatMap(({ posts }, query) =>
  posts.map((caption, post) => ({
    platform: "tiktok",
    id: toPostId(query, post),
    content_type: "video",
    link: `https://www.tiktok.com/@labelled/video/${query}-${post}`,
    category: "other",
    caption,
    date_published: "2026-11-01",
    metrics: { views: 20_000 },
  })),
);

const queryVectors = new Map<string, number[]>();

/** Embeds each query once, so that measuring it again takes the database only. */
export async function embedQuery(q: string): Promise<number[]> {
  const known = queryVectors.get(q);
  if (known) return known;
  const [vector = []] = await localEmbedder.embed([q]);
  queryVectors.set(q, vector);
  return vector;
}

/** The ids of all matches in order, by the query that the API runs. */
export async function rankByMeaning(db: Db, q: string, cutoff: number): Promise<string[]> {
  const vector = await embedQuery(q);
  const { ids } = await searchViralPosts(db, ViralQuery.parse({ limit: "40" }), { vector, cutoff });
  return ids;
}

/** The ids of posts with any word of the query, best first, by Postgres full text search. */
export async function rankByWords(db: Db, q: string): Promise<string[]> {
  const words = (q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" or ");
  const text = sql`to_tsvector('english', caption)`;
  const result = await db.execute(sql`
    select id from viral_posts, websearch_to_tsquery('english', ${words}) query
    where ${text} @@ query order by ts_rank(${text}, query) desc, id limit 500`);
  return toRows<{ id: string }>(result).map(({ id }) => id);
}

/** Reciprocal rank fusion; `wordWeight` is the weight of words beside 1 for meaning. */
export function fuseRanks(byMeaning: string[], byWords: string[], wordWeight: number): string[] {
  const scores = new Map<string, number>();
  const add = (ids: string[], weight: number) => {
    for (const [at, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_CONSTANT + at + 1));
  };
  add(byMeaning, 1);
  add(byWords, wordWeight);
  return [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
}

/** Mean NDCG@10 of the queries of a split. */
export async function measureNdcg(
  split: LabelledQuery["split"],
  rank: (q: string) => string[] | Promise<string[]>,
): Promise<number> {
  const scores: number[] = [];
  for (const [query, { q, posts, split: of }] of LABELLED_QUERIES.entries()) {
    if (of !== split) continue;
    const relevant = new Set(posts.map((_, post) => toStoredId(query, post)));
    const gains = (await rank(q)).slice(0, TOP).map((id, at) => (relevant.has(id) ? toGain(at) : 0));
    scores.push(sum(gains) / sum(Array.from({ length: Math.min(TOP, relevant.size) }, (_, at) => toGain(at))));
  }
  return sum(scores) / scores.length;
}

const toGain = (at: number) => 1 / Math.log2(at + 2);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
