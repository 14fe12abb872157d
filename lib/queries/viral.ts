// Search of the viral library by filters and by meaning, and reads of one post.
import { eq, type SQL, sql } from "drizzle-orm";
import type { PgRaw } from "drizzle-orm/pg-core/query-builders/raw";
import { viralPosts as posts } from "../../drizzle/schema/viral.ts";
import { MAX_RESULTS, type ViralPost, type ViralQuery } from "../schemas/viral.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { jsonList, type RowOf, rawQuery, textArray } from "./sql.ts";
import { buildFilters, buildOrder, chooseScan, ORDER_COLUMNS } from "./viral-filters.ts";

/** The embedding of `q` and the maximum distance of a match. */
export interface SemanticQuery {
  vector: number[];
  cutoff: number;
}

/** Imports validate enum values before they are stored. */
const COLUMNS = {
  id: posts.id,
  platform: sql<ViralPost["platform"]>`${posts.platform}`,
  contentType: sql<ViralPost["content_type"]>`${posts.contentType}`,
  link: posts.link,
  category: sql<ViralPost["category"]>`${posts.category}`,
  businessType: sql<ViralPost["business_type"]>`${posts.businessType}`,
  productName: posts.productName,
  productWebsite: posts.productWebsite,
  productApp: sql<ViralPost["product_app"]>`${posts.productApp}`,
  account: posts.account,
  caption: posts.caption,
  hashtags: posts.hashtags,
  datePublished: posts.datePublished,
  views: posts.views,
  likes: posts.likes,
  comments: posts.comments,
  shares: posts.shares,
  bookmarks: posts.bookmarks,
  slideCount: posts.slideCount,
  previewImageUrl: posts.previewImageUrl,
  imageUrls: posts.imageUrls,
  videoUrl: posts.videoUrl,
  hookText: posts.hookText,
  hookAnalysis: sql<ViralPost["hook_analysis"]>`${posts.hookAnalysis}`,
  searchSummary: posts.searchSummary,
  niche: posts.niche,
  topics: posts.topics,
  searchKeywords: posts.searchKeywords,
  adSignal: sql<ViralPost["ad_signal"]>`${posts.adSignal}`,
  creatorSponsored: posts.creatorSponsored,
  language: posts.language,
};
export type StoredViralPost = RowOf<typeof COLUMNS>;

export interface ViralSearchResult {
  posts: StoredViralPost[];
  /** Ids of all reachable matches in order, and one more if there is one. */
  ids: string[];
  total: number;
}

/** One more than the reach cap, to know whether there are more. */
const MAX_MATCHES = MAX_RESULTS + 1;

/** A page, and the ids of all pages, in one transaction and one round trip. */
export async function searchViralPosts(
  db: ReadOnlyDb,
  query: ViralQuery,
  meaning: SemanticQuery | null,
): Promise<ViralSearchResult> {
  const where = buildFilters(query);
  const matches = meaning ? selectByMeaning(query, where, meaning) : selectByFilters(query, where);
  const all = meaning ? sql`from matches` : sql`from ${posts} where ${where}`;
  const statement = rawQuery(
    db,
    {
      total: sql<number>`(select count(*) ${all})::int`,
      ids: sql<string[]>`(
        select coalesce(json_agg(id order by place), '[]') from matches where place <= ${MAX_MATCHES})`,
      posts: jsonList(COLUMNS, {
        from: sql`from page join ${posts} on ${posts.id} = page.id`,
        orderBy: sql`page.place`,
      }),
    },
    (list) => sql`
      with matches as materialized (${matches}), page as (
        select id, place from matches order by place limit ${query.limit} offset ${query.offset}
      )
      select ${list}`,
  );
  return at(meaning ? await runVectorSearch(db, statement) : await statement, 0);
}

const selectByFilters = (query: ViralQuery, where: SQL): SQL => sql`
  select id, row_number() over () as place from (
    select ${posts.id} from ${posts} where ${where} order by ${buildOrder(query.sort ?? "newest", false)}
    limit ${MAX_MATCHES}) ordered_posts`;

