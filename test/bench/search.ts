// Semantic search of the viral library: quality on labelled queries, recall compared with a full scan, latency by size.
import { performance } from "node:perf_hooks";
import { sql } from "drizzle-orm";
import { searchViralPosts } from "../../lib/queries/viral.ts";
import { ViralQuery } from "../../lib/schemas/viral.ts";
import { type Db, openDatabase } from "../../lib/services/database.ts";
import { MAX_COSINE_DISTANCE } from "../local/embedding-model.ts";
import { toRows } from "../support/rows.ts";
import { median } from "../support/statistics.ts";
import { embedQuery, LABELLED_QUERIES } from "../viral-library/labelled-search.ts";
import { measureQuality } from "./search-quality.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";
import { openViralLibrary, type ViralLibrary } from "./viral-library.ts";

/** An index of 100,000 takes the embedded engine a quarter of an hour, in which it can report nothing. */
const SIZES = { short: [1_000, 4_000], long: [3_000, 25_000] } as const;
const MAX_RATIO = 3;
const MIN_RECALL = 0.95;

const QUERIES = LABELLED_QUERIES.map(({ q }) => q);

const section: Section = {
  title: "Semantic search",

  async run(context: BenchContext) {
    const { short, log } = context;
    const [few, many] = short ? SIZES.short : SIZES.long;
    const small = await openWithDb(context, few);
    const large = await openWithDb(context, many);
    log(`${few} and ${many} posts loaded with embeddings`);
    return [
      ...(await measureQuality(context)),
      await measureRecall(context, [small, large]),
      await measureSpeed(context, small, large),
    ];
  },
};

export default section;

interface OpenedLibrary extends ViralLibrary {
  /** A new connection for every query, because the driver's fetch endpoint is global. */
  db(): Db;
}

async function openWithDb(context: BenchContext, posts: number): Promise<OpenedLibrary> {
  const library = await openViralLibrary(context, posts);
  return { ...library, db: () => openDatabase(library.address, "bench") };
}

const searchLibrary = async ({ db }: OpenedLibrary, q: string, filter: object) =>
  searchViralPosts(db(), ViralQuery.parse(filter), { vector: await embedQuery(q), cutoff: MAX_COSINE_DISTANCE });
const round = (value: number) => Math.round(value * 1000) / 1000;

const FILTERS: [name: string, filter: { max_slides?: string; app_store_ids?: string }][] = [
  ["none", {}],
  ["app_store_ids (1 in 100 posts)", { app_store_ids: Array.from({ length: 27 }, (_, at) => 1000 + at).join(",") }],
];

async function measureRecall({ log }: BenchContext, corpora: OpenedLibrary[]): Promise<Table> {
  const rows: Record<string, Cell>[] = [];
  for (const corpus of corpora) {
    for (const [name, filter] of FILTERS) {
      let relevant = 0;
      let found = 0;
      for (const q of QUERIES.filter((_, at) => at % 6 === 0)) {
        const returned = new Set((await searchLibrary(corpus, q, { ...filter, limit: "40" })).ids);
        const exact = await scanAll(corpus.db(), q, filter.app_store_ids?.split(",") ?? null);
        relevant += exact.length;
        found += exact.filter((id) => returned.has(id)).length;
      }
      rows.push({
        posts: corpus.posts,
        filter: name,
        "matches of a full scan": relevant,
        recall: round(found / relevant),
        wanted: MIN_RECALL,
      });
      log(`recall of ${corpus.posts} posts, filter ${name}: ${round(found / relevant)}`);
    }
  }
  return {
    title: "Recall of the index compared with a full scan",
    note: "Up to 1,001 nearest matches of each of 21 queries.",
    rows,
    broken: rows
      .filter(({ recall }) => Number(recall) < MIN_RECALL)
      .map((row) => `recall ${row.recall} with ${row.filter}`),
  };
}

async function scanAll(db: Db, q: string, apps: string[] | null): Promise<string[]> {
  const distance = sql`(embedding <=> ${JSON.stringify(await embedQuery(q))}::halfvec) + 0`;
  const result = await db.execute(sql`
    select id from viral_posts where ${distance} <= ${MAX_COSINE_DISTANCE}
      and (${apps === null} or product_app_id = any(${sql.param(apps)}::text[]))
    order by ${distance}, id limit 1001`);
  return toRows<{ id: string }>(result).map(({ id }) => id);
}

const REQUESTS: [name: string, filter: Record<string, string>][] = [
  ["q", {}],
  ["q and a category", { category: "health" }],
  ["q and a platform", { platform: "threads" }],
  ["q and a part of a handle", { account: "cats" }],
];
/** The rate limit is 20 searches per minute, and each query is sent twice: once to cache its embedding, once to be timed. */
const QUERIES_PER_CUSTOMER = 10;

async function measureSpeed({ log }: BenchContext, small: OpenedLibrary, large: OpenedLibrary): Promise<Table> {
  const rows: Record<string, Cell>[] = [];
  const queries = QUERIES.filter((_, at) => at % 4 === 0);
  for (const [name, filter] of REQUESTS) {
    const times = { few: await measureTimes(small, queries, filter), many: await measureTimes(large, queries, filter) };
    const ratio = round(times.many.whole / times.few.whole);
    log(`${name}: ${times.few.whole} and ${times.many.whole} ms`);
    rows.push({
      request: name,
      [`ms with ${small.posts}`]: times.few.whole,
      [`ms with ${large.posts}`]: times.many.whole,
      ratio,
      "at most": MAX_RATIO,
      ok: ratio <= MAX_RATIO ? "yes" : "no",
      [`SQL alone with ${small.posts}`]: times.few.sql,
      [`SQL alone with ${large.posts}`]: times.many.sql,
    });
  }
  return {
    title: `GET /viral-library with ${small.posts} and with ${large.posts} posts`,
    note: `Median of ${queries.length} queries through the Worker, sent before, so that its embedding is cached; no latency is added. Posts beyond the first 3,000 have their vectors with noise. SQL alone: the same searches directly on the database.`,
    rows,
    broken: rows.filter(({ ok }) => ok === "no").map((row) => `${row.request} takes ${row.ratio} times as long`),
    chart: { file: "search.svg", label: "request", value: "ratio", limit: "at most" },
  };
}

/** Returns medians in milliseconds of the whole request and of its SQL query. */
async function measureTimes(library: OpenedLibrary, queries: string[], filter: Record<string, string>) {
  const times = { whole: [] as number[], sql: [] as number[] };
  let token = "";
  for (const [at, q] of queries.entries()) {
    if (at % QUERIES_PER_CUSTOMER === 0) token = await library.newCustomer();
    await library.search(token, { q, ...filter });
    times.whole.push(await measureMs(() => library.search(token, { q, ...filter })));
    times.sql.push(await measureMs(() => searchLibrary(library, q, filter)));
  }
  return { whole: round(median(times.whole)), sql: round(median(times.sql)) };
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
