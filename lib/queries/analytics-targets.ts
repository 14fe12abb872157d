// Tracked accounts of a scope. A deleted one is hidden at once; its rows are deleted later, a few at a time.
import { and, count, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { analyticsPosts, analyticsRefreshes, analyticsTargets as targets } from "../../drizzle/schema/analytics.ts";
import { toUtcDay } from "../schemas/analytics-period.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Platform } from "../shared/platforms.ts";
import type { Scope } from "../shared/scope.ts";
import { isAfterCursor, type Paging, toPage, toRowPosition } from "./paging.ts";
import { type Read, toRead } from "./read.ts";
import { inScope, isHandleOf } from "./scope.ts";
import { type RowOf, rawQuery } from "./sql.ts";

/** `today` is the UTC day whose free refresh may be available. */
const columns = (today: string) => ({
  id: targets.id,
  ownerId: targets.ownerId,
  workspaceId: targets.workspaceId,
  platform: targets.platform,
  identifier: targets.identifier,
  normalizedIdentifier: targets.normalizedIdentifier,
  displayName: targets.displayName,
  favorite: targets.favorite,
  freeDailyRefresh: targets.freeDailyRefresh,
  maxPosts: targets.maxPosts,
  lastRefreshedAt: targets.lastRefreshedAt,
  missingNumbers: targets.missingNumbers,
  createdAt: targets.createdAt,
  freeRefreshAvailable: sql<boolean>`${targets.freeDailyRefresh}
    and ${targets.freeRefreshedOn} is distinct from ${today}::date`,
});
export type StoredTarget = RowOf<ReturnType<typeof columns>>;

export const isVisibleTarget = (scope: Scope): SQL | undefined =>
  and(inScope(targets, scope), isNull(targets.deletedAt));

const isOwn = (scope: Scope, id: string): SQL | undefined => and(isVisibleTarget(scope), eq(targets.id, id));

/** The query for one target; await it, or pass it to `db.batch`. */
export function selectTarget(db: ReadOnlyDb, scope: Scope, id: string, today: string) {
  return db.select(columns(today)).from(targets).where(isOwn(scope, id));
}

/** A limited key tracks the handles of its accounts only. */
export function mayTrack(
  db: ReadOnlyDb,
  scope: Scope,
  { platform, handle }: { platform: Platform; handle: string },
): PromiseLike<boolean> {
  if (!scope.accountIds) return Promise.resolve(true);
  const query = db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(inScope(accounts, scope), eq(accounts.platform, platform), isHandleOf(accounts, sql`${handle}::text`)));
  return query.limit(1).then((found) => found.length > 0);
}

export interface NewTarget {
  id: string;
  platform: Platform;
  identifier: string;
  normalizedIdentifier: string;
  displayName: string;
  freeDailyRefresh?: boolean;
  maxPosts: number;
  createdAt: Date;
}

/** The new target, or the existing one for this account. Null if a concurrent request just created it. */
export async function insertTarget(
  db: Db,
  scope: Scope,
  target: NewTarget,
  today: string,
): Promise<{ target: StoredTarget; created: boolean } | null> {
  const { ownerId, workspaceId } = scope;
  const insertion = db
    .insert(targets)
    .values({ ...target, ownerId, workspaceId, updatedAt: target.createdAt })
    .onConflictDoNothing()
    .returning();
  const existing = db
    .select()
    .from(targets)
    .where(
      and(
        isVisibleTarget(scope),
        eq(targets.platform, target.platform),
        eq(targets.normalizedIdentifier, target.normalizedIdentifier),
      ),
    );
  const [row] = await rawQuery(
    db,
    { ...columns(today), created: sql<boolean>`${targets.id} = ${target.id}` },
    (list) => sql`
      with new_target as ${insertion}
      select ${list} from (select * from new_target union all ${existing}) ${targets} limit 1`,
  );
  if (!row) return null;
  const { created, ...stored } = row;
  return { target: stored, created };
}

/** One page, newest first, the total count and the cursor of the next page, in one round trip. */
export function listTargets(
  db: ReadOnlyDb,
  scope: Scope,
  { limit, offset, cursor }: Paging,
  today: string,
): Read<{ rows: StoredTarget[]; total: number; nextCursor: string | null }> {
  return toRead(
    db,
    [
      db
        .select(columns(today))
        .from(targets)
        .where(and(isVisibleTarget(scope), isAfterCursor(targets.createdAt, targets.id, cursor)))
        .orderBy(desc(targets.createdAt), desc(targets.id))
        .limit(limit + 1)
        .offset(offset),
      db.select({ total: count() }).from(targets).where(isVisibleTarget(scope)),
    ],
    ([page, counts]) => ({ ...toPage(page, limit, toRowPosition), total: at(counts, 0).total }),
  );
}

export interface TargetChange {
  /** Null for the name that a new target has. */
  displayName?: string | null | undefined;
  favorite?: boolean | undefined;
  freeDailyRefresh?: boolean | undefined;
  maxPosts?: number | undefined;
}

/** Changes the given fields; null if the target is not in scope. */
export async function updateTarget(
  db: Db,
  scope: Scope,
  id: string,
  { displayName, ...change }: TargetChange,
  now: Date,
): Promise<StoredTarget | null> {
  const [row] = await db
    .update(targets)
    .set({ ...change, displayName: displayName === null ? targets.normalizedIdentifier : displayName, updatedAt: now })
    .where(isOwn(scope, id))
    .returning(columns(toUtcDay(now)));
  return row ?? null;
}

/** Hides a target and ends its refresh; false if the target is not in scope. */
export async function deleteTarget(db: Db, scope: Scope, id: string, now: Date): Promise<boolean> {
  const hiding = db
    .update(targets)
    .set({ deletedAt: now, updatedAt: now })
    .where(isOwn(scope, id))
    .returning({ id: targets.id });
  const stop = db
    .update(analyticsRefreshes)
    .set({
      status: "failed",
      completedAt: now,
      nextAttemptAt: null,
      leaseToken: null,
      leaseUntil: null,
      errorCode: "target_deleted",
      error: "The target was deleted.",
    })
    .where(
      and(
        sql`${analyticsRefreshes.targetId} in (select id from hidden_target)`,
        inArray(analyticsRefreshes.status, ["pending", "processing"]),
      ),
    );
  const rows = await rawQuery(
    db,
    { id: sql<string>`hidden_target.id` },
    (list) => sql`with hidden_target as ${hiding}, stopped_refreshes as ${stop} select ${list} from hidden_target`,
  );
  return rows.length > 0;
}

/** Deletes a batch of posts and snapshots of deleted targets, and deleted targets without posts. */
export async function purgeDeletedTargets(db: Db, posts: number): Promise<void> {
  const ofTarget = db
    .select({ id: analyticsPosts.id })
    .from(analyticsPosts)
    .where(eq(analyticsPosts.targetId, targets.id))
    .limit(posts);
  await db.batch([
    db.delete(analyticsPosts).where(sql`${analyticsPosts.id} = any(array(
      select posts.id from ${targets} cross join lateral ${ofTarget} posts
      where ${targets.deletedAt} is not null limit ${posts}))`),
    db
      .delete(targets)
      .where(
        and(
          isNotNull(targets.deletedAt),
          sql`not exists (select 1 from ${analyticsPosts} where ${analyticsPosts.targetId} = ${targets.id})`,
        ),
      ),
  ]);
}
