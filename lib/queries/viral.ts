// The viral library in SQL: filters, order, nearness by meaning, and one post whole.
import { type SQL, sql } from "drizzle-orm";
import { type Db, rowsOf } from "../db.ts";
import { REACH, type ViralPost, type ViralQuery } from "../schemas/viral.ts";
import { filtersOf, isNarrow, ORDERING, orderOf } from "./viral-filters.ts";

/** What `q` means, and how far from it a post may be. */
export interface Meaning {
  vector: number[];
  cutoff: number;
}

export interface Found {
  posts: ViralPost[];
  /** Every match that can be reached, in order, and one more when there is one. */
  ids: string[];
  total: number;
}

/** A post as answers show it, from a table called `p`. */
const SHOWN = sql.raw(`json_build_object(
  'id', p.id, 'platform', p.platform, 'content_type', p.content_type, 'link', p.link, 'category', p.category,
  'business_type', p.business_type, 'product_name', p.product_name, 'product_website', p.product_website,
  'product_app', p.product_app, 'account', p.account, 'caption', p.caption, 'hashtags', p.hashtags,
  'date_published', p.date_published, 'metrics', json_build_object('views', p.views, 'likes', p.likes,
  'comments', p.comments, 'shares', p.shares, 'bookmarks', p.bookmarks), 'slide_count', p.slide_count,
  'preview_image_url', p.preview_image_url, 'image_urls', p.image_urls, 'video_url', p.video_url,
  'hook_text', p.hook_text, 'hook_analysis', p.hook_analysis, 'search_summary', p.search_summary, 'niche', p.niche,
  'topics', p.topics, 'search_keywords', p.search_keywords, 'ad_signal', p.ad_signal,
  'creator_sponsored', p.creator_sponsored, 'language', p.language, 'slide_texts', null, 'relevance', null)`);

/** One more than can be reached, to know that there is more. */
const LOOKED_AT = REACH + 1;

/** A page, and the ids of the whole walk. One transaction, one round trip. */
export async function search(db: Db, query: ViralQuery, meaning: Meaning | null): Promise<Found> {
  const where = filtersOf(query);
  const order = orderOf(query.sort ?? (meaning ? "relevance" : "newest"), meaning !== null);
  const matched = meaning ? meant(where, meaning, order, isNarrow(query)) : listed(where, order);
  const total = meaning
    ? sql`(select count(*) from matched)`
    : sql`(select count(*) from viral_posts p where ${where})`;
  const statement = sql`
    with matched as materialized (${matched}), page as (
      select id, place from matched order by place limit ${query.limit} offset ${query.offset}
    )
    select ${total}::int as total,
      (select coalesce(json_agg(id order by place), '[]') from matched where place <= ${LOOKED_AT}) as ids,
      (select coalesce(json_agg(${SHOWN} order by page.place), '[]') from page join viral_posts p using (id)) as posts`;
  const [row] = rowsOf<Found>(meaning ? await byMeaning(db, statement) : await db.execute(statement));
  if (!row) throw new Error("an aggregate without a row");
  return row;
}

function listed(where: SQL, order: SQL): SQL {
  return sql`select id, row_number() over () as place from (
    select p.id from viral_posts p where ${where} order by ${order} limit ${LOOKED_AT}) listed`;
}

/** What is within the cut-off, with only what orders it carried along. */
function meant(where: SQL, { vector, cutoff }: Meaning, order: SQL, narrow: boolean): SQL {
  const distance = sql`p.embedding <=> ${JSON.stringify(vector)}::halfvec`;
  const candidates = sql`select p.id, ${ORDERING}, ${distance} as distance from viral_posts p where ${where}`;
  // Of few posts each is compared; of many the index of vectors hands out the nearest, filtered on the way.
  const near = narrow
    ? sql`${candidates} and ${distance} <= ${cutoff}`
    : sql`${candidates} and p.embedding is not null order by ${distance} limit ${LOOKED_AT}`;
  return sql`select id, row_number() over (order by ${order}) as place from (${near}) p where distance <= ${cutoff}`;
}

/** Filters must not starve the index, so it scans on until enough pass; a little out of order, and as wide as it can, which loses fewer. */
async function byMeaning(db: Db, statement: SQL) {
  const [, , , , found] = await db.batch([
    db.execute(sql`set local hnsw.iterative_scan = relaxed_order`),
    db.execute(sql`set local hnsw.ef_search = 1000`),
    db.execute(sql`set local hnsw.max_scan_tuples = 200000`),
    db.execute(sql`set local enable_seqscan = off`),
    db.execute(statement),
  ]);
  return found;
}

/** These posts, in this order; one that is gone is left out. */
export async function pick(db: Db, ids: string[]): Promise<ViralPost[]> {
  const result = await db.execute(sql`
    select coalesce(json_agg(${SHOWN} order by wanted.place), '[]') as posts
    from unnest(${sql.param(ids)}::text[]) with ordinality as wanted(id, place) join viral_posts p using (id)`);
  return rowsOf<{ posts: ViralPost[] }>(result)[0]?.posts ?? [];
}

/** One post with the texts of its slides. */
export async function find(db: Db, id: string): Promise<ViralPost | null> {
  const result = await db.execute(
    sql`select ${SHOWN} as post, p.slide_texts as texts from viral_posts p where p.id = ${id}`,
  );
  const [row] = rowsOf<{ post: ViralPost; texts: string[] | null }>(result);
  return row ? { ...row.post, slide_texts: row.texts ?? [] } : null;
}

export interface Transcript {
  language: string | null;
  text: string;
  segments: { start_ms: number; end_ms: number; text: string }[];
}

export async function transcript(db: Db, id: string): Promise<Transcript | null> {
  const result = await db.execute(sql`select transcript from viral_posts where id = ${id}`);
  return rowsOf<{ transcript: Transcript | null }>(result)[0]?.transcript ?? null;
}
