// Gains and publications of tracked accounts in a period, and the posts of a period; one round trip each.
import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import {
  analyticsTargetDays as days,
  analyticsPosts as posts,
  analyticsTargets as targets,
} from "../../drizzle/schema/analytics.ts";
import type { Gains } from "../schemas/analytics-metrics.ts";
import type { Period } from "../schemas/analytics-period.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import { METRICS, type Metric, type PostKind, REPORTED_METRICS } from "../shared/metrics.ts";
import { PLATFORMS, type Platform } from "../shared/platforms.ts";
import type { Scope } from "../shared/scope.ts";
import { toRuntimeName } from "../shared/zone-rules.ts";
import { isVisibleTarget, type StoredTarget, selectTarget } from "./analytics-targets.ts";
import { type Read, toRead } from "./read.ts";
import { columnName, rawQuery } from "./sql.ts";

export interface SummaryFilter {
  targetId?: string;
  platforms?: Platform[] | undefined;
  /** Handles in lower case, or ids of targets. */
  accounts?: string[] | undefined;
  /** Of the weekdays and hours; UTC if there is none. */
  timeZone?: string | undefined;
}

type Day = Gains & { date: string };

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
  kinds: { kind: PostKind; posts: number }[];
  coverage: Coverage;
  streak: { current: number; longest: number };
}

/** The accounts of the summary: how many there are, and how many give each number, all of them read since when. */
interface Coverage {
  all: number;
  accounts: Record<CoveredNumber, number>;
  refreshedAt: Record<CoveredNumber | "all", string | null>;
}

export type CoveredNumber = Metric | "engagementRate";

export type SummaryTotals = Gains & { posts: number; accounts: number };

export const target = alias(targets, "target");

/** The targets that the filter selects, as a CTE which is read as `target`. */
export function selectTargets(db: ReadOnlyDb, scope: Scope, { targetId, platforms, accounts }: SummaryFilter): SQL {
  const query = db
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
  return sql`selected_targets as materialized ${query}`;
}

export interface PeriodBounds {
  /** A CTE that the bounds refer to; empty if they are given. */
  span: SQL;
  first: SQL;
  last: SQL;
  /** The first day of the period before. */
  from: SQL;
}

/** The period as dates; range=all starts on the first day with data. */
export function toPeriodBounds({ first, last, previousFirst }: Period): PeriodBounds {
  const end = sql`${last}::date`;
  if (first) return { span: sql``, first: sql`${first}::date`, last: end, from: sql`${previousFirst ?? first}::date` };
  const span = sql`, span as materialized (
    select least(${end}, min(least(
      (select min(${days.day}) from ${days} where ${days.targetId} = ${target.id}),
      (select (min(${posts.publishedAt}) at time zone 'UTC')::date from ${posts}
        where ${posts.targetId} = ${target.id})))) as first
    from selected_targets ${target})`;
  const start = sql`(select first from span)`;
  return { span, first: start, last: end, from: start };
}

const midnight = (day: SQL) => sql`(${day})::timestamp at time zone 'UTC'`;

export const publishedBetween = (first: SQL, last: SQL) =>
  sql`${posts.publishedAt} >= ${midnight(first)} and ${posts.publishedAt} < ${midnight(sql`${last} + 1`)}`;

/** Makes the planner run the subquery per target, whatever the statistics say, so that rows of other scopes are not read. */
export const PER_TARGET = sql`offset 0`;

const GAINS = [...METRICS, "unratedViews", "unratedInteractions"] as const;

/** One SQL fragment per gain, from the name of its column. */
const joinGains = (toPart: (gain: SQL) => SQL) =>
  sql.join(
    GAINS.map((gain) => toPart(columnName(days[gain]))),
    sql`, `,
  );
/** The gains of a row as arguments of jsonb_build_object. */
const gainsOf = (source: SQL) =>
  sql.join(
    GAINS.map((gain) => sql`${sql.raw(`'${gain}'`)}, coalesce(${source}.${columnName(days[gain])}, 0)`),
    sql`, `,
  );

function selectFigures(db: ReadOnlyDb, scope: Scope, filter: SummaryFilter, period: Period) {
  const bounds = toPeriodBounds(period);
  return rawQuery(
    db,
    listFigures(bounds, period, scope),
    (list) => sql`
      with ${selectTargets(db, scope, filter)} ${bounds.span},
        gains as materialized (${selectGains(bounds)}), hours as materialized (${selectHours(bounds, toRuntimeName(filter.timeZone ?? "UTC"))}),
        runs as (${selectRuns(bounds)})
      select ${list}`,
  );
}

/** Sums what the targets gained per day. */
const selectGains = ({ from, last }: PeriodBounds): SQL => sql`
  select day_gains.day, ${joinGains((gain) => sql`sum(day_gains.${gain})::bigint as ${gain}`)}
  from selected_targets ${target} cross join lateral (
    select * from ${days}
    where ${days.targetId} = ${target.id} and ${days.day} >= ${from} and ${days.day} <= ${last} ${PER_TARGET}
  ) day_gains group by day_gains.day`;

