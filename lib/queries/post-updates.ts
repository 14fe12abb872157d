// Changes to posts that a publisher may have claimed: each is one statement that has no effect on a claimed delivery.
// posts.ts describes what triggers do after such a statement.
import { and, eq, getTableColumns, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { PostStatus } from "../shared/post-status.ts";
import type { Scope } from "../shared/scope.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { type DueDelivery, workKind } from "./due-accounts.ts";
import { NO_LEASE } from "./jobs.ts";
import { type StoredContent, type StoredPost, selectPost } from "./posts.ts";
import { columnNames, instant, rawQuery, recordSet, uuidArray } from "./sql.ts";

export interface NewTarget {
  /** The id of the delivery if the account is new to the post. */
  id: string;
  accountId: string;
}

export interface PostUpdate extends StoredContent {
  /** The version of the post that the change is based on. */
  version: number;
  allowedStatuses: readonly PostStatus[];
  scheduledAt: Date | null;
  targets: NewTarget[];
  /** When new deliveries (with `requeue`, all deliveries) are due; null keeps a draft a draft. */
  dueAt: Date | null;
  deadlineAt: Date | null;
  /** How long before they are due deliveries are prepared. */
  preparationMs: number;
  requeue: boolean;
  /** Why deliveries to accounts that are new to the post do not run: they are added as failed. Null if they do. */
  notQueued: { errorCode: string; errorMessage: string } | null;
  now: Date;
}

export interface PostUpdateResult {
  /** `changed`: the post was changed since it was read; nothing was written. */
  outcome: "done" | "busy" | "changed" | "status";
  post: StoredPost;
  /** The deliveries that still have an attempt or check, and when. */
  due: DueDelivery[];
}

/** Deliveries of the scope's posts, locked in the order of their ids and before their posts. Every statement uses this order. */
function lockDeliveries(db: Db, scope: Scope, which: SQL): SQL {
  const deliveries = db
    .select(getTableColumns(postDeliveries))
    .from(postDeliveries)
    .innerJoin(posts, eq(posts.id, postDeliveries.postId))
    .where(and(which, eq(posts.scopeId, scope.id)))
    .orderBy(postDeliveries.id)
    .for("update", { of: postDeliveries });
  return sql`locked as ${deliveries}`;
}

/** A condition that makes the planner run `locked` first. */
const isAfterLock = sql`(select count(*) from locked) >= 0`;

/**
 * Deliveries that a change must not touch: leased now, or armed or sent. A change clears an expired lease, because the
 * publisher that held it may only be slow, and the lease of a preparation, which publishes nothing: it is still scheduled.
 */
const isInFlight = (now: Date) => {
  const { leaseUntil, stage, status } = postDeliveries;
  return sql`((${leaseUntil} > ${instant(now)} and ${status} <> 'scheduled') or ${stage} = 'armed' or (${stage} = 'sent' and ${status} <> 'posted'))`;
};

/** When a delivery is attempted or prepared first. */
export function getFirstAttemptTime(dueAt: Date, preparationMs: number, now: Date): Date {
  return dueAt > now ? new Date(Math.max(now.getTime(), dueAt.getTime() - preparationMs)) : dueAt;
}

/** The columns of a delivery that waits for its first attempt. */
function toQueued(queued: Pick<PostUpdate, "dueAt" | "deadlineAt" | "preparationMs" | "now">) {
  const { dueAt, deadlineAt, preparationMs, now } = queued;
  const status = dueAt === null ? "draft" : dueAt > now ? "scheduled" : "pending";
  const nextAttemptAt = dueAt && getFirstAttemptTime(dueAt, preparationMs, now);
  return { status, dueAt, nextAttemptAt, readyAt: null, deadlineAt } as const;
}

/** Replaces content, accounts and time of a post unless it is in flight or was changed meanwhile; null if the post is not in scope. */
export async function updatePost(
  db: Db,
  scope: Scope,
  id: string,
  change: PostUpdate,
): Promise<PostUpdateResult | null> {
  const { version, allowedStatuses, targets, dueAt, deadlineAt, preparationMs, requeue, notQueued, now, ...content } =
    change;
  const queued = toQueued(change);
  // What was prepared shows the content before the change.
  const prepareAgain = sql`case when ${postDeliveries.status} = 'scheduled'
    then greatest(${instant(now)}, ${postDeliveries.dueAt} - ${preparationMs} * interval '1 millisecond')
    else ${postDeliveries.nextAttemptAt} end`;
  const held = db
    .select({ id: posts.id, same: sql<boolean>`${posts.version} = ${version}`.as("same") })
    .from(posts)
    .where(and(eq(posts.id, id), eq(posts.scopeId, scope.id), isAfterLock, inArray(posts.status, allowedStatuses)))
    .for("update");
  const edited = db
    .update(posts)
    .set({ ...content, version: sql`${posts.version} + 1`, updatedAt: now })
    .from(sql`go`)
    .where(eq(posts.id, sql`go.id`));
  const isOpen = and(eq(postDeliveries.postId, sql`(select id from go)`), ne(postDeliveries.status, "posted"));
  const removed = db
    .delete(postDeliveries)
    .where(and(isOpen, sql`${postDeliveries.accountId} not in (select "accountId" from wanted)`));
  const kept = db
    .update(postDeliveries)
    .set({
      position: sql`wanted.position`,
      stage: "new",
      handle: null,
      readyAt: null,
      checkedAt: null,
      risk: null,
      nextAttemptAt: prepareAgain,
      updatedAt: now,
      ...NO_LEASE,
      ...(requeue ? { ...queued, attempts: 0, claims: 0, errorCode: null, errorMessage: null } : {}),
    })
    .from(sql`wanted`)
    .where(and(isOpen, eq(postDeliveries.accountId, sql`wanted."accountId"`)));
  const { accountId, position, status, nextAttemptAt } = postDeliveries;
  const added = { id: postDeliveries.id, accountId, position, status, dueAt: postDeliveries.dueAt, nextAttemptAt };
  const { deadlineAt: deadline, errorCode, errorMessage } = postDeliveries;
  const given = { ...added, deadlineAt: deadline, errorCode, errorMessage };
  const state = notQueued ? { status: "failed", ...notQueued } : queued;
  const rows = targets.map((target, at) => ({ ...target, position: at, ...state }));

  const [[counts], [post], due] = await db.batch([
    rawQuery(
      db,
      {
        done: sql<number>`(select count(*) from go)::int`,
        busy: sql<number>`(select count(*) from busy)::int`,
        held: sql<number>`(select count(*) from held)::int`,
      },
      (list) => sql`
        with ${lockDeliveries(db, scope, eq(postDeliveries.postId, id))},
        held as ${held},
        busy as (select 1 from locked ${postDeliveries} where ${isInFlight(now)}),
        go as (select held.id from held where held.same and not exists (select 1 from busy)),
        wanted as (select * from ${recordSet("given", given, rows)}),
        edited as ${edited}, removed as ${removed}, kept as ${kept}, added as (
          insert into ${postDeliveries} (${columnNames([...Object.values(given), postDeliveries.postId])})
          select wanted.*, go.id from go, wanted where wanted."accountId" not in (select account_id from locked)
        )
        select ${list}`,
    ),
    selectPost(db, scope, id),
    db
      .select({ id: postDeliveries.id, dueAt: nextAttemptAt, kind: workKind })
      .from(postDeliveries)
      .innerJoin(posts, eq(posts.id, postDeliveries.postId))
      .where(and(eq(postDeliveries.postId, id), isNotNull(nextAttemptAt))),
  ]);
  if (!post || !counts) return null;
  const { done, busy, held: found } = counts;
  return { outcome: done > 0 ? "done" : busy > 0 ? "busy" : found > 0 ? "changed" : "status", post, due };
}

export interface PostDeletion {
  id: string;
  status: PostStatus;
  deleted: boolean;
}

/** Deletes posts that are neither published nor being published; ids outside the scope are not returned. */
export async function deletePosts(db: Db, scope: Scope, ids: string[], now: Date): Promise<PostDeletion[]> {
  const isWanted = sql`${posts.id} = any(${uuidArray(ids)})`;
  const held = db
    .select({ id: posts.id, status: posts.status })
    .from(posts)
    .where(and(isWanted, eq(posts.scopeId, scope.id), isNotNull(posts.status), isAfterLock))
    .orderBy(posts.id)
    .for("update");
  const { nextAttemptAt, postId, status } = postDeliveries;
  const deleted = db
    .delete(posts)
    .where(sql`${posts.id} in (select id from held) and ${posts.id} not in (select id from blocked)`)
    .returning({ id: posts.id });
  return rawQuery(
    db,
    {
      id: sql<string>`held.id`,
      status: sql<PostStatus>`held.status`,
      deleted: sql<boolean>`held.id in (select id from deleted)`,
    },
    (list) => sql`
      with ${lockDeliveries(db, scope, sql`${postId} = any(${uuidArray(ids)})`)},
      held as ${held},
      blocked as (
        select id from held where status in ('posted', 'partial')
        union select ${postId} from locked ${postDeliveries}
          where ${status} = 'posted' or (${nextAttemptAt} is not null and ${isInFlight(now)})
      ),
      deleted as ${deleted}
      select ${list} from held`,
  );
}

export interface RetryRequest {
  postIds: string[];
  accountIds: string[] | null;
  /** Clears the handle and stage, so that a delivery whose outcome is unknown is sent again. */
  resend: boolean;
  now: Date;
  deadlineAt: Date;
}

export interface RequeuedPost {
  postId: string;
  status: PostStatus;
  deliveries: { id: string; accountId: string; kind: WorkKind; isUnknown: boolean }[];
}

/** Makes failed deliveries due again; one whose outcome is unknown keeps its stage, so that it is reconciled first. */
export async function requeueFailedPosts(db: Db, scope: Scope, request: RetryRequest): Promise<RequeuedPost[]> {
  const { postIds, accountIds, resend, now, deadlineAt } = request;
  const { stage, handle, accountId, status, postId, id } = postDeliveries;
  const seen = db
    .select({ id: posts.id, status: posts.status })
    .from(posts)
    .where(and(inArray(posts.id, postIds), eq(posts.scopeId, scope.id), isNotNull(posts.status)));
  const isUnknown = sql<boolean>`(${stage} in ('armed', 'sent'))`;
  const restarted = {
    stage: "new",
    handle: sql`case when ${isUnknown} then '{"resent": true}'::jsonb end`,
  } as const;
  const kept = {
    stage: sql`case when ${isUnknown} then ${stage} else 'new' end`,
    handle: sql`case when ${isUnknown} then ${handle} end`,
  };
  // Which outcomes were unknown is read from the rows before the update.
  const unknown = db
    .select({ id })
    .from(postDeliveries)
    .where(and(inArray(postId, postIds), isUnknown));
  const requeued = db
    .update(postDeliveries)
    .set({
      ...toQueued({ dueAt: now, deadlineAt, preparationMs: 0, now }),
      ...{ attempts: 0, claims: 0, errorCode: null, errorMessage: null },
      ...(resend ? restarted : kept),
      updatedAt: now,
    })
    .from(sql`seen, ${accounts}`)
    .where(
      and(
        sql`${postId} = seen.id and seen.status in ('failed', 'partial')`,
        eq(status, "failed"),
        eq(accounts.id, accountId),
        eq(accounts.scopeId, scope.id),
        accountIds ? inArray(accountId, accountIds) : undefined,
      ),
    )
    .returning({ id, postId, accountId, stage });
  return rawQuery(
    db,
    {
      postId: sql<string>`seen.id`,
      status: sql<PostStatus>`seen.status`,
      deliveries: sql<RequeuedPost["deliveries"]>`coalesce((
        select jsonb_agg(jsonb_build_object('id', ${id}, 'accountId', ${accountId}, 'kind', ${workKind},
          'isUnknown', ${id} in (select id from unknown)))
        from requeued ${postDeliveries} join ${posts} on ${posts.id} = ${postId} where ${postId} = seen.id), '[]')`,
    },
    (list) => sql`
      with seen as ${seen}, unknown as ${unknown}, requeued as ${requeued} select ${list} from seen`,
  );
}
