// Semantic search without HTTP: recall against a full scan, filters and query plans.
import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { searchViralPosts } from "../../lib/queries/viral.ts";
import { ViralQuery } from "../../lib/schemas/viral.ts";
import { createRandom } from "../local/corpus/random.ts";
import { localEmbedder, MAX_COSINE_DISTANCE } from "../local/embedding-model.ts";
import { explainQueries } from "../support/query-plans.ts";
import { toRows } from "../support/rows.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { openCorpus } from "../viral-library/corpus.ts";
import { LABELLED_QUERIES } from "../viral-library/labelled-search.ts";

const QUERIES = LABELLED_QUERIES.map(({ q }) => q);

let library: Awaited<ReturnType<typeof openCorpus>>;
beforeAll(async () => {
  library = await openCorpus(await openSeparateDatabase("library"), 3000);
}, 180_000);
afterAll(() => library.close());

async function embedQuery(q: string, cutoff = MAX_COSINE_DISTANCE) {
  const [vector = []] = await localEmbedder.embed([q]);
  return { vector, cutoff };
}
const searchPosts = async (query: object, q: string | null) =>
  searchViralPosts(library.db, ViralQuery.parse(query), q === null ? null : await embedQuery(q));

test("the index finds at least 95 % of a full scan's results, with and without a filter that 1 % pass", async () => {
  const filters: Filter[] = [
    {},
    { app_store_ids: "1001,1002,1003,1004,1005,1006,1007,1008,1009,1010" },
    { max_slides: "3" },
  ];
  for (const filter of filters) {
    let wanted = 0;
    let found = 0;
    for (const q of QUERIES.filter((_, at) => at % 6 === 0)) {
      const { ids } = await searchPosts({ ...filter, limit: "40" }, q);
      const exact = await scan(filter, q);
      const have = new Set(ids);
      wanted += exact.length;
      found += exact.filter((id) => have.has(id)).length;
    }
    expect(wanted).toBeGreaterThan(0);
    expect(found / wanted).toBeGreaterThanOrEqual(0.95);
  }
}, 120_000);

type Filter = Record<string, string>;

const CONDITIONS: Record<string, (value: string) => SQL> = {
  app_store_ids: (ids) => sql`product_app_id = any(${sql.param(ids.split(","))}::text[])`,
  category: (category) => sql`category = ${category}`,
  language: (language) => sql`language = ${language}`,
  max_slides: (count) => sql`slide_count <= ${Number(count)}`,
  platform: (platform) => sql`platform = ${platform}`,
};

/** All matches by a full scan, nearest first. */
async function scan(filter: Filter, q: string, cutoff = MAX_COSINE_DISTANCE): Promise<string[]> {
  const { vector } = await embedQuery(q);
  const distance = sql`(embedding <=> ${JSON.stringify(vector)}::halfvec) + 0`;
  const conditions = Object.entries(filter).map(([name, value]) => CONDITIONS[name]?.(value) ?? sql`false`);
  const result = await library.db.execute(sql`
    select id from viral_posts where ${sql.join([sql`${distance} <= ${cutoff}`, ...conditions], sql` and `)}
    order by ${distance}, id limit 1001`);
  return toRows<{ id: string }>(result).map(({ id }) => id);
}

test("within a category and for apps, all matches are found and counted", async () => {
  const filters: Filter[] = [{ category: "health" }, { app_store_ids: "1001,1002,1003,1004,1005" }];
  for (const filter of filters) {
    for (const q of QUERIES.filter((_, at) => at % 13 === 0)) {
      // A cutoff that every post passes.
      for (const cutoff of [MAX_COSINE_DISTANCE, 2]) {
        const { ids, total } = await searchViralPosts(
          library.db,
          ViralQuery.parse(filter),
          await embedQuery(q, cutoff),
        );
        const exact = await scan(filter, q, cutoff);
        expect(new Set(ids)).toEqual(new Set(exact));
        expect(total).toBe(exact.length);
      }
    }
  }
}, 60_000);

