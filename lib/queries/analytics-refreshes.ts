// Execution of analytics refreshes: claimed under a lease, stored page by page, finished once.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import {
  analyticsPosts as posts,
  analyticsRefreshes as refreshes,
  analyticsSnapshots as snapshots,
  analyticsTargetDays as targetDays,
  analyticsTargets as targets,
} from "../../drizzle/schema/analytics.ts";
import type { FetchedPost } from "../schemas/analytics-metrics.ts";
import { toUtcDay } from "../schemas/analytics-period.ts";
import type { Db } from "../services/database.ts";
import { METRICS, type MissingNumbers } from "../shared/metrics.ts";
import type { Sandbox } from "../shared/scope.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { hasLease, isNextDue, isUnleased, type JobClaim, NO_LEASE, takeLease } from "./jobs.ts";
import { inMode, isHandleOf } from "./scope.ts";
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
import { hasWebhooks } from "./webhooks.ts";

const { id, targetId, startedAt, error } = refreshes;

/** Refreshes due before `until` without a lease, soonest first. */
export function listUpcomingRefreshes(
  db: Db,
  now: Date,
  until: Date,
  limit: number,
  sandbox: Sandbox | null = null,
): Promise<{ id: string; dueAt: Date | null }[]> {
  return db
    .select({ id, dueAt: refreshes.nextAttemptAt })
    .from(refreshes)
    .where(
      and(
        lte(refreshes.nextAttemptAt, until),
        isUnleased(refreshes, now),
        sql`exists (select 1 from ${targets} where ${targets.id} = ${targetId} and ${inMode(targets.scopeId, sandbox)})`,
      ),
    )
    .orderBy(asc(refreshes.nextAttemptAt))
    .limit(limit);
}

const MAX_ACCOUNTS = 20;

const isTarget = (account: Parameters<typeof isHandleOf>[0]) => isHandleOf(account, targets.normalizedIdentifier);

const candidate = alias(accounts, "candidate");

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
  scopeId: required(targets.scopeId),
  hasWebhooks: hasWebhooks(targets.scopeId),
  /** The last error. */
  error,
  target: jsonObject({
    id: targets.id,
    platform: targets.platform,
    identifier: targets.identifier,
    maxPosts: targets.maxPosts,
    lastRefreshedAt: targets.lastRefreshedAt,
    missingNumbers: targets.missingNumbers,
  }),
  /** Connected accounts of the scope on this network; the target's own account comes first. */
  accounts: jsonList(
    { ...CONNECTION_COLUMNS, own: isTarget(accounts) },
    {
      from: sql`from ${accounts} where ${accounts.id} = any(array(
        select ${candidate.id} from ${accounts} ${candidate}
        where ${candidate.scopeId} = ${targets.scopeId} and ${candidate.platform} = ${targets.platform}
        order by ${isTarget(candidate)} desc, ${candidate.status} = 'active' desc limit ${MAX_ACCOUNTS}))`,
      orderBy: sql`${isTarget(accounts)} desc, ${accounts.status} = 'active' desc, ${accounts.id}`,
    },
  ),
};
export type ClaimedRefresh = RowOf<typeof CLAIMED_COLUMNS>;

export interface RefreshClaim extends JobClaim {
  ids: string[];
}

/** Claims due refreshes, the longest due first. Rows that another claim is locking are skipped: nobody waits. */
export function claimRefreshes(db: Db, request: RefreshClaim): Promise<ClaimedRefresh[]> {
  const isAmong = sql`${id} = any(${uuidArray(request.ids)})`;
  const update = db
    .update(refreshes)
    .set({
      ...takeLease(refreshes, request),
      status: "processing",
      startedAt: sql`coalesce(${startedAt}, ${instant(request.now)})`,
    })
    .from(targets)
    .where(and(isNextDue(refreshes, refreshes.nextAttemptAt, request, isAmong), eq(targets.id, targetId)));
  return rawQuery(db, CLAIMED_COLUMNS, (list) => sql`${update.getSQL()} returning ${list}`);
}

