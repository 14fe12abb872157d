// Gains and publications of tracked accounts in a period, and the posts of a period; one round trip each.
import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { accounts as ownAccounts } from "../../drizzle/schema/accounts.ts";
import {
  analyticsTargetDays as days,
  analyticsPosts as posts,
  analyticsTargets as targets,
} from "../../drizzle/schema/analytics.ts";
import { posts as ownPosts, postDeliveries } from "../../drizzle/schema/posts.ts";
import type { SummaryPostsQuery } from "../schemas/analytics.ts";
import type { Network } from "../schemas/analytics-handle.ts";
import { engagementRate, METRICS, type Metrics } from "../schemas/analytics-metrics.ts";
import type { Period } from "../schemas/analytics-period.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { isVisibleTarget, type StoredTarget, selectTarget } from "./analytics-targets.ts";
import { toPage } from "./paging.ts";
import { type Read, toRead } from "./read.ts";
import { columnName, instant, jsonObject, nullable, type RowOf, rawQuery } from "./sql.ts";

export interface SummaryFilter {
  targetId?: string;
  platforms?: Network[] | undefined;
  /** Handles in lower case, or ids of targets. */
  accounts?: string[] | undefined;
}

type Day = Metrics & { date: string };

/** Raw figures; lib/analytics/summary.ts derives rates and deltas. */
export interface SummaryFigures {
  first: string;
  last: string;
  /** One per day of the period, without gaps. */
  series: Day[];
  now: SummaryTotals;
  /** Null for range=all. */
  before: SummaryTotals | null;
  /** Posts per weekday (1 is Monday) and hour; empty hours are omitted. */
  hours: { weekday: number; hour: number; posts: number }[];
  kinds: { kind: "video" | "image" | "carousel"; posts: number }[];
  streak: { current: number; longest: number };
}

export type SummaryTotals = Metrics & { posts: number; accounts: number };

function pickedTargets(db: ReadOnlyDb, scope: Scope, { targetId, platforms, accounts }: SummaryFilter): SQL {
  const picked = db
    .select()
    .from(targets)
    .where(
      and(
        isVisibleTarget(scope),
        targetId ? eq(targets.id, targetId) : undefined,
        platforms && inArray(targets.platform, platforms),
        accounts && or(inArray(targets.normalizedIdentifier, accounts), inArray(sql`${targets.id}::text`, accounts)),
      ),
    );
  return sql`picked as materialized ${picked}`;
}

/** Start and end of the period as dates; range=all starts on the first day with data. */
function toPeriodBounds({ first, last, previousFirst }: Period): { span: SQL; first: SQL; last: SQL; from: SQL } {
  const end = sql`${last}::date`;
  if (first) return { span: sql``, first: sql`${first}::date`, last: end, from: sql`${previousFirst ?? first}::date` };
  const span = sql`, span as materialized (
    select least(${end}, min(least(
      (select min(${days.day}) from ${days} where ${days.targetId} = ${targets.id}),
      (select (min(${posts.publishedAt}) at time zone 'UTC')::date from ${posts}
        where ${posts.targetId} = ${targets.id})))) as first
    from picked ${targets})`;
  const start = sql`(select first from span)`;
  return { span, first: start, last: end, from: start };
}

const midnight = (day: SQL) => sql`(${day})::timestamp at time zone 'UTC'`;

const publishedBetween = (first: SQL, last: SQL) =>
  sql`${posts.publishedAt} >= ${midnight(first)} and ${posts.publishedAt} < ${midnight(sql`${last} + 1`)}`;

/** Makes the planner run the subquery per target, whatever the statistics say, so that rows of other scopes are not read. */
const PER_TARGET = sql`offset 0`;

/** One SQL fragment per metric, from the name of its column. */
const joinMetrics = (toPart: (metric: SQL) => SQL) =>
  sql.join(
    METRICS.map((metric) => toPart(columnName(posts[metric]))),
    sql`, `,
  );
/** The metrics of a row as arguments of jsonb_build_object. */
const metricsOf = (source: SQL) =>
  sql.join(
    METRICS.map((metric) => sql`${sql.raw(`'${metric}'`)}, coalesce(${source}.${columnName(posts[metric])}, 0)`),
    sql`, `,
  );

