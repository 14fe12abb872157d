// What an import writes into the viral library.
import { inArray, sql } from "drizzle-orm";
import { viralPosts } from "../../drizzle/schema/viral.ts";
import type { Db } from "../db.ts";

/** Columns by their names in the table; absent ones are null. */
export interface ImportedPost extends Record<string, unknown> {
  id: string;
}

const COLUMNS: Record<string, string> = {
  id: "text",
  platform: "text",
  content_type: "text",
  link: "text",
  category: "text",
  business_type: "text",
  product_name: "text",
  product_website: "text",
  product_app: "jsonb",
  account: "text",
  caption: "text",
  hashtags: "text[]",
  date_published: "date",
  views: "bigint",
  likes: "bigint",
  comments: "bigint",
  shares: "bigint",
  bookmarks: "bigint",
  slide_count: "int",
  preview_image_url: "text",
  image_urls: "text[]",
  video_url: "text",
  hook_text: "text",
  hook_analysis: "jsonb",
  search_summary: "text",
  niche: "text",
  topics: "text[]",
  search_keywords: "text[]",
  ad_signal: "jsonb",
  creator_sponsored: "boolean",
  language: "text",
  slide_texts: "text[]",
  transcript: "jsonb",
};

const NAMES = Object.keys(COLUMNS).join(", ");
const TYPED = Object.entries({ ...COLUMNS, embedded_from: "text", embedding: "text" }).map((pair) => pair.join(" "));
const RENEWED = Object.keys(COLUMNS).map((name) => `${name} = excluded.${name}`);

/** Inserts or replaces; a post without a new vector keeps its old one, and every post the day it came into the library. */
export function upsert(db: Db, posts: ImportedPost[]) {
  return db.execute(
    sql`${sql.raw(`insert into viral_posts (${NAMES}, embedded_from, embedding)
    select ${NAMES}, embedded_from, embedding::halfvec from jsonb_to_recordset(`)}${JSON.stringify(posts)}${sql.raw(`::jsonb) as v(${TYPED.join(", ")})
    on conflict (id) do update set ${RENEWED.join(", ")},
      embedded_from = coalesce(excluded.embedded_from, viral_posts.embedded_from),
      embedding = coalesce(excluded.embedding, viral_posts.embedding)`)}`,
  );
}

/** What the vectors of these posts were made from. */
export async function embeddedFrom(db: Db, ids: string[]): Promise<Map<string, string | null>> {
  const rows = await db
    .select({ id: viralPosts.id, from: viralPosts.embeddedFrom })
    .from(viralPosts)
    .where(inArray(viralPosts.id, ids));
  return new Map(rows.map(({ id, from }) => [id, from]));
}