/** False if the lease was lost. */
export async function extendRefreshLease(db: Db, claimed: Claim, leaseUntil: Date): Promise<boolean> {
  const rows = await db.update(refreshes).set({ leaseUntil }).where(isLeased(claimed)).returning({ id });
  return rows.length > 0;
}

export interface PageOfPosts {
  /** Without duplicates. */
  posts: FetchedPost[];
  /** Posts read so far, this page included. */
  seen: number;
  /** Cursor of the next page; null completes the refresh. */
  cursor: string | null;
  /** What the page has not; of a `refused` number the stored one stays. */
  missing: MissingNumbers;
}

type Claim = Pick<ClaimedRefresh, "id" | "leaseToken">;

const isLeased = (claimed: Claim): SQL | undefined => and(eq(id, claimed.id), hasLease(refreshes, claimed));

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
 * Idempotent. False if the lease was lost. The refresh is locked first, and everything else depends on its row, so that
 * a worker that has lost the lease waits for the one that has it and then writes nothing. Posts are locked in the order of
 * their ids at the network.
 */
export async function savePageOfPosts(
  db: Db,
  claimed: Claim,
  page: PageOfPosts,
  now: Date,
  leaseUntil: Date,
): Promise<boolean> {
  const rows = await rawQuery(
    db,
    { targetId: sql<string>`refresh.target_id` },
    (list) => sql`
      with refresh as ${updateProgress(db, claimed, page, now, leaseUntil)},
        refreshed_target as ${markRefreshed(db, page, now)},
        page as (select refresh.target_id, fetched.* from refresh, ${recordSet("fetched", FETCHED_COLUMNS, page.posts)}),
        stored_posts as (${selectStoredPosts}), upserted_posts as (${upsertPosts(page, now)}),
        changes as (${selectChanges(now)}), upserted_snapshots as (${upsertSnapshots(now)}), updated_days as (${addGains})
      select ${list} from refresh`,
  );
  return rows.length > 0;
}

function updateProgress(db: Db, claimed: Claim, page: PageOfPosts, now: Date, leaseUntil: Date) {
  const completion = { status: "completed", completedAt: now, nextAttemptAt: null, ...NO_LEASE } as const;
  return db
    .update(refreshes)
    .set({
      ...{ cursor: page.cursor, postsSeen: page.seen, attempts: 0, claims: 0, errorCode: null, error: null },
      ...(page.cursor === null ? completion : { leaseUntil }),
    })
    .where(isLeased(claimed))
    .returning({ targetId });
}

const markRefreshed = (db: Db, page: PageOfPosts, now: Date) =>
  db
    .update(targets)
    .set({ lastRefreshedAt: now, missingNumbers: page.missing })
    .from(sql`refresh`)
    .where(sql`${targets.id} = refresh.target_id and ${page.cursor === null}::boolean`);

const FETCHED_COLUMNS = { platformPostId, ...POST_COLUMNS, ...METRIC_COLUMNS };

/** The posts of the page as they were before. */
const selectStoredPosts = sql`
  select ${posts}.* from page join ${posts}
    on ${posts.targetId} = page.target_id and ${platformPostId} = page."platformPostId"`;

/** A post that has not changed is neither written nor returned. */
function upsertPosts({ missing }: PageOfPosts, now: Date): SQL {
  const changeable = [...Object.values(POST_COLUMNS), ...Object.values(METRIC_COLUMNS)];
  const refused = METRICS.filter((metric) => missing[metric]?.coverage === "refused");
  const kept = new Set<PgColumn>(refused.map((metric) => METRIC_COLUMNS[metric]));
  const toNew = (column: PgColumn) =>
    kept.has(column) ? sql`coalesce(${excluded(column)}, ${column})` : excluded(column);
  const sets = changeable.map((column) => sql`${columnName(column)} = ${toNew(column)}`);
  const key = [posts.targetId, platformPostId];
  return sql`
    insert into ${posts} (${columnNames([...key, ...changeable, posts.createdAt, posts.updatedAt])})
    select page.*, ${instant(now)}, ${instant(now)} from page order by "platformPostId"
    on conflict (${columnNames(key)}) do update set
      ${sql.join(sets, sql`, `)}, ${columnName(posts.updatedAt)} = ${excluded(posts.updatedAt)}
    where (${sql.join(changeable, sql`, `)}) is distinct from (${sql.join(changeable.map(toNew), sql`, `)})
    returning ${columnNames([posts.id, platformPostId])}`;
}