/** The matches within the cut-off, with only the columns that order them. */
function selectByMeaning(query: ViralQuery, where: SQL, { vector, cutoff }: SemanticQuery): SQL {
  const distance = sql`${posts}.embedding <=> ${JSON.stringify(vector)}::halfvec`;
  const candidates = sql`select ${posts.id}, ${ORDER_COLUMNS}, ${distance} as distance from ${posts} where ${where}`;
  const nearest = sql`${posts}.embedding is not null order by ${distance} limit ${MAX_MATCHES}`;
  const rows = {
    compare: sql`${candidates} and ${distance} <= ${cutoff}`,
    scan: sql`${candidates} and ${nearest}`,
    nearest: selectNearest(where, { candidates, distance, nearest, cutoff }),
  }[chooseScan(query)];
  const order = buildOrder(query.sort ?? "relevance", true);
  return sql`select id, row_number() over (order by ${order}) as place from (${rows}) ${posts} where distance <= ${cutoff}`;
}

/**
 * When the cut-off lies within the nearest of all posts, these contain every match; if not, the filters join the scan.
 */
function selectNearest(
  where: SQL,
  { candidates, distance, nearest, cutoff }: { candidates: SQL; distance: SQL; nearest: SQL; cutoff: number },
): SQL {
  return sql`
    with nearest_posts as materialized (
      select ${posts.id}, ${distance} as distance from ${posts} where ${nearest}
    ), completeness as materialized (
      select count(*) < ${MAX_MATCHES} or max(distance) > ${cutoff} as is_complete from nearest_posts
    )
    select ${posts.id}, ${ORDER_COLUMNS}, nearest_posts.distance
    from nearest_posts join ${posts} on ${posts.id} = nearest_posts.id
    where nearest_posts.distance <= ${cutoff} and (select is_complete from completeness) and ${where}
    union all
    select * from (${candidates} and not (select is_complete from completeness) and ${nearest}) filtered_posts`;
}

/**
 * The index scan continues until enough posts pass the filters (relaxed order), with the widest search list, which
 * increases recall.
 */
async function runVectorSearch(db: ReadOnlyDb, statement: PgRaw<ViralSearchResult[]>): Promise<ViralSearchResult[]> {
  const set = (setting: SQL) => rawQuery(db, {}, () => sql`set local ${setting}`);
  const [, , , , result] = await db.batch([
    set(sql`hnsw.iterative_scan = relaxed_order`),
    set(sql`hnsw.ef_search = 1000`),
    set(sql`hnsw.max_scan_tuples = 200000`),
    set(sql`enable_seqscan = off`),
    statement,
  ]);
  return result;
}

/** The posts with these ids, in this order; deleted ones are omitted. */
export function findViralPosts(db: ReadOnlyDb, ids: string[]): Promise<StoredViralPost[]> {
  return rawQuery(
    db,
    COLUMNS,
    (list) => sql`
      select ${list} from unnest(${textArray(ids)}) with ordinality as listed(id, place)
      join ${posts} on ${posts.id} = listed.id order by listed.place`,
  );
}

/** One post with the texts of its slides. */
export function findViralPost(
  db: ReadOnlyDb,
  id: string,
): Read<(StoredViralPost & { slideTexts: string[] | null }) | null> {
  return readFirst(
    db,
    db
      .select({ ...COLUMNS, slideTexts: posts.slideTexts })
      .from(posts)
      .where(eq(posts.id, id)),
  );
}

export interface ViralTranscript {
  language: string | null;
  text: string;
  segments: { start_ms: number; end_ms: number; text: string }[];
}

export function findViralTranscript(db: ReadOnlyDb, id: string): Read<ViralTranscript | null> {
  const query = db
    .select({ transcript: sql<ViralTranscript | null>`${posts.transcript}` })
    .from(posts)
    .where(eq(posts.id, id));
  return toRead(db, [query], ([[row]]) => row?.transcript ?? null);
}
