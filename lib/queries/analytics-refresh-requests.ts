// Requests for a refresh of analytics: one free refresh a day, and never two of one target at once.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { analyticsRefreshes as refreshes, analyticsTargets as targets } from "../../drizzle/schema/analytics.ts";
import { toUtcDay } from "../schemas/analytics-period.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { isVisibleTarget } from "./analytics-targets.ts";
import { type Read, readFirst } from "./read.ts";
import { columnNames, instant, jsonList, type RowOf, rawQuery } from "./sql.ts";

const { id, targetId, status, wasFree, startedAt, completedAt, error } = refreshes;
const COLUMNS = { id, targetId, status, wasFree, startedAt, completedAt, error };
export type StoredRefresh = RowOf<typeof COLUMNS>;

export function findRefresh(db: ReadOnlyDb, scope: Scope, refreshId: string): Read<StoredRefresh | null> {
  return readFirst(
    db,
    db
      .select(COLUMNS)
      .from(refreshes)
      .innerJoin(targets, eq(targets.id, targetId))
      .where(and(eq(id, refreshId), isVisibleTarget(scope))),
  );
}

export interface RefreshRequest {
  id: string;
  targetId: string;
  now: Date;
  deadlineAt: Date;
}

/** `requested` is created now, or was created by an earlier execution of the same request; `remaining` are today's free refreshes. */
export type RefreshRequestResult =
  | { requested: StoredRefresh }
  | { rejected: "unknown" | "not_free" | "used" }
  | { rejected: "running"; remaining: 0 | 1 };

const storedRefresh = alias(refreshes, "stored_refresh");
const target = alias(targets, "locked_target");

/**
 * Stores the refresh and marks the free refresh of its day as used, in one statement. The target is locked, so that of
 * concurrent requests for it the second waits, and then sees that the free refresh is used.
 */
export async function insertRefreshRequest(
  db: Db,
  scope: Scope,
  request: RefreshRequest,
): Promise<RefreshRequestResult> {
  const today = sql`${toUtcDay(request.now)}::date`;
  const { id, targetId, status, wasFree, startedAt, completedAt, error } = storedRefresh;
  const [row] = await rawQuery(
    db,
    {
      stored: jsonList(
        { id, targetId, status, wasFree, startedAt, completedAt, error },
        { from: sql`from (select * from new_refresh union all select * from earlier_refresh) ${storedRefresh}` },
      ),
      running: sql<boolean>`exists (select 1 from running_refreshes)`,
      free: target.freeDailyRefresh,
      isUsed: sql<boolean>`coalesce(${target.freeRefreshedOn} = ${today}, false)`,
      wasUsed: sql<boolean>`coalesce((select free_refreshed_on from unlocked_target) = ${today}, false)`,
    },
    (list) => sql`
      with unlocked_target as ${selectUnlockedTarget(db, scope, request)}, locked_target as ${lockTarget(db)},
        running_refreshes as (${selectRunning(request)}), earlier_refresh as (${selectEarlier(request)}),
        new_refresh as (${insertFreeRefresh(request, today)}), used_target as ${markFreeRefreshUsed(db, today)}
      select ${list} from ${target}`,
  );
  return row ? toRequestResult(row) : { rejected: "unknown" };
}

/** The target as it was when the statement began, before another request that held its lock ended. */
const selectUnlockedTarget = (db: Db, scope: Scope, request: RefreshRequest) =>
  db
    .select({ id: targets.id, freeRefreshedOn: targets.freeRefreshedOn })
    .from(targets)
    .where(and(eq(targets.id, request.targetId), isVisibleTarget(scope)));

const lockTarget = (db: Db) =>
  db
    .select()
    .from(targets)
    .where(sql`${targets.id} = (select id from unlocked_target) and ${targets.deletedAt} is null`)
    .for("update");

const isOfTarget = sql`${targetId} in (select id from locked_target)`;

const selectRunning = (request: RefreshRequest): SQL => sql`
  select ${id} from ${refreshes}
  where ${isOfTarget} and ${status} in ('pending', 'processing') and ${id} <> ${request.id}`;

const selectEarlier = (request: RefreshRequest): SQL =>
  sql`select * from ${refreshes} where ${isOfTarget} and ${id} = ${request.id}`;

function insertFreeRefresh({ id: newId, now, deadlineAt }: RefreshRequest, today: SQL): SQL {
  const columns = [id, targetId, status, wasFree, refreshes.nextAttemptAt, refreshes.deadlineAt, refreshes.createdAt];
  return sql`
    insert into ${refreshes} (${columnNames(columns)})
    select ${newId}::uuid, ${target.id}, 'pending', true, ${instant(now)}, ${instant(deadlineAt)}, ${instant(now)}
    from ${target}
    where ${target.freeDailyRefresh} and ${target.freeRefreshedOn} is distinct from ${today}
      and not exists (select 1 from running_refreshes) and not exists (select 1 from earlier_refresh)
    on conflict do nothing returning *`;
}

const markFreeRefreshUsed = (db: Db, today: SQL) =>
  db
    .update(targets)
    .set({ freeRefreshedOn: today })
    .from(sql`new_refresh`)
    .where(eq(targets.id, sql`new_refresh.target_id`));

interface RequestRow {
  stored: StoredRefresh[];
  running: boolean;
  free: boolean;
  isUsed: boolean;
  wasUsed: boolean;
}

function toRequestResult({ stored: [stored], running, free, isUsed, wasUsed }: RequestRow): RefreshRequestResult {
  if (stored) return { requested: stored };
  if (running) return { rejected: "running", remaining: free && !isUsed ? 1 : 0 };
  if (!free) return { rejected: "not_free" };
  // No refresh ran and the free one was unused when the statement began: a concurrent request was faster and is running.
  return isUsed && wasUsed ? { rejected: "used" } : { rejected: "running", remaining: 0 };
}

const newest = alias(refreshes, "newest_refresh");

/** The newest refresh of each target that has one. */
export function listNewestRefreshes(db: ReadOnlyDb, scope: Scope): Promise<StoredRefresh[]> {
  const { id, targetId, status, wasFree, startedAt, completedAt, error } = newest;
  return rawQuery(
    db,
    { id, targetId, status, wasFree, startedAt, completedAt, error },
    (list) => sql`
      select ${list} from ${targets} cross join lateral (
        select * from ${refreshes} where ${refreshes.targetId} = ${targets.id} order by ${refreshes.createdAt} desc limit 1
      ) ${newest} where ${isVisibleTarget(scope)}`,
  );
}
