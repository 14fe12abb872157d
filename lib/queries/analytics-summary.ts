// What tracked accounts gained and published in a period, and the posts of it, each in one round trip.
import { type SQL, sql } from "drizzle-orm";
import type { Metrics } from "../analytics/metrics.ts";
import type { Period } from "../analytics/period.ts";
import { type Db, rowsOf } from "../db.ts";
import type { SummaryPost, SummaryPostsQuery, Target } from "../schemas/analytics.ts";
import type { Scope } from "../scope.ts";
import { selectTarget } from "./analytics-targets.ts";

export interface Filter {
  targetId?: string;
  platforms?: string[] | undefined;
  /** Handles in lower case, or ids of targets. */
  accounts?: string[] | undefined;
}

type Day = Metrics & { date: string };

/** Numbers only; what is said about them is computed from these. */
export interface Figures {
  first: string;
  last: string;
  /** One per day of the period, without gaps. */
  series: Day[];
  now: Totals;
  /** Null when everything was asked for. */
  before: Totals | null;
  /** Posts per weekday, 1 is Monday, and hour; those that have none are left out. */
  hours: { weekday: number; hour: number; posts: number }[];
  kinds: { kind: "video" | "image" | "carousel"; posts: number }[];
  streak: { current: number; longest: number };
}

export type Totals = Metrics & { posts: number; accounts: number };

const texts = (values: string[]) => sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;

function picked(scope: Scope, { targetId, platforms, accounts }: Filter): SQL {
  const filters = [
    sql`t.scope_id = ${scope.id} and t.deleted_at is null`,
    ...(targetId ? [sql`t.id = ${targetId}`] : []),
    ...(platforms ? [sql`t.platform = any(${texts(platforms)})`] : []),
    ...(accounts
      ? [sql`(t.normalized_identifier = any(${texts(accounts)}) or t.id::text = any(${texts(accounts)}))`]
      : []),
  ];
  return sql`picked as materialized (select t.* from analytics_targets t where ${sql.join(filters, sql` and `)})`;
}

/** Ends of the period as dates; the first day of everything is the first of which anything is known. */
function ends({ first, last, before }: Period): { span: SQL; first: SQL; last: SQL; from: SQL } {
  const end = sql`${last}::date`;
  if (first) return { span: sql``, first: sql`${first}::date`, last: end, from: sql`${before ?? first}::date` };
  const span = sql`, span as materialized (
    select least(${end}, min(least(
      (select min(d.day) from analytics_target_days d where d.target_id = t.id),
      (select (min(p.published_at) at time zone 'UTC')::date from analytics_posts p where p.target_id = t.id)))) as first
    from picked t)`;
  const start = sql`(select first from span)`;
  return { span, first: start, last: end, from: start };
}

const midnight = (day: SQL) => sql`(${day})::timestamp at time zone 'UTC'`;

const published = (first: SQL, last: SQL) =>
  sql`p.published_at >= ${midnight(first)} and p.published_at < ${midnight(sql`${last} + 1`)}`;

/** Ends what is read target by target: whatever the statistics say, nobody else's rows are read for it. */
const EACH = sql`offset 0`;

function selectFigures(scope: Scope, filter: Filter, period: Period): SQL {
  const { span, first, last, from } = ends(period);
  const totals = (days: SQL) => sql`(select jsonb_build_object(
    'views', coalesce(g.views, 0), 'likes', coalesce(g.likes, 0), 'comments', coalesce(g.comments, 0),
    'shares', coalesce(g.shares, 0), 'saves', coalesce(g.saves, 0), 'posts', h.posts, 'accounts', h.accounts)
    from (select sum(views) as views, sum(likes) as likes, sum(comments) as comments, sum(shares) as shares,
        sum(saves) as saves from gained where ${days}) g,
      (select coalesce(sum(posts), 0) as posts, count(distinct target_id) as accounts from hours where ${days}) h)`;
  return sql`
    with ${picked(scope, filter)} ${span}, gained as materialized (
      select d.day, sum(d.views)::bigint as views, sum(d.likes)::bigint as likes, sum(d.comments)::bigint as comments,
        sum(d.shares)::bigint as shares, sum(d.saves)::bigint as saves
      from picked t cross join lateral (
        select * from analytics_target_days d
        where d.target_id = t.id and d.day >= ${from} and d.day <= ${last} ${EACH}
      ) d group by d.day
    ), hours as materialized (
      select target_id, hour::date as day, extract(isodow from hour)::int as weekday, extract(hour from hour)::int as hour,
        kind, posts
      from (
        select p.target_id, date_trunc('hour', p.published_at at time zone 'UTC') as hour, p.kind, count(*)::int as posts
        from picked t cross join lateral (
          select p.target_id, p.published_at, p.kind from analytics_posts p
          where p.target_id = t.id and ${published(from, last)} ${EACH}
        ) p group by 1, 2, 3
      ) published
    ), runs as (
      select count(*)::int as days, max(day) as last_day from (
        select day, day - (row_number() over (order by day))::int as run
        from (select distinct day from hours where day >= ${first}) posted
      ) numbered group by run
    )
    select to_char(${first}, 'YYYY-MM-DD') as first, to_char(${last}, 'YYYY-MM-DD') as last,
      (select jsonb_agg(jsonb_build_object('date', to_char(s.day, 'YYYY-MM-DD'), 'views', coalesce(g.views, 0),
          'likes', coalesce(g.likes, 0), 'comments', coalesce(g.comments, 0), 'shares', coalesce(g.shares, 0),
          'saves', coalesce(g.saves, 0)) order by s.day)
        from generate_series(${first}::timestamp, ${last}::timestamp, interval '1 day') s(day)
        left join gained g on g.day = s.day::date) as series,
      ${totals(sql`day >= ${first}`)} as now,
      ${period.before ? totals(sql`day < ${first}`) : sql`null::jsonb`} as before,
      (select coalesce(jsonb_agg(to_jsonb(w)), '[]') from (
        select weekday, hour, sum(posts)::int as posts from hours where day >= ${first} group by weekday, hour) w) as hours,
      (select coalesce(jsonb_agg(to_jsonb(k) order by k.posts desc, k.kind), '[]') from (
        select kind, sum(posts)::int as posts from hours where day >= ${first} group by kind) k) as kinds,
      (select jsonb_build_object('longest', coalesce(max(days), 0),
        'current', coalesce(max(days) filter (where last_day >= ${last} - 1), 0)) from runs) as streak`;
}

