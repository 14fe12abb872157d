// Execution of analytics refreshes: claimed under a lease, stored page by page, finished once.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import {
  analyticsPosts as posts,
  analyticsRefreshes as refreshes,
  analyticsSnapshots as snapshots,
  analyticsTargetDays as targetDays,
  analyticsTargets as targets,
} from "../../drizzle/schema/analytics.ts";
import { type FetchedPost, METRICS } from "../schemas/analytics-metrics.ts";
import { toUtcDay } from "../schemas/analytics-period.ts";
import type { Db } from "../services/database.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { hasLease, isNextDue, isUnleased, type JobClaim, NO_LEASE, takeLease } from "./jobs.ts";
import {
  columnName,
  columnNames,
  excluded,
  instant,
  jsonList,
  jsonObject,
  type RowOf,
  rawQuery,
  recordSet,
  required,
  uuidArray,
} from "./sql.ts";

const { id, targetId, startedAt, error } = refreshes;

/** Refreshes due before `until` without a lease, soonest first. */
export function listUpcomingRefreshes(
  db: Db,
  now: Date,
  until: Date,
  limit: number,
): Promise<{ id: string; dueAt: Date | null }[]> {
  return db
    .select({ id, dueAt: refreshes.nextAttemptAt })
    .from(refreshes)
    .where(and(lte(refreshes.nextAttemptAt, until), isUnleased(refreshes, now)))
    .orderBy(asc(refreshes.nextAttemptAt))
    .limit(limit);
}

const MAX_ACCOUNTS = 20;

/** The account is the target itself, not another account on the same network. */
const isTargetItself = sql<boolean>`${targets.normalizedIdentifier}
  in (lower(ltrim(${accounts.username}, '@')), lower(${accounts.externalId}))`;

/** Everything one attempt needs, read together with the claim. */
const CLAIMED_COLUMNS = {
  id,
  leaseToken: required(refreshes.leaseToken),
  leaseUntil: required(refreshes.leaseUntil),
  claims: refreshes.claims,
  cursor: refreshes.cursor,
  postsSeen: refreshes.postsSeen,
  attempts: refreshes.attempts,
  deadlineAt: refreshes.deadlineAt,
  /** The last error. */
  error,
  target: jsonObject({
    id: targets.id,
    platform: targets.platform,
    identifier: targets.identifier,
    maxPosts: targets.maxPosts,
  }),
  /** Connected accounts of the scope on this network; the target's own account comes first. */
  accounts: jsonList(
    { ...CONNECTION_COLUMNS, own: sql<boolean>`own` },
    {
      from: sql`from (
        select *, ${isTargetItself} as own from ${accounts}
        where ${accounts.scopeId} = ${targets.scopeId} and ${accounts.platform} = ${targets.platform}
        order by own desc, ${accounts.status} = 'active' desc limit ${MAX_ACCOUNTS}) ${accounts}`,
      orderBy: sql`own desc, ${accounts.status} = 'active' desc, ${accounts.id}`,
    },
  ),
};
export type ClaimedRefresh = RowOf<typeof CLAIMED_COLUMNS>;

export interface RefreshClaim extends JobClaim {
  ids: string[];
}

export function claimRefreshes(db: Db, request: RefreshClaim): Promise<ClaimedRefresh[]> {
  const isAmong = sql`${id} = any(${uuidArray(request.ids)})`;
  const claimed = db
    .update(refreshes)
    .set({
      ...takeLease(refreshes, request),
      status: "processing",
      startedAt: sql`coalesce(${startedAt}, ${instant(request.now)})`,
    })
    .from(targets)
    .where(and(isNextDue(refreshes, refreshes.nextAttemptAt, request, isAmong), eq(targets.id, targetId)));
  return rawQuery(db, CLAIMED_COLUMNS, (list) => sql`${claimed.getSQL()} returning ${list}`);
}

/** False if the lease was lost. */
export async function extendRefreshLease(db: Db, claimed: Claim, leaseUntil: Date): Promise<boolean> {
  const held = await db.update(refreshes).set({ leaseUntil }).where(isHeld(claimed)).returning({ id });
  return held.length > 0;
}

export interface PageOfPosts {
  /** Without duplicates. */
  posts: FetchedPost[];
  /** Posts read so far, this page included. */
  seen: number;
  /** Cursor of the next page; null completes the refresh. */
  cursor: string | null;
}

type Claim = Pick<ClaimedRefresh, "id" | "leaseToken">;

const isHeld = (claimed: Claim): SQL | undefined => and(eq(id, claimed.id), hasLease(refreshes, claimed));

const { platformPostId, kind, publishedAt, caption, permalink, thumbnailUrl, durationSeconds } = posts;
const { views, likes, comments, shares, saves } = posts;
const POST_COLUMNS = { kind, publishedAt, caption, permalink, thumbnailUrl, durationSeconds };
const METRIC_COLUMNS = { views, likes, comments, shares, saves };

const metricNames = columnNames(Object.values(METRIC_COLUMNS));
/** One SQL fragment per metric, from the names of its column and of its gain. */
const joinMetrics = (toPart: (metric: SQL, gained: SQL) => SQL) =>
  sql.join(
    METRICS.map((metric) => toPart(columnName(posts[metric]), sql`${sql.identifier(`gained_${metric}`)}`)),
    sql`, `,
  );