const toDay = (now: Date): SQL => sql`${toUtcDay(now)}::date`;

/** A number that the network hides, or hides from now on, gains nothing. */
const gainOf = (metric: SQL): SQL => sql`coalesce(page.${metric}, stored.${metric}, 0) - coalesce(stored.${metric}, 0)`;

/** Posts that are new or whose metrics changed, with what they gained and the day that the gain belongs to. */
const selectChanges = (now: Date): SQL => sql`
  select page.*,
    case when stored.id is null then least((page."publishedAt" at time zone 'UTC')::date, ${toDay(now)})
      else ${toDay(now)} end as day,
    ${joinMetrics((metric, gained) => sql`${gainOf(metric)} as ${gained}`)},
    page.views is null or page.likes is null or page.comments is null as is_unrated
  from page left join stored_posts stored on stored.platform_post_id = page."platformPostId"
  where stored.id is null or (${joinMetrics((metric) => sql`stored.${metric}`)})
    is distinct from (${joinMetrics((metric) => sql`page.${metric}`)})`;

const upsertSnapshots = (now: Date): SQL => sql`
  insert into ${snapshots} (${columnNames([snapshots.postId, snapshots.day])}, ${metricNames})
  select upserted_posts.id, ${toDay(now)}, ${joinMetrics((metric) => sql`changes.${metric}`)}
  from changes join upserted_posts on upserted_posts.platform_post_id = changes."platformPostId"
  on conflict (${columnNames([snapshots.postId, snapshots.day])}) do update set
    ${joinMetrics((metric) => sql`${metric} = excluded.${metric}`)}`;

const UNRATED = [targetDays.unratedViews, targetDays.unratedInteractions];

const addGains = sql`
  insert into ${targetDays} (${columnNames([targetDays.targetId, targetDays.day])}, ${metricNames}, ${columnNames(UNRATED)})
  select target_id, day, ${joinMetrics((_, gained) => sql`sum(${gained})`)},
    coalesce(sum(gained_views) filter (where is_unrated), 0),
    coalesce(sum(gained_likes + gained_comments + gained_shares + gained_saves) filter (where is_unrated), 0)
  from changes group by target_id, day
  on conflict (${columnNames([targetDays.targetId, targetDays.day])}) do update set
    ${joinMetrics((metric) => sql`${metric} = ${targetDays}.${metric} + excluded.${metric}`)},
    ${sql.join(
      UNRATED.map((column) => sql`${columnName(column)} = ${column} + ${excluded(column)}`),
      sql`, `,
    )}`;

/** The outcome of an attempt that did not complete the refresh. */
export interface RefreshOutcome {
  status: "pending" | "processing" | "failed";
  attempts: number;
  nextAttemptAt: Date | null;
  errorCode: string | null;
  error: string | null;
}

/**
 * Ends the lease; a failed refresh makes the free one of its day available again. False if the lease was lost. It locks
 * the refresh, then its target, for which a request of a refresh waits.
 */
export async function finishRefresh(db: Db, claimed: Claim, outcome: RefreshOutcome, now: Date): Promise<boolean> {
  const failed = outcome.status === "failed";
  const refreshUpdate = db
    .update(refreshes)
    .set({ ...outcome, ...NO_LEASE, claims: 0, completedAt: failed ? now : null })
    .where(isLeased(claimed))
    .returning({ id, targetId, createdAt: refreshes.createdAt });
  const refund = db
    .update(targets)
    .set({ freeRefreshedOn: null })
    .from(sql`refresh`)
    .where(
      sql`${failed}::boolean and ${targets.id} = refresh.target_id
        and ${targets.freeRefreshedOn} = (refresh.created_at at time zone 'UTC')::date`,
    );
  const rows = await rawQuery(
    db,
    { id: sql<string>`refresh.id` },
    (list) => sql`with refresh as ${refreshUpdate}, refunded_target as ${refund} select ${list} from refresh`,
  );
  return rows.length > 0;
}