function selectFigures(db: ReadOnlyDb, scope: Scope, filter: SummaryFilter, period: Period) {
  const { span, first, last, from } = toPeriodBounds(period);
  const totals = (which: SQL) => sql<SummaryTotals>`(select jsonb_build_object(
    ${metricsOf(sql`g`)}, 'posts', h.posts, 'accounts', h.accounts)
    from (select ${joinMetrics((metric) => sql`sum(${metric}) as ${metric}`)} from gained where ${which}) g,
      (select coalesce(sum(posts), 0) as posts, count(distinct target_id) as accounts from hours where ${which}) h)`;
  // A streak does not end before the day is over.
  const unlessOver = sql`case when ${last} >= (now() at time zone 'UTC')::date then 1 else 0 end`;
  const figures = {
    first: sql<string>`to_char(${first}, 'YYYY-MM-DD')`,
    last: sql<string>`to_char(${last}, 'YYYY-MM-DD')`,
    series: sql<Day[]>`(
      select jsonb_agg(jsonb_build_object('date', to_char(s.day, 'YYYY-MM-DD'), ${metricsOf(sql`g`)}) order by s.day)
      from generate_series(${first}::timestamp, ${last}::timestamp, interval '1 day') s(day)
      left join gained g on g.day = s.day::date)`,
    now: totals(sql`day >= ${first}`),
    before: period.previousFirst ? totals(sql`day < ${first}`) : sql<SummaryTotals | null>`null::jsonb`,
    hours: sql<SummaryFigures["hours"]>`(select coalesce(jsonb_agg(to_jsonb(w)), '[]') from (
      select weekday, hour, sum(posts)::int as posts from hours where day >= ${first} group by weekday, hour) w)`,
    kinds: sql<SummaryFigures["kinds"]>`(
      select coalesce(jsonb_agg(to_jsonb(k) order by k.posts desc, k.kind), '[]') from (
        select kind, sum(posts)::int as posts from hours where day >= ${first} group by kind) k)`,
    streak: sql<SummaryFigures["streak"]>`(select jsonb_build_object('longest', coalesce(max(days), 0),
      'current', coalesce(max(days) filter (where last_day >= ${last} - ${unlessOver}), 0)) from runs)`,
  };
  return rawQuery(
    db,
    figures,
    (list) => sql`
    with ${pickedTargets(db, scope, filter)} ${span}, gained as materialized (
      select ${days.day}, ${joinMetrics((metric) => sql`sum(${days}.${metric})::bigint as ${metric}`)}
      from picked ${targets} cross join lateral (
        select * from ${days}
        where ${days.targetId} = ${targets.id} and ${days.day} >= ${from} and ${days.day} <= ${last} ${PER_TARGET}
      ) ${days} group by ${days.day}
    ), hours as materialized (
      select target_id, hour::date as day, extract(isodow from hour)::int as weekday, extract(hour from hour)::int as hour,
        kind, posts
      from (
        select ${posts.targetId}, date_trunc('hour', ${posts.publishedAt} at time zone 'UTC') as hour, ${posts.kind},
          count(*)::int as posts
        from picked ${targets} cross join lateral (
          select ${posts.targetId}, ${posts.publishedAt}, ${posts.kind} from ${posts}
          where ${posts.targetId} = ${targets.id} and ${publishedBetween(from, last)} ${PER_TARGET}
        ) ${posts} group by 1, 2, 3
      ) published
    ), runs as (
      select count(*)::int as days, max(day) as last_day from (
        select day, day - (row_number() over (order by day))::int as run
        from (select distinct day from hours where day >= ${first}) posted
      ) numbered group by run
    )
    select ${list}`,
  );
}

export function summarizeAnalytics(
  db: ReadOnlyDb,
  scope: Scope,
  filter: SummaryFilter,
  period: Period,
): Read<SummaryFigures> {
  return toRead(db, [selectFigures(db, scope, filter, period)], ([rows]) => at(rows, 0));
}

/** A target with its own summary; null if it is not in scope. */
export function findTargetSummary(
  db: ReadOnlyDb,
  scope: Scope,
  id: string,
  period: Period,
  today: string,
): Read<{ target: StoredTarget; figures: SummaryFigures } | null> {
  return toRead(
    db,
    [selectTarget(db, scope, id, today), selectFigures(db, scope, { targetId: id }, period)],
    ([[target], figures]) => (target ? { target, figures: at(figures, 0) } : null),
  );
}

const { publishedAt, views, likes, comments, shares, saves } = posts;

const SORT_EXPRESSIONS: Record<SummaryPostsQuery["sortBy"], SQL> = {
  publishedAt: sql`${publishedAt}`,
  views: sql`${views}`,
  likes: sql`${likes}`,
  comments: sql`${comments}`,
  shares: sql`${shares}`,
  saves: sql`${saves}`,
  engagementRate: sql`case when ${views} > 0
    then (${likes} + ${comments} + ${shares} + ${saves})::float8 / ${views} else 0 end`,
};

