// The posts of a period, page by page, each with the post of the scope that it was published from.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { accounts as ownAccounts } from "../../drizzle/schema/accounts.ts";
import { analyticsPosts as posts } from "../../drizzle/schema/analytics.ts";
import { posts as ownPosts, postDeliveries } from "../../drizzle/schema/posts.ts";
import { postEngagementRate } from "../schemas/analytics-metrics.ts";
import type { Period } from "../schemas/analytics-period.ts";
import type { SummaryPostsQuery } from "../schemas/analytics-queries.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import {
  PER_TARGET,
  type PeriodBounds,
  publishedBetween,
  type SummaryFilter,
  selectTargets,
  target,
  toPeriodBounds,
} from "./analytics-summary.ts";
import { toPage } from "./paging.ts";
import { type Read, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { instant, jsonObject, nullable, type RowOf, rawQuery } from "./sql.ts";

const post = alias(posts, "post");
const ownPost = alias(ownPosts, "own_post");

const SORT_EXPRESSIONS: Record<SummaryPostsQuery["sortBy"], SQL> = {
  publishedAt: sql`${post.publishedAt}`,
  // A number that is not given sorts as 0.
  views: sql`coalesce(${post.views}, 0)`,
  likes: sql`coalesce(${post.likes}, 0)`,
  comments: sql`coalesce(${post.comments}, 0)`,
  shares: sql`coalesce(${post.shares}, 0)`,
  saves: sql`coalesce(${post.saves}, 0)`,
  engagementRate: sql`case when ${post.views} > 0 then coalesce((${post.likes} + ${post.comments}
    + coalesce(${post.shares}, 0) + coalesce(${post.saves}, 0))::float8 / ${post.views}, 0) else 0 end`,
};

const PAGE_COLUMNS = {
  id: post.id,
  platformPostId: post.platformPostId,
  postId: nullable(ownPost.id),
  externalId: ownPost.externalId,
  publishedAt: post.publishedAt,
  caption: post.caption,
  permalink: post.permalink,
  thumbnailUrl: post.thumbnailUrl,
  durationSeconds: post.durationSeconds,
  metrics: jsonObject({
    views: post.views,
    likes: post.likes,
    comments: post.comments,
    shares: post.shares,
    saves: post.saves,
  }),
  platform: target.platform,
  lastRefreshedAt: target.lastRefreshedAt,
  missingNumbers: target.missingNumbers,
  accountIdentifier: target.normalizedIdentifier,
  accountDisplayName: target.displayName,
};
export type StoredSummaryPost = RowOf<typeof PAGE_COLUMNS>;

type PostsFilter = SummaryFilter & Pick<SummaryPostsQuery, "sortBy" | "sortOrder" | "limit" | "offset" | "cursor">;

/** A page of the posts published in the period, the total count and the cursor of the next page. */
export function listSummaryPosts(
  db: ReadOnlyDb,
  scope: Scope,
  filter: PostsFilter,
  period: Period,
): Read<{ posts: StoredSummaryPost[]; total: number; nextCursor: string | null }> {
  const bounds = toPeriodBounds(period);
  const begin = sql`with ${selectTargets(db, scope, filter)} ${bounds.span}`;
  const { sortBy, sortOrder, limit } = filter;
  const page = rawQuery(
    db,
    PAGE_COLUMNS,
    (list) => sql`${begin}, page as materialized (${selectPage(filter, bounds)})
      select ${list} from page ${post} join selected_targets ${target} on ${target.id} = ${post.targetId}
      left join lateral (${selectOwnPost(scope)}) ${ownPost} on true order by ${post}.place`,
  );
  const total = rawQuery(
    db,
    { total: sql<number>`count(*)::int` },
    (list) => sql`${begin} select ${list} ${fromPeriod(bounds)}`,
  );
  return toRead(db, [page, total], ([found, counts]) => {
    const toPosition = (last: StoredSummaryPost) => [sortBy, sortOrder, toSortValue(last, sortBy), last.id];
    const { rows, nextCursor } = toPage(found, limit, toPosition);
    return { posts: rows, total: at(counts, 0).total, nextCursor };
  });
}

const fromPeriod = ({ first, last }: PeriodBounds): SQL => sql`
  from selected_targets ${target} cross join lateral (
    select * from ${posts} where ${posts.targetId} = ${target.id} and ${publishedBetween(first, last)} ${PER_TARGET}
  ) ${post}`;

function selectPage(filter: PostsFilter, bounds: PeriodBounds): SQL {
  const direction = filter.sortOrder === "asc" ? sql`asc` : sql`desc`;
  const order = sql`${SORT_EXPRESSIONS[filter.sortBy]} ${direction}, ${post.id}`;
  return sql`
    select ${post}.*, row_number() over (order by ${order}) as place ${fromPeriod(bounds)}
    where ${isAfterPost(filter)} order by ${order} limit ${filter.limit + 1} offset ${filter.offset}`;
}

/** The post of the scope that was published as a post of the page: only those of the page are looked up. */
const selectOwnPost = (scope: Scope): SQL => sql`
  select ${ownPosts.id}, ${ownPosts.externalId} from ${postDeliveries}
  join ${ownAccounts} on ${ownAccounts.id} = ${postDeliveries.accountId}
    and ${ownAccounts.platform} = ${target.platform} and ${inScope(ownAccounts, scope)}
  join ${ownPosts} on ${ownPosts.id} = ${postDeliveries.postId}
    and ${inScope(ownPosts, scope)} and ${ownPosts.status} is not null
  where ${postDeliveries.platformPostId} = ${post.platformPostId} order by ${ownPosts.createdAt} limit 1`;

/** The posts after the cursor in the order of `listSummaryPosts`. */
function isAfterPost({ sortBy, sortOrder, cursor }: Pick<SummaryPostsQuery, "sortBy" | "sortOrder" | "cursor">): SQL {
  if (!cursor) return sql`true`;
  const value = sortBy === "publishedAt" ? instant(new Date(cursor.value)) : sql`${cursor.value}::float8`;
  const sorted = SORT_EXPRESSIONS[sortBy];
  const after = sortOrder === "asc" ? sql`${sorted} > ${value}` : sql`${sorted} < ${value}`;
  return sql`(${after} or (${sorted} = ${value} and ${post.id} > ${cursor.id}::uuid))`;
}

function toSortValue(post: StoredSummaryPost, sortBy: SummaryPostsQuery["sortBy"]): number {
  if (sortBy === "publishedAt") return post.publishedAt.getTime();
  return (sortBy === "engagementRate" ? postEngagementRate(post.metrics) : post.metrics[sortBy]) ?? 0;
}
