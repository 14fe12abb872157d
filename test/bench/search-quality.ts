// Quality of search on the labelled queries: by meaning, by Postgres full text search, and by both. The cutoff and the weights are
// chosen on 25 queries; the figures are of the other hundred.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { openDatabase } from "../../lib/services/database.ts";
import { EMBEDDING_MODEL, MAX_COSINE_DISTANCE } from "../local/embedding-model.ts";
import { median } from "../support/statistics.ts";
import {
  fuseRanks,
  LABELLED_POSTS,
  LABELLED_QUERIES,
  measureNdcg,
  NO_CUTOFF,
  rankByMeaning,
  rankByWords,
} from "../viral-library/labelled-search.ts";
import type { BenchContext, Cell, Table } from "./section.ts";
import { openViralLibrary } from "./viral-library.ts";

const CUTOFFS = [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8];
/** The share of NDCG@10 that the cutoff may cost the queries for tuning. */
const MAX_LOSS = 0.01;
const WORD_WEIGHTS = [0.1, 0.25, 0.5, 1];
const MIN_NDCG = 0.4;

const round = (value: number) => Math.round(value * 1000) / 1000;

export async function measureQuality(context: BenchContext): Promise<Table[]> {
  const library = await openViralLibrary(context, LABELLED_POSTS);
  const open = () => openDatabase(library.address, "bench");

  const ranked = new Map<string, { meaning: string[]; words: string[] }>();
  for (const { q } of LABELLED_QUERIES)
    ranked.set(q, { meaning: await rankByMeaning(open(), q, NO_CUTOFF), words: await rankByWords(open(), q) });
  const get = (q: string) => ranked.get(q) ?? { meaning: [], words: [] };

  const cutoffs = await measureCutoffs(open);
  const rows: Record<string, Cell>[] = [];
  const measure = async (by: string, rank: (q: string) => string[] | Promise<string[]>) => {
    const [tuning, reported] = [await measureNdcg("tuning", rank), await measureNdcg("reported", rank)];
    rows.push({ by, "NDCG@10 of 25 for tuning": round(tuning), "NDCG@10 of 100": round(reported) });
    return tuning;
  };
  await measure(`meaning, cutoff ${MAX_COSINE_DISTANCE}`, (q) => rankByMeaning(open(), q, MAX_COSINE_DISTANCE));
  const meaning = await measure("meaning, no cutoff", (q) => get(q).meaning);
  await measure("full text", (q) => get(q).words);
  const both: number[] = [];
  for (const weight of WORD_WEIGHTS)
    both.push(
      await measure(`both, words with weight ${weight}`, (q) => fuseRanks(get(q).meaning, get(q).words, weight)),
    );

  const broken = Number(rows[0]?.["NDCG@10 of 100"]) < MIN_NDCG ? [`NDCG@10 is under ${MIN_NDCG}`] : [];
  // The API searches by meaning alone as long as words do not add to it.
  if (both.some((tuning) => tuning > meaning * (1 + MAX_LOSS))) broken.push("both are better than meaning alone");
  const quality: Table = {
    title: "125 labelled queries over 500 posts, in other words than the posts",
    note: `Four posts answer each query. Meaning: ${EMBEDDING_MODEL}, through the query of the API. Both: reciprocal rank fusion.`,
    rows,
    counted: true,
    broken,
  };
  return [quality, cutoffs, await measureModel(context)];
}

async function measureCutoffs(open: () => Parameters<typeof rankByMeaning>[0]): Promise<Table> {
  const whole = await measureNdcg("tuning", (q) => rankByMeaning(open(), q, NO_CUTOFF));
  const rows: Record<string, Cell>[] = [];
  let chosen: number | null = null;
  for (const cutoff of CUTOFFS) {
    const matches: number[] = [];
    const ndcg = await measureNdcg("tuning", async (q) => {
      const ids = await rankByMeaning(open(), q, cutoff);
      matches.push(ids.length);
      return ids;
    });
    if (ndcg >= whole * (1 - MAX_LOSS)) chosen ??= cutoff;
    rows.push({ cutoff, "NDCG@10": round(ndcg), "matches of 500, median": median(matches) });
  }
  return {
    title: "The cutoff, chosen on the 25 queries for tuning",
    note: `The smallest that costs less than 1 % of ${round(whole)}, the NDCG@10 without a cutoff.`,
    rows,
    counted: true,
    broken: chosen === MAX_COSINE_DISTANCE ? [] : [`the local stack has ${MAX_COSINE_DISTANCE}, chosen is ${chosen}`],
  };
}

/** Run by a new process, which starts a local stack and prints what the model adds to it. */
const LOAD_MODEL = `
  const [stackUrl, modelUrl, folder] = process.argv.slice(1);
  const { startLocalStack } = await import(stackUrl);
  const { embedWithModel } = await import(modelUrl);
  const stack = await startLocalStack({ folder, fresh: true, log: () => undefined });
  const toMiB = () => Math.round(process.memoryUsage().rss / 2 ** 20);
  const before = toMiB();
  const start = performance.now();
  await embedWithModel("how to stop overspending every month");
  const ms = performance.now() - start;
  for (let at = 0; at < 50; at++) await embedWithModel("a longer query about slow mornings, tea and candles " + at);
  console.log(JSON.stringify({ ms, before, after: toMiB() }));
  await stack.close();
  process.exit();`;

/** A query whose vector is not cached, one whose vector is in Redis, and what the model takes. */
async function measureModel(context: BenchContext): Promise<Table> {
  const modules = ["../local/stack.ts", "../local/embedding-model.ts"].map(
    (file) => new URL(file, import.meta.url).href,
  );
  const folder = join(context.folder, "stack-with-model");
  const args = ["--input-type=module", "-e", LOAD_MODEL, ...modules, folder];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { ms, before, after } = JSON.parse(stdout) as { ms: number; before: number; after: number };

  const library = await openViralLibrary(context, 1000);
  const token = await library.newCustomer();
  const times = { cold: [] as number[], warm: [] as number[] };
  for (const { q } of LABELLED_QUERIES.slice(0, 9)) {
    for (const list of [times.cold, times.warm]) {
      const start = performance.now();
      await library.search(token, { q });
      list.push(performance.now() - start);
    }
  }
  const rows: Record<string, Cell>[] = [
    { what: "the local stack before its first query", ms: null, MiB: before },
    { what: "load the model and embed the first text", ms: round(ms), MiB: null },
    { what: "the local stack after 51 queries", ms: null, MiB: after },
    { what: "GET /viral-library?q=, vector not cached, median", ms: round(median(times.cold)), MiB: null },
    { what: "GET /viral-library?q=, vector cached in Redis, median", ms: round(median(times.warm)), MiB: null },
  ];
  return {
    title: "The model of the local stack",
    note: "It is loaded by the first text that has no stored vector. Times through the Worker with 1,000 posts, no latency is added.",
    rows,
    broken: [],
  };
}
