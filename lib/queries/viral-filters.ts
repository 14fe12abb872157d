// What a search of the viral library leaves in, and in which order; a table called `p` is meant.
import { type SQL, sql } from "drizzle-orm";
import type { SORTS, ViralQuery } from "../schemas/viral.ts";

export function filtersOf(query: ViralQuery): SQL {
  const conditions = [
    equals("category", query.category),
    equals("business_type", query.business_type),
    equals("platform", query.platform),
    equals("content_type", query.content_type),
    contains("account", query.account?.replace(/^@/, "")),
    contains("product_name", query.product_name),
    query.app_store_ids && sql`p.product_app_id = any(${sql.param(query.app_store_ids)}::text[])`,
    query.max_slides && sql`p.slide_count <= ${query.max_slides}`,
    query.paid_reach && PAID_REACH[query.paid_reach],
    query.sponsored === true && sql`p.creator_sponsored is true`,
    query.sponsored === false && sql`p.creator_sponsored is not true`,
    query.language && sql`p.language = any(${sql.param(query.language)}::text[])`,
    query.published_since && sql`p.date_published >= ${query.published_since}`,
    query.published_until && sql`p.date_published <= ${query.published_until}`,
  ].filter((condition) => typeof condition === "object");
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

/** Whether a filter with an index of its own leaves few enough posts to compare each with what is asked for. */
export function isNarrow(query: ViralQuery): boolean {
  return query.category !== undefined || query.app_store_ids !== undefined;
}

/** Posts that nobody checked have no signal, and count as not paid for. */
const PAID_REACH: Record<NonNullable<ViralQuery["paid_reach"]>, SQL> = {
  ads: sql`p.ad_signal ->> 'status' = 'ad'`,
  likely_or_ads: sql`p.ad_signal ->> 'status' in ('ad', 'likely_ad')`,
  not_ads: sql`p.ad_signal is null`,
};

function equals(column: string, value: string | undefined): SQL | undefined {
  return value === undefined ? undefined : sql`p.${sql.identifier(column)} = ${value}`;
}

function contains(column: string, text: string | undefined): SQL | undefined {
  if (text === undefined) return undefined;
  return sql`p.${sql.identifier(column)} ilike ${`%${text.replaceAll(/[\\%_]/g, "\\$&")}%`}`;
}

type Sort = (typeof SORTS)[number];

const ORDER: Record<Exclude<Sort, "relevance">, SQL> = {
  newest: sql`p.created_at desc, p.id`,
  latest_posted: sql`p.date_published desc, p.id`,
  most_views: sql`p.views desc nulls last, p.id`,
  most_likes: sql`p.likes desc nulls last, p.id`,
  most_comments: sql`p.comments desc nulls last, p.id`,
  most_slides: sql`p.slide_count desc nulls last, p.id`,
};

/** The columns that these orders look at. */
export const ORDERING = sql`p.created_at, p.date_published, p.views, p.likes, p.comments, p.slide_count`;

/** Nearness orders a search by meaning alone; ties break by id, so pages never overlap or skip. */
export function orderOf(sort: Sort, byMeaning: boolean): SQL {
  if (sort !== "relevance") return ORDER[sort];
  return byMeaning ? sql`p.distance, p.id` : ORDER.newest;
}