/** Counts the published posts of each kind per UTC day and hour of the zone. */
const selectHours = ({ from, last }: PeriodBounds, timeZone: string): SQL => sql`
  select target_id, day, extract(isodow from hour)::int as weekday, extract(hour from hour)::int as hour, kind, posts
  from (
    select post.target_id, (post.published_at at time zone 'UTC')::date as day,
      date_trunc('hour', post.published_at at time zone ${timeZone}) as hour, post.kind, count(*)::int as posts
    from selected_targets ${target} cross join lateral (
      select ${posts.targetId}, ${posts.publishedAt}, ${posts.kind} from ${posts}
      where ${posts.targetId} = ${target.id} and ${publishedBetween(from, last)} ${PER_TARGET}
    ) post group by 1, 2, 3, 4
  ) post_counts`;

/** Runs of days on which something was published: a day minus its rank is the same for all days of a run. */
const selectRuns = ({ first }: PeriodBounds): SQL => sql`
  select count(*)::int as days, max(day) as last_day from (
    select day, day - (row_number() over (order by day))::int as run
    from (select distinct day from hours where day >= ${first}) publication_days
  ) ranked_days group by run`;

/** Before its first refresh an account gives what its network reports. */
function isGiven(metric: Metric): SQL {
  const reporting = PLATFORMS.filter((platform) => REPORTED_METRICS[platform].includes(metric));
  return sql`(case when ${target.missingNumbers} is null then ${inArray(target.platform, reporting)}
    else not ${target.missingNumbers} ? ${sql.raw(`'${metric}'`)} end)`;
}

/** Per account of the summary, so that it costs nothing beside its posts. */
function countCoverage(): SQL<Coverage> {
  const given: readonly (readonly [CoveredNumber, SQL])[] = [
    ...METRICS.map((metric) => [metric, isGiven(metric)] as const),
    ["engagementRate", sql`${isGiven("views")} and ${isGiven("likes")} and ${isGiven("comments")}`],
  ];
  const toObject = (toValue: (condition: SQL) => SQL) =>
    sql.join(
      given.map(([name, condition]) => sql`${sql.raw(`'${name}'`)}, ${toValue(condition)}`),
      sql`, `,
    );
  return sql<Coverage>`(select jsonb_build_object('all', count(*),
    'accounts', jsonb_build_object(${toObject((condition) => sql`count(*) filter (where ${condition})`)}),
    'refreshedAt', jsonb_build_object('all', min(${target.lastRefreshedAt}),
      ${toObject((condition) => sql`min(${target.lastRefreshedAt}) filter (where ${condition})`)}))
    from selected_targets ${target})`;
}

const sumTotals = (isInPeriod: SQL) => sql<SummaryTotals>`(
  select jsonb_build_object(${gainsOf(sql`gain`)}, 'posts', hour.posts, 'accounts', hour.accounts)
  from (select ${joinGains((gain) => sql`sum(${gain}) as ${gain}`)} from gains where ${isInPeriod}) gain, (
    select coalesce(sum(posts), 0) as posts, count(distinct target_id) as accounts from hours where ${isInPeriod}) hour)`;

function listFigures({ first, last }: PeriodBounds, period: Period, scope: Scope) {
  // A streak does not end before the day is over.
  const unlessOver = sql`case when ${last} >= (clock_of(${scope.id}::uuid, now()) at time zone 'UTC')::date then 1 else 0 end`;
  return {
    first: sql<string>`to_char(${first}, 'YYYY-MM-DD')`,
    last: sql<string>`to_char(${last}, 'YYYY-MM-DD')`,
    series: sql<Day[]>`(
      select jsonb_agg(jsonb_build_object('date', to_char(s.day, 'YYYY-MM-DD'), ${gainsOf(sql`gain`)}) order by s.day)
      from generate_series(${first}::timestamp, ${last}::timestamp, interval '1 day') s(day)
      left join gains gain on gain.day = s.day::date)`,
    now: sumTotals(sql`day >= ${first}`),
    before: period.previousFirst ? sumTotals(sql`day < ${first}`) : sql<SummaryTotals | null>`null::jsonb`,
    hours: sql<SummaryFigures["hours"]>`(select coalesce(jsonb_agg(to_jsonb(w)), '[]') from (
      select weekday, hour, sum(posts)::int as posts from hours where day >= ${first} group by weekday, hour) w)`,
    kinds: sql<SummaryFigures["kinds"]>`(
      select coalesce(jsonb_agg(to_jsonb(k) order by k.posts desc, k.kind), '[]') from (
        select kind, sum(posts)::int as posts from hours where day >= ${first} group by kind) k)`,
    coverage: countCoverage(),
    streak: sql<SummaryFigures["streak"]>`(select jsonb_build_object('longest', coalesce(max(days), 0),
      'current', coalesce(max(days) filter (where last_day >= ${last} - ${unlessOver}), 0)) from runs)`,
  };
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
  { today, timeZone }: { today: string; timeZone: string | undefined },
): Read<{ target: StoredTarget; figures: SummaryFigures } | null> {
  return toRead(
    db,
    [selectTarget(db, scope, id, today), selectFigures(db, scope, { targetId: id, timeZone }, period)],
    ([[target], figures]) => (target ? { target, figures: at(figures, 0) } : null),
  );
}