test("with a wide filter, all matches are found in order, whether or not the nearest of all posts contain them", async () => {
  const filters: Filter[] = [{ platform: "threads" }, { platform: "instagram", language: "en" }];
  for (const filter of filters) {
    for (const cutoff of [0.8, 2]) {
      let found = 0;
      for (const q of QUERIES.filter((_, at) => at % 26 === 0)) {
        const query = ViralQuery.parse({ ...filter, limit: "40" });
        const { ids, total, posts } = await searchViralPosts(library.db, query, await embedQuery(q, cutoff));
        const exact = await scan(filter, q, cutoff);
        expect([filter, ids]).toEqual([filter, exact]);
        expect(total).toBe(exact.length);
        expect(posts.map(({ id }) => id)).toEqual(ids.slice(0, 40));
        found += ids.length;
      }
      expect(found).toBeGreaterThan(0);
    }
  }
}, 60_000);

test("two random filters return their intersection, and total is the number of all results", async () => {
  const of = createRandom(11);
  const choices: Record<string, string>[] = [
    { platform: "tiktok" },
    { platform: "instagram" },
    { content_type: "video" },
    { business_type: "creator" },
    { paid_reach: "not_ads" },
    { paid_reach: "likely_or_ads" },
    { sponsored: "false" },
    { language: "en" },
    { max_slides: "6" },
    { published_since: "2025-06-01" },
    { published_until: "2026-01-31" },
    { category: "pets" },
  ];
  for (let round = 0; round < 40; round++) {
    const q = round % 2 === 0 ? null : of.pick(QUERIES);
    const [a = {}, b = {}] = of.sample(choices, 2);
    if (Object.keys(a)[0] === Object.keys(b)[0]) continue;
    const [left, right, both] = await Promise.all([a, b, { ...a, ...b }].map((filter) => searchPosts(filter, q)));
    if (!left || !right || !both || left.ids.length > 1000 || right.ids.length > 1000) continue;
    const inRight = new Set(right.ids);
    expect(new Set(both.ids)).toEqual(new Set(left.ids.filter((id) => inRight.has(id))));
    expect(both.total).toBe(both.ids.length);

    const walked: string[] = [];
    for (let offset = 0; offset < Math.min(both.total, 1000); offset += 40) {
      const page = await searchPosts({ ...a, ...b, limit: "40", offset: String(offset) }, q);
      walked.push(...page.posts.map(({ id }) => id));
    }
    expect(walked).toEqual(both.ids);
  }
}, 120_000);

test("semantic search never scans a table sequentially, with any filter", async () => {
  const filters: [filter: object, index: RegExp][] = [
    [{}, /^viral_posts_meaning$/],
    [{ category: "pets" }, /^viral_posts_category$/],
    [{ app_store_ids: "1001,1002" }, /^viral_posts_app$/],
    [{ account: "indoor.cats" }, /^viral_posts_account$/],
    [{ product_name: "crystally" }, /^viral_posts_product$/],
    [{ paid_reach: "ads" }, /^viral_posts_ad_signal$/],
    [{ language: "ja" }, /^viral_posts_language$/],
    [{ published_since: "2026-06-28" }, /^viral_posts_latest$/],
    // For filters that most posts pass, only the vector index helps.
    [{ sponsored: "false" }, /^viral_posts_meaning$/],
    [{ platform: "tiktok", content_type: "video", business_type: "app" }, /^viral_posts_/],
  ];
  for (const [filter, index] of filters) {
    const [plan, ...more] = await explainQueries(library.database, () => searchPosts(filter, "gut health"));
    expect([filter, more, plan?.scanned]).toEqual([filter, [], []]);
    expect([filter, plan?.indexes]).toEqual([filter, expect.arrayContaining([expect.stringMatching(index)])]);
  }
});