export async function summarize(db: Db, scope: Scope, filter: Filter, period: Period): Promise<Figures> {
  return figuresOf(await db.execute(selectFigures(scope, filter, period)));
}

function figuresOf(result: { rows: Record<string, unknown>[] }): Figures {
  const [figures] = rowsOf<Figures>(result);
  if (!figures) throw new Error("a summary had no row");
  return figures;
}

/** A target and what it alone gained and published; null when the scope has none of this id. */
export async function findTarget(
  db: Db,
  scope: Scope,
  id: string,
  period: Period,
  today: string,
): Promise<{ target: Target; figures: Figures } | null> {
  const [target, figures] = await db.batch([
    db.execute(selectTarget(scope, id, today)),
    db.execute(selectFigures(scope, { targetId: id }, period)),
  ]);
  const [row] = rowsOf<Target>(target);
  return row ? { target: row, figures: figuresOf(figures) } : null;
}

const SORTED_BY: Record<SummaryPostsQuery["sortBy"], SQL> = {
  publishedAt: sql`p.published_at`,
  views: sql`p.views`,
  likes: sql`p.likes`,
  comments: sql`p.comments`,
  shares: sql`p.shares`,
  saves: sql`p.saves`,
  engagementRate: sql`case when p.views > 0 then (p.likes + p.comments + p.shares + p.saves)::float8 / p.views else 0 end`,
};

type PostRow = Omit<SummaryPost, "engagementRate">;

/** A page of the posts that were published in the period, and how many there are. */
export async function listPosts(
  db: Db,
  scope: Scope,
  filter: Filter & Pick<SummaryPostsQuery, "sortBy" | "sortOrder" | "limit" | "offset">,
  period: Period,
): Promise<{ posts: PostRow[]; total: number }> {
  const { span, first, last } = ends(period);
  const begin = sql`with ${picked(scope, filter)} ${span}`;
  const from = sql`from picked t cross join lateral (
    select * from analytics_posts p where p.target_id = t.id and ${published(first, last)} ${EACH}) p`;
  const order = sql`${SORTED_BY[filter.sortBy]} ${filter.sortOrder === "asc" ? sql`asc` : sql`desc`}, p.id`;
  const [page, count] = await db.batch([
    // Only the posts of the page are looked up among our own.
    db.execute(sql`${begin}, page as materialized (
        select p.*, t.platform, t.normalized_identifier, t.display_name, row_number() over (order by ${order}) as place
        ${from} order by ${order} limit ${filter.limit} offset ${filter.offset}
      )
      select p.id, p.platform_post_id as "platformPostId", own.id as "postId", own.external_id as "externalId",
        p.published_at as "publishedAt", p.caption, p.permalink, p.thumbnail_url as "thumbnailUrl",
        p.duration_seconds as "durationSeconds", jsonb_build_object('views', p.views, 'likes', p.likes,
          'comments', p.comments, 'shares', p.shares, 'saves', p.saves) as metrics,
        p.platform, p.normalized_identifier as "accountIdentifier", p.display_name as "accountDisplayName"
      from page p left join lateral (
        select o.id, o.external_id from post_deliveries d
          join accounts a on a.id = d.account_id and a.platform = p.platform and a.scope_id = ${scope.id}
          join posts o on o.id = d.post_id and o.scope_id = ${scope.id} and o.status is not null
        where d.platform_post_id = p.platform_post_id order by o.created_at limit 1
      ) own on true order by p.place`),
    db.execute(sql`${begin} select count(*)::int as n ${from}`),
  ]);
  return { posts: rowsOf<PostRow>(page), total: rowsOf<{ n: number }>(count)[0]?.n ?? 0 };
}