/**
 * Writes a page under the lease, in one statement: the posts, today's snapshots of changed posts, and the gains per day.
 * Idempotent. False if the lease was lost.
 */
export async function savePageOfPosts(
  db: Db,
  claimed: Claim,
  page: PageOfPosts,
  now: Date,
  leaseUntil: Date,
): Promise<boolean> {
  const at = instant(now);
  const today = sql`${toUtcDay(now)}::date`;
  const done = page.cursor === null;
  const completed = {
    status: "completed",
    completedAt: now,
    nextAttemptAt: null,
    ...NO_LEASE,
  } as const;
  const held = db
    .update(refreshes)
    .set({
      cursor: page.cursor,
      postsSeen: page.seen,
      attempts: 0,
      claims: 0,
      errorCode: null,
      error: null,
      ...(done ? completed : { leaseUntil }),
    })
    .where(isHeld(claimed))
    .returning({ targetId });
  const refreshed = db
    .update(targets)
    .set({ lastRefreshedAt: now })
    .from(sql`held`)
    .where(sql`${targets.id} = held.target_id and ${done}::boolean`);
  const given = { platformPostId, ...POST_COLUMNS, ...METRIC_COLUMNS };
  const stored = [...Object.values(POST_COLUMNS), ...Object.values(METRIC_COLUMNS)];
  const sets = stored.map((column) => sql`${columnName(column)} = ${excluded(column)}`);
  const written = await rawQuery(
    db,
    { targetId: sql<string>`held.target_id` },
    (list) => sql`
      with held as ${held}, refreshed as ${refreshed}, page as (
        select held.target_id, given.* from held, ${recordSet("given", given, page.posts)}
      ), known as (
        select ${posts}.* from page join ${posts}
          on ${posts.targetId} = page.target_id and ${platformPostId} = page."platformPostId"
      ), kept as (
        insert into ${posts} (
          ${columnNames([posts.targetId, platformPostId, ...stored, posts.createdAt, posts.updatedAt])})
        select page.*, ${at}, ${at} from page order by "platformPostId"
        on conflict (${columnNames([posts.targetId, platformPostId])}) do update set
          ${sql.join(sets, sql`, `)}, ${columnName(posts.updatedAt)} = ${excluded(posts.updatedAt)}
        where (${sql.join(stored, sql`, `)}) is distinct from (${sql.join(stored.map(excluded), sql`, `)})
        returning ${columnNames([posts.id, platformPostId])}
      ), changes as (
        select page.*,
          case when known.id is null then least((page."publishedAt" at time zone 'UTC')::date, ${today})
            else ${today} end as day,
          ${joinMetrics((metric, gained) => sql`page.${metric} - coalesce(known.${metric}, 0) as ${gained}`)}
        from page left join known on known.platform_post_id = page."platformPostId"
        where known.id is null or (${joinMetrics((metric) => sql`known.${metric}`)})
          is distinct from (${joinMetrics((metric) => sql`page.${metric}`)})
      ), snapshots as (
        insert into ${snapshots} (${columnNames([snapshots.postId, snapshots.day])}, ${metricNames})
        select kept.id, ${today}, ${joinMetrics((metric) => sql`changes.${metric}`)}
        from changes join kept on kept.platform_post_id = changes."platformPostId"
        on conflict (${columnNames([snapshots.postId, snapshots.day])}) do update set
          ${joinMetrics((metric) => sql`${metric} = excluded.${metric}`)}
      ), days as (
        insert into ${targetDays} (${columnNames([targetDays.targetId, targetDays.day])}, ${metricNames})
        select target_id, day, ${joinMetrics((_, gained) => sql`sum(${gained})`)} from changes group by target_id, day
        on conflict (${columnNames([targetDays.targetId, targetDays.day])}) do update set
          ${joinMetrics((metric) => sql`${metric} = ${targetDays}.${metric} + excluded.${metric}`)}
      )
      select ${list} from held`,
  );
  return written.length > 0;
}

/** The outcome of an attempt that did not complete the refresh. */
export interface RefreshOutcome {
  status: "pending" | "processing" | "failed";
  attempts: number;
  nextAttemptAt: Date | null;
  errorCode: string | null;
  error: string | null;
}

/** Ends the lease; a failed refresh makes the free one of its day available again. False if the lease was lost. */
export async function finishRefresh(db: Db, claimed: Claim, outcome: RefreshOutcome, now: Date): Promise<boolean> {
  const failed = outcome.status === "failed";
  const finishedRow = db
    .update(refreshes)
    .set({ ...outcome, ...NO_LEASE, claims: 0, completedAt: failed ? now : null })
    .where(isHeld(claimed))
    .returning({ id, targetId, createdAt: refreshes.createdAt });
  const refunded = db
    .update(targets)
    .set({ freeRefreshedOn: null })
    .from(sql`finished`)
    .where(
      sql`${failed}::boolean and ${targets.id} = finished.target_id
        and ${targets.freeRefreshedOn} = (finished.created_at at time zone 'UTC')::date`,
    );
  const finished = await rawQuery(
    db,
    { id: sql<string>`finished.id` },
    (list) => sql`with finished as ${finishedRow}, refunded as ${refunded} select ${list} from finished`,
  );
  return finished.length > 0;
}