const PAGE_COLUMNS = {
  id: posts.id,
  platformPostId: posts.platformPostId,
  postId: nullable(ownPosts.id),
  externalId: ownPosts.externalId,
  publishedAt,
  caption: posts.caption,
  permalink: posts.permalink,
  thumbnailUrl: posts.thumbnailUrl,
  durationSeconds: posts.durationSeconds,
  metrics: jsonObject({ views, likes, comments, shares, saves }),
  platform: targets.platform,
  accountIdentifier: targets.normalizedIdentifier,
  accountDisplayName: targets.displayName,
};
export type StoredSummaryPost = RowOf<typeof PAGE_COLUMNS>;

/** A page of the posts published in the period, the total count and the cursor of the next page. */
export function listSummaryPosts(
  db: ReadOnlyDb,
  scope: Scope,
  filter: SummaryFilter & Pick<SummaryPostsQuery, "sortBy" | "sortOrder" | "limit" | "offset" | "cursor">,
  period: Period,
): Read<{ posts: StoredSummaryPost[]; total: number; nextCursor: string | null }> {
  const { span, first, last } = toPeriodBounds(period);
  const begin = sql`with ${pickedTargets(db, scope, filter)} ${span}`;
  const from = sql`from picked ${targets} cross join lateral (
    select * from ${posts} where ${posts.targetId} = ${targets.id} and ${publishedBetween(first, last)} ${PER_TARGET}
  ) ${posts}`;
  const { sortBy, sortOrder, limit } = filter;
  const order = sql`${SORT_EXPRESSIONS[sortBy]} ${sortOrder === "asc" ? sql`asc` : sql`desc`}, ${posts.id}`;
  return toRead(
    db,
    [
      // Only the posts of the page are matched with the posts of the scope.
      rawQuery(
        db,
        PAGE_COLUMNS,
        (list) => sql`${begin}, page as materialized (
          select ${posts}.*, row_number() over (order by ${order}) as place
          ${from} where ${isAfterPost(filter)} order by ${order} limit ${limit + 1} offset ${filter.offset}
        )
        select ${list}
        from page ${posts} join picked ${targets} on ${targets.id} = ${posts.targetId} left join lateral (
          select ${ownPosts.id}, ${ownPosts.externalId} from ${postDeliveries}
            join ${ownAccounts} on ${ownAccounts.id} = ${postDeliveries.accountId}
              and ${ownAccounts.platform} = ${targets.platform} and ${ownAccounts.scopeId} = ${scope.id}
            join ${ownPosts} on ${ownPosts.id} = ${postDeliveries.postId}
              and ${ownPosts.scopeId} = ${scope.id} and ${ownPosts.status} is not null
          where ${postDeliveries.platformPostId} = ${posts.platformPostId} order by ${ownPosts.createdAt} limit 1
        ) ${ownPosts} on true order by ${posts}.place`,
      ),
      rawQuery(db, { total: sql<number>`count(*)::int` }, (list) => sql`${begin} select ${list} ${from}`),
    ],
    ([page, counts]) => {
      const toPosition = (last: StoredSummaryPost) => [sortBy, sortOrder, toSortValue(last, sortBy), last.id];
      const { rows, nextCursor } = toPage(page, limit, toPosition);
      return { posts: rows, total: at(counts, 0).total, nextCursor };
    },
  );
}

/** The posts after the cursor in the order of `listPosts`. */
function isAfterPost({ sortBy, sortOrder, cursor }: Pick<SummaryPostsQuery, "sortBy" | "sortOrder" | "cursor">): SQL {
  if (!cursor) return sql`true`;
  const value = sortBy === "publishedAt" ? instant(new Date(cursor.value)) : sql`${cursor.value}::float8`;
  const sorted = SORT_EXPRESSIONS[sortBy];
  const after = sortOrder === "asc" ? sql`${sorted} > ${value}` : sql`${sorted} < ${value}`;
  return sql`(${after} or (${sorted} = ${value} and ${posts.id} > ${cursor.id}::uuid))`;
}

function toSortValue(post: StoredSummaryPost, sortBy: SummaryPostsQuery["sortBy"]): number {
  if (sortBy === "publishedAt") return post.publishedAt.getTime();
  return sortBy === "engagementRate" ? engagementRate(post.metrics) : post.metrics[sortBy];
}
