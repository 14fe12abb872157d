// Filters and orders of a search of the viral library.
import { and, eq, gte, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { viralPosts } from "../../drizzle/schema/viral.ts";
import type { SORTS, ViralQuery } from "../schemas/viral.ts";
import { ilikeContains } from "./sql.ts";

const { id, account, adSignal, creatorSponsored, datePublished, language, productAppId, productName } = viralPosts;
const { category, comments, contentType, createdAt, likes, businessType, platform, slideCount, views } = viralPosts;

export function buildFilters(query: ViralQuery): SQL {
  const handle = query.account?.replace(/^@/, "");
  const conditions = and(
    query.category && eq(category, query.category),
    query.business_type && eq(businessType, query.business_type),
    query.platform && eq(platform, query.platform),
    query.content_type && eq(contentType, query.content_type),
    handle === undefined ? undefined : ilikeContains(sql`${account}`, handle),
    query.product_name === undefined ? undefined : ilikeContains(sql`${productName}`, query.product_name),
    query.app_store_ids && inArray(productAppId, query.app_store_ids),
    query.max_slides ? lte(slideCount, query.max_slides) : undefined,
    query.paid_reach && PAID_REACH[query.paid_reach],
    query.sponsored === true ? sql`${creatorSponsored} is true` : undefined,
    query.sponsored === false ? sql`${creatorSponsored} is not true` : undefined,
    query.language && inArray(language, query.language),
    query.published_since ? gte(datePublished, query.published_since) : undefined,
    query.published_until ? lte(datePublished, query.published_until) : undefined,
  );
  return conditions ?? sql`true`;
}

/**
 * The ways to find the posts nearest to a query. `compare`: each that passes the filters is compared, because an index leaves
 * few. `scan`: the vector index is scanned until enough pass the filters, unless the planner finds an index that leaves fewer.
 * `nearest`: the nearest of all posts are filtered afterwards, because the filters leave many.
 */
export type MeaningScan = "compare" | "scan" | "nearest";

export function chooseScan(query: ViralQuery): MeaningScan {
  if (query.category !== undefined || query.app_store_ids !== undefined) return "compare";
  if (query.account !== undefined || query.product_name !== undefined) return "scan";
  const { business_type, platform, content_type, max_slides, paid_reach, sponsored, language } = query;
  const wide = [business_type, platform, content_type, max_slides, paid_reach, sponsored, language];
  const isFiltered = [...wide, query.published_since, query.published_until].some((value) => value !== undefined);
  return isFiltered ? "nearest" : "scan";
}

const adStatus = sql`${adSignal} ->> 'status'`;

/** Posts that were not checked have no signal and count as not paid. */
const PAID_REACH: Record<NonNullable<ViralQuery["paid_reach"]>, SQL> = {
  ads: sql`${adStatus} = 'ad'`,
  likely_or_ads: sql`${adStatus} in ('ad', 'likely_ad')`,
  not_ads: isNull(adSignal),
};

type Sort = (typeof SORTS)[number];

const ORDER_BY: Record<Exclude<Sort, "relevance">, SQL> = {
  newest: sql`${createdAt} desc, ${id}`,
  latest_posted: sql`${datePublished} desc, ${id}`,
  most_views: sql`${views} desc nulls last, ${id}`,
  most_likes: sql`${likes} desc nulls last, ${id}`,
  most_comments: sql`${comments} desc nulls last, ${id}`,
  most_slides: sql`${slideCount} desc nulls last, ${id}`,
};

/** The columns that these orders use. */
export const ORDER_COLUMNS = sql`${createdAt}, ${datePublished}, ${views}, ${likes}, ${comments}, ${slideCount}`;

/** `distance` orders a search by meaning alone; ties break by id, so pages never overlap or skip. */
export function buildOrder(sort: Sort, byMeaning: boolean): SQL {
  if (sort !== "relevance") return ORDER_BY[sort];
  return byMeaning ? sql`distance, ${id}` : ORDER_BY.newest;
}
