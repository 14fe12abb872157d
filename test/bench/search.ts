// The viral library by meaning: how good beside full-text search, how exact beside a full scan, how fast when it grows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { sql } from "drizzle-orm";
import { connect, type Db, rowsOf } from "../../lib/db.ts";
import * as viral from "../../lib/queries/viral.ts";
import { ViralQuery } from "../../lib/schemas/viral.ts";
import { CUTOFF, localMeaning } from "../local/embeddings.ts";
import { type Library, openLibrary } from "./library.ts";
import type { Cell, Context, Section, Table } from "./section.ts";

const SIZES = { short: [1_000, 4_000], long: [3_000, 100_000] } as const;
const TIMES_AT_MOST = 3;
const RECALL_AT_LEAST = 0.95;
const TOP = 12;

interface Labelled {
  q: string;
  niche: string;
  kind: string;
}

const QUERIES: Labelled[] = readFileSync(join(import.meta.dirname, "../search/queries.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const section: Section = {
  title: "Search by meaning",

  async run(context: Context) {
    const { short, say } = context;
    const [few, many] = short ? SIZES.short : SIZES.long;
    const small = await open(context, few);
    const large = await open(context, many);
    say(`${few} and ${many} posts are there, with vectors`);
    return [await quality(small), await exactness([small, large]), await speed(small, large)];
  },
};

export default section;

interface Sized extends Library {
  /** Made anew for every question: the driver sends to the address it was told last. */
  db(): Db;
}

async function open(context: Context, posts: number): Promise<Sized> {
  const library = await openLibrary(context, posts);
  return { ...library, db: () => connect(library.address, "bench") };
}

const meaning = (q: string) => ({ vector: localMeaning().vectorOf(q), cutoff: CUTOFF });
const find = ({ db }: Sized, q: string, filter: object) => viral.search(db(), ViralQuery.parse(filter), meaning(q));
const round = (value: number) => Math.round(value * 1000) / 1000;
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function quality(corpus: Sized): Promise<Table> {
  const rows: Record<string, Cell>[] = [];
  for (const kind of new Set(QUERIES.map((query) => query.kind))) {
    const asked = QUERIES.filter((query) => query.kind === kind);
    const scores = {
      ndcg: [] as number[],
      recall: [] as number[],
      textNdcg: [] as number[],
      textRecall: [] as number[],
    };
    for (const { q, niche } of asked) {
      const { posts } = await find(corpus, q, { limit: String(TOP), language: "en" });
      const byText = await fullText(corpus.db(), q);
      const meant = posts.map((post) => post.niche === niche);
      const spelt = byText.map((row) => row.niche === niche);
      scores.ndcg.push(ndcg(meant));
      scores.recall.push(meant.filter(Boolean).length / TOP);
      scores.textNdcg.push(ndcg(spelt));
      scores.textRecall.push(spelt.filter(Boolean).length / TOP);
    }
    rows.push({
      "queries share": kind,
      queries: asked.length,
      "NDCG@12": round(mean(scores.ndcg)),
      "recall@12": round(mean(scores.recall)),
      "NDCG@12 of full text": round(mean(scores.textNdcg)),
      "recall@12 of full text": round(mean(scores.textRecall)),
    });
  }
  return {
    title: `120 labelled queries over ${corpus.posts} posts, by meaning and by Postgres full-text search`,
    note: "Every wanted post counts the same, and every query wants more than twelve. The model is the local stand-in, which learned from this corpus.",
    rows,
    broken: rows
      .filter((row) => Number(row["NDCG@12"]) <= Number(row["NDCG@12 of full text"]) && Number(row["NDCG@12"]) < 0.99)
      .map((row) => `${row["queries share"]}: full text is better`),
  };
}

/** Any of the words, the best match first: what full text offers without help. */
async function fullText(db: Db, q: string): Promise<{ niche: string | null }[]> {
  const words = (q.toLowerCase().match(/\p{L}+/gu) ?? []).join(" or ");
  const text = sql`concat_ws(' ', search_summary, hook_text, niche, caption, array_to_string(topics, ' '))`;
  const result = await db.execute(sql`
    select niche from viral_posts, websearch_to_tsquery('english', ${words}) query
    where language = 'en' and to_tsvector('english', ${text}) @@ query
    order by ts_rank(to_tsvector('english', ${text}), query) desc, id limit ${TOP}`);
  return rowsOf(result);
}

function ndcg(wanted: boolean[]): number {
  const gain = (at: number) => 1 / Math.log2(at + 2);
  const best = Array.from({ length: TOP }, (_, at) => gain(at)).reduce((sum, value) => sum + value, 0);
  return wanted.reduce((sum, hit, at) => sum + (hit ? gain(at) : 0), 0) / best;
}

const FILTERS: [name: string, filter: { max_slides?: string; app_store_ids?: string }][] = [
  ["none", {}],
  ["app_store_ids (1 in 100 posts)", { app_store_ids: Array.from({ length: 27 }, (_, at) => 1000 + at).join(",") }],
];

async function exactness(corpora: Sized[]): Promise<Table> {
  const rows: Record<string, Cell>[] = [];
  for (const corpus of corpora) {
    for (const [name, filter] of FILTERS) {
      let wanted = 0;
      let found = 0;
      for (const { q } of QUERIES.filter((_, at) => at % 6 === 0)) {
        const have = new Set((await find(corpus, q, { ...filter, limit: "40" })).ids);
        const exact = await scan(corpus.db(), q, filter.app_store_ids?.split(",") ?? null);
        wanted += exact.length;
        found += exact.filter((id) => have.has(id)).length;
      }
      rows.push({
        posts: corpus.posts,
        filter: name,
        "matches of a full scan": wanted,
        recall: round(found / wanted),
        wanted: RECALL_AT_LEAST,
      });
    }
  }
  return {
    title: "Recall of the index beside a scan of every vector",
    note: "Up to 1,001 nearest matches of each of 20 queries.",
    rows,
    broken: rows
      .filter(({ recall }) => Number(recall) < RECALL_AT_LEAST)
      .map((row) => `recall ${row.recall} with ${row.filter}`),
  };
}

async function scan(db: Db, q: string, apps: string[] | null): Promise<string[]> {
  const distance = sql`(embedding <=> ${JSON.stringify(localMeaning().vectorOf(q))}::halfvec) + 0`;
  const result = await db.execute(sql`
    select id from viral_posts where ${distance} <= ${CUTOFF}
      and (${apps === null} or product_app_id = any(${sql.param(apps)}::text[]))
    order by ${distance}, id limit 1001`);
  return rowsOf<{ id: string }>(result).map(({ id }) => id);
}

const REQUESTS: [name: string, filter: Record<string, string>][] = [
  ["q", {}],
  ["q and a category", { category: "health" }],
  ["q and a platform", { platform: "threads" }],
  ["q and a part of a handle", { account: "cats" }],
];
/** A minute's budget is 20 searches, and each query is asked twice: once to be remembered, once to be timed. */
const QUERIES_PER_CUSTOMER = 10;

async function speed(small: Sized, large: Sized): Promise<Table> {
  const rows: Record<string, Cell>[] = [];
  const asked = QUERIES.filter((_, at) => at % 4 === 0);
  for (const [name, filter] of REQUESTS) {
    const times = { few: await timesOf(small, asked, filter), many: await timesOf(large, asked, filter) };
    const ratio = round(times.many.whole / times.few.whole);
    rows.push({
      request: name,
      [`ms with ${small.posts}`]: times.few.whole,
      [`ms with ${large.posts}`]: times.many.whole,
      ratio,
      "at most": TIMES_AT_MOST,
      ok: ratio <= TIMES_AT_MOST ? "yes" : "no",
      [`SQL alone with ${small.posts}`]: times.few.sql,
      [`SQL alone with ${large.posts}`]: times.many.sql,
    });
  }
  return {
    title: `GET /viral-library with ${small.posts} and with ${large.posts} posts`,
    note: `Median of ${asked.length} queries through the Worker, each asked before, so that its vector is remembered; no latency is added. SQL alone: the same searches straight to the database.`,
    rows,
    broken: rows.filter(({ ok }) => ok === "no").map((row) => `${row.request} takes ${row.ratio} times as long`),
    chart: { file: "search.svg", label: "request", value: "ratio", limit: "at most" },
  };
}

/** Medians in milliseconds of the whole request, and of its search in SQL. */
async function timesOf(library: Sized, asked: Labelled[], filter: Record<string, string>) {
  const times = { whole: [] as number[], sql: [] as number[] };
  let token = "";
  for (const [at, { q }] of asked.entries()) {
    if (at % QUERIES_PER_CUSTOMER === 0) token = await library.newCustomer();
    await library.search(token, { q, ...filter });
    times.whole.push(await timed(() => library.search(token, { q, ...filter })));
    times.sql.push(await timed(() => find(library, q, filter)));
  }
  return { whole: median(times.whole), sql: median(times.sql) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(values: number[]): number {
  return round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);
}
