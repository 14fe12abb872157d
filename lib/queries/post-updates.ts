// Changes to posts that a publisher may have claimed: each is one statement that has no effect on a claimed delivery.
// posts.ts describes what triggers do after such a statement.
import { and, eq, getTableColumns, inArray, isNotNull, notInArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import type { Db } from "../services/database.ts";
import type { PostStatus } from "../shared/post-status.ts";
import type { Scope } from "../shared/scope.ts";
import { isOpenLink } from "./approvals.ts";
import { type DueDelivery, workKind } from "./due-accounts.ts";
import { NO_LEASE } from "./jobs.ts";
import { type FirstAttempt, type PostTarget, pickContent, type StoredPost, selectPost } from "./posts.ts";
import { inScope } from "./scope.ts";
import {
  fromTakenSlot,
  listFieldsAtSlot,
  lockSlots,
  type SlotRequest,
  type SlotTiming,
  selectFreeSlot,
  timesAtSlot,
} from "./slots.ts";
import { columnNames, instant, rawQuery, recordSet, uuidArray } from "./sql.ts";

export interface PostUpdate {
  /** The version of the post that the change is based on. */
  version: number;
  /** When the caller saw the post change last; null if a change in between does not matter. */
  expectedUpdatedAt: Date | null;
  allowedStatuses: readonly PostStatus[];
  draft: PostDraft;
  targets: PostTarget[];
  /** Of deliveries that are new to the post, and with `restarts` of all that are not published. */
  firstAttempt: FirstAttempt;
  /** The post takes one of these slots, and its times are those of the slot. */
  slot: (SlotRequest & SlotTiming) | null;
  /** The link that approves it: nothing is written unless it is open, and it is decided with the update. Null without one. */
  approvalId: string | null;
  /** Deliveries are prepared this long before they are due. */
  preparationMs: number;
  restarts: boolean;
  /** Why deliveries to accounts that are new to the post do not run: they are added as failed. Null if they do. */
  notQueued: { errorCode: string; errorMessage: string } | null;
  now: Date;
}

export interface PostUpdateResult {
  /**
   * `changed`, `conflict`: the post was changed since it was read here, or by the caller; `no_slot`: all slots are held;
   * `approval_ended`: the link is not open. Nothing was written.
   */
  outcome: "done" | "busy" | "changed" | "conflict" | "no_slot" | "approval_ended" | "status";
  post: StoredPost;
  /** The deliveries that still have an attempt or check, and when. */
  due: DueDelivery[];
}

/**
 * Deliveries of the scope's posts, locked in the order of their ids and before their posts. Every statement uses this
 * order, so that two changes of the same posts wait for each other and never for ever. A step of a publisher waits as well;
 * a claim skips what is locked.
 */
const lockDeliveries = (db: Db, scope: Scope, condition: SQL) =>
  db
    .select(getTableColumns(postDeliveries))
    .from(postDeliveries)
    .innerJoin(posts, eq(posts.id, postDeliveries.postId))
    .where(and(condition, inScope(posts, scope)))
    .orderBy(postDeliveries.id)
    .for("update", { of: postDeliveries });

/** A condition that makes the planner lock the deliveries first. */
const isAfterLock = sql`(select count(*) from locked_deliveries) >= 0`;

const locked = alias(postDeliveries, "locked_delivery");

/**
 * Deliveries that a change must not touch: leased now, or armed or sent, or out in part. A change clears an expired lease, because the
 * publisher that held it may only be slow, and the lease of a preparation, which publishes nothing: it is still scheduled.
 */
const isInFlight = (now: Date) =>
  sql`((${locked.leaseUntil} > ${instant(now)} and ${locked.status} <> 'scheduled') or ${locked.stage} = 'armed'
    or (${locked.stage} = 'sent' and ${locked.status} <> 'posted') or (${locked.part} > 0
    and (${locked.nextAttemptAt} is not null or ${locked.status} <> 'posted')))`;

/** The columns of a delivery that starts over. */
export const RESTARTED = { readyAt: null, attempts: 0, claims: 0, errorCode: null, errorMessage: null };

/** Replaces content, accounts and time of a post unless it is in flight or was changed meanwhile; null if the post is not in scope. */
export async function savePostUpdate(
  db: Db,
  scope: Scope,
  id: string,
  change: PostUpdate,
): Promise<PostUpdateResult | null> {
  const statements = [
    runUpdate(db, scope, id, change),
    selectPost(db, scope, id),
    db
      .select({ id: postDeliveries.id, dueAt: postDeliveries.nextAttemptAt, kind: workKind })
      .from(postDeliveries)
      .innerJoin(posts, eq(posts.id, postDeliveries.postId))
      .where(and(eq(postDeliveries.postId, id), isNotNull(postDeliveries.nextAttemptAt))),
  ] as const;
  const [[counts], [post], due] = change.slot
    ? await db.batch([lockSlots(db, change.slot), ...statements]).then(([, ...results]) => results)
    : await db.batch(statements);
  if (!post || !counts) return null;
  return { outcome: toOutcome(counts), post, due };
}

type Counts = Record<"writable" | "expected" | "busy" | "found" | "slots" | "open", number>;

function toOutcome({ writable, expected, busy, found, slots, open }: Counts) {
  if (writable > 0) return "done";
  if (found > expected) return "conflict";
  if (busy > 0) return "busy";
  if (found > 0 && slots === 0) return "no_slot";
  if (found > 0 && open === 0) return "approval_ended";
  return found > 0 ? "changed" : "status";
}

function runUpdate(db: Db, scope: Scope, id: string, change: PostUpdate) {
  return rawQuery(
    db,
    {
      writable: sql<number>`(select count(*) from writable_post)::int`,
      busy: sql<number>`(select count(*) from busy_deliveries)::int`,
      found: sql<number>`(select count(*) from locked_post)::int`,
      expected: sql<number>`(select count(*) from locked_post where is_expected)::int`,
      slots: sql<number>`(select count(*) from taken_slot)::int`,
      open: sql<number>`(select count(*) from open_link)::int`,
    },
    (list) => sql`
      with locked_deliveries as ${lockDeliveries(db, scope, eq(postDeliveries.postId, id))},
        locked_post as ${lockPost(db, scope, id, change)},
        busy_deliveries as (select 1 from locked_deliveries ${locked} where ${isInFlight(change.now)}),
        taken_slot as (${change.slot ? selectFreeSlot(change.slot) : sql`select null::timestamptz as at`}),
        open_link as (${change.approvalId ? lockOpenLink(id, change.approvalId, change.now) : sql`select null::uuid as id`}),
        writable_post as (
          select id from locked_post where is_same_version and is_expected and not exists (select 1 from busy_deliveries)
            and exists (select 1 from taken_slot) and exists (select 1 from open_link)
        ),
        decided_link as ${decideLink(db, change.now)},
        targets as (select ${listTargetFields(change)} from ${listTargets(change)}),
        updated_post as ${updateContent(db, change)}, removed_deliveries as ${removeDeliveries(db)},
        updated_deliveries as ${updateDeliveries(db, change)}, new_deliveries as (${insertDeliveries})
      select ${list}`,
  );
}

const lockOpenLink = (postId: string, linkId: string, now: Date): SQL => sql`
  select ${approvalLinks.id} from ${approvalLinks}
  where ${and(eq(approvalLinks.id, linkId), eq(approvalLinks.postId, postId), isOpenLink(now))} for update`;

const decideLink = (db: Db, now: Date) =>
  db
    .update(approvalLinks)
    .set({ decision: "approved", decidedAt: now })
    .from(sql`open_link, writable_post`)
    .where(eq(approvalLinks.id, sql`open_link.id`));

const lockPost = (db: Db, scope: Scope, id: string, { version, expectedUpdatedAt, allowedStatuses }: PostUpdate) =>
  db
    .select({
      id: posts.id,
      isSameVersion: sql<boolean>`${posts.version} = ${version}`.as("is_same_version"),
      isExpected: (expectedUpdatedAt
        ? sql<boolean>`${posts.updatedAt} = ${instant(expectedUpdatedAt)}`
        : sql<boolean>`true`
      ).as("is_expected"),
    })
    .from(posts)
    .where(and(eq(posts.id, id), inScope(posts, scope), isAfterLock, inArray(posts.status, allowedStatuses)))
    .for("update");

/** `updated_at` always increases, regardless of clock differences. */
const updateContent = (db: Db, change: PostUpdate) =>
  db
    .update(posts)
    .set({
      ...pickContent(change.draft),
      scheduledAt: change.slot ? fromTakenSlot() : change.draft.scheduledAt,
      schedule: change.draft.schedule,
      scheduleZone: change.draft.scheduleZone,
      version: sql`${posts.version} + 1`,
      updatedAt: sql`greatest(${instant(change.now)}, ${posts.updatedAt} + interval '1 millisecond')`,
    })
    .from(sql`writable_post`)
    .where(eq(posts.id, sql`writable_post.id`));

/** The columns of a new delivery; its post is not known before it is locked. */
const { accountId, position, parts, status, dueAt, nextAttemptAt, deadlineAt, errorCode, errorMessage } =
  postDeliveries;
const TARGET_COLUMNS = {
  ...{ id: postDeliveries.id, accountId, position, parts, status, dueAt, nextAttemptAt },
  ...{ deadlineAt, errorCode, errorMessage },
};

function listTargets(change: PostUpdate): SQL {
  const state = change.notQueued ? { status: "failed", ...change.notQueued } : change.firstAttempt;
  const rows = change.targets.map((target, position) => ({ ...target, position, ...state }));
  return recordSet("target", TARGET_COLUMNS, rows);
}

const listTargetFields = ({ slot, now }: PostUpdate): SQL =>
  slot ? listFieldsAtSlot(Object.keys(TARGET_COLUMNS), slot, now) : sql`*`;

const isOpen = and(
  eq(postDeliveries.postId, sql`(select id from writable_post)`),
  notInArray(status, ["posted", "deleted"]),
);

const removeDeliveries = (db: Db) =>
  db.delete(postDeliveries).where(and(isOpen, sql`${accountId} not in (select "accountId" from targets)`));

/** A prepared delivery has the content from before the change, so it is prepared again. */
function updateDeliveries(db: Db, change: PostUpdate) {
  const { preparationMs, restarts, slot, now } = change;
  const nextPreparation = sql`case when ${status} = 'scheduled'
    then greatest(${instant(now)}, ${dueAt} - ${preparationMs} * interval '1 millisecond')
    else ${nextAttemptAt} end`;
  return db
    .update(postDeliveries)
    .set({
      ...{ position: sql`targets.position`, parts: sql`targets.parts`, part: 0 },
      ...{ stage: "new", handle: null, readyAt: null, checkedAt: null, risk: null },
      nextAttemptAt: nextPreparation,
      updatedAt: now,
      ...NO_LEASE,
      ...(restarts ? { ...change.firstAttempt, ...(slot ? timesAtSlot(slot, now) : {}), ...RESTARTED } : {}),
    })
    .from(sql`targets`)
    .where(and(isOpen, eq(accountId, sql`targets."accountId"`)));
}

const insertDeliveries = sql`
  insert into ${postDeliveries} (${columnNames([...Object.values(TARGET_COLUMNS), postDeliveries.postId])})
  select targets.*, writable_post.id from writable_post, targets
  where targets."accountId" not in (select account_id from locked_deliveries)`;

export interface PostDeletion {
  id: string;
  status: PostStatus;
  deleted: boolean;
}

/**
 * Deletes posts that are neither published nor being published; ids outside the scope are not returned. Deliveries, then
 * posts are locked, each in the order of their ids. With `onlyDrafts` one that is no draft keeps them all.
 */
export async function deletePosts(
  db: Db,
  scope: Scope,
  ids: string[],
  { onlyDrafts, now }: { onlyDrafts: boolean; now: Date },
): Promise<PostDeletion[]> {
  const deletion = db
    .delete(posts)
    .where(sql`${posts.id} in (select id from locked_posts) and ${posts.id} not in (select id from blocked_posts)`)
    .returning({ id: posts.id });
  return rawQuery(
    db,
    {
      id: sql<string>`locked_posts.id`,
      status: sql<PostStatus>`locked_posts.status`,
      deleted: sql<boolean>`locked_posts.id in (select id from deleted_posts)`,
    },
    (list) => sql`
      with locked_deliveries as ${lockDeliveries(db, scope, sql`${postDeliveries.postId} = any(${uuidArray(ids)})`)},
        locked_posts as ${lockPosts(db, scope, ids)}, blocked_posts as (${onlyDrafts ? selectUnlessDrafts : selectBlocked(now)}),
        deleted_posts as ${deletion}
      select ${list} from locked_posts`,
  );
}

const lockPosts = (db: Db, scope: Scope, ids: string[]) =>
  db
    .select({ id: posts.id, status: posts.status })
    .from(posts)
    .where(and(sql`${posts.id} = any(${uuidArray(ids)})`, inScope(posts, scope), isNotNull(posts.status), isAfterLock))
    .orderBy(posts.id)
    .for("update");

const selectUnlessDrafts = sql`
  select id from locked_posts where exists (select 1 from locked_posts where status <> 'draft')`;

const selectBlocked = (now: Date): SQL => sql`
  select id from locked_posts where status in ('posted', 'partial')
  union select ${locked.postId} from locked_deliveries ${locked}
    where ${locked.status} in ('posted', 'partial') or (${locked.nextAttemptAt} is not null and ${isInFlight(now)})`;
