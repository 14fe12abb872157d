// Requests for a refresh of analytics: one free refresh a day, and never two of one target at once.
import { and, eq, sql } from "drizzle-orm";
import { analyticsRefreshes as refreshes, analyticsTargets as targets } from "../../drizzle/schema/analytics.ts";
import { toUtcDay } from "../schemas/analytics-period.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { isVisibleTarget } from "./analytics-targets.ts";
import { type Read, readFirst } from "./read.ts";
import { columnName, columnNames, instant, jsonList, type RowOf, rawQuery } from "./sql.ts";

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

/** Stores the refresh and marks the free refresh of its day as used, in one statement. */
export async function insertRefreshRequest(
  db: Db,
  scope: Scope,
  wanted: RefreshRequest,
): Promise<RefreshRequestResult> {
  const { now, deadlineAt } = wanted;
  const today = sql`${toUtcDay(now)}::date`;
  const { freeDailyRefresh, freeRefreshedOn } = targets;
  const before = db
    .select({ id: targets.id, freeRefreshedOn })
    .from(targets)
    .where(and(eq(targets.id, wanted.targetId), isVisibleTarget(scope)));
  const target = db
    .select()
    .from(targets)
    .where(sql`${targets.id} = (select id from before) and ${targets.deletedAt} is null`)
    .for("update");
  const isOfTarget = sql`${targetId} in (select id from target)`;
  const isRunning = sql`${status} in ('pending', 'processing')`;
  const columns = columnNames([id, targetId, status, wasFree, refreshes.nextAttemptAt, refreshes.deadlineAt]);
  const used = db
    .update(targets)
    .set({ freeRefreshedOn: today })
    .from(sql`created`)
    .where(eq(targets.id, sql`created.target_id`));
  const [row] = await rawQuery(
    db,
    {
      stored: jsonList(COLUMNS, {
        from: sql`from (select * from created union all select * from earlier) ${refreshes}`,
      }),
      running: sql<boolean>`exists (select 1 from running)`,
      free: freeDailyRefresh,
      isUsed: sql<boolean>`coalesce(${freeRefreshedOn} = ${today}, false)`,
      wasUsed: sql<boolean>`coalesce((select free_refreshed_on from before) = ${today}, false)`,
    },
    (list) => sql`
      with before as ${before}, target as ${target}, running as (
        select ${id} from ${refreshes} where ${isOfTarget} and ${isRunning} and ${id} <> ${wanted.id}
      ), earlier as (
        select * from ${refreshes} where ${isOfTarget} and ${id} = ${wanted.id}
      ), created as (
        insert into ${refreshes} (${columns}, ${columnName(refreshes.createdAt)})
        select ${wanted.id}::uuid, ${targets.id}, 'pending', true, ${instant(now)}, ${instant(deadlineAt)}, ${instant(now)}
        from target ${targets}
        where ${freeDailyRefresh} and ${freeRefreshedOn} is distinct from ${today}
          and not exists (select 1 from running) and not exists (select 1 from earlier)
        on conflict do nothing returning *
      ), used as ${used}
      select ${list} from target ${targets}`,
  );
  if (!row) return { rejected: "unknown" };
  const [stored] = row.stored;
  if (stored) return { requested: stored };
  if (row.running) return { rejected: "running", remaining: row.free && !row.isUsed ? 1 : 0 };
  if (!row.free) return { rejected: "not_free" };
  // No refresh ran and the free one was unused when the statement began: a concurrent request was faster and is running.
  return row.isUsed && row.wasUsed ? { rejected: "used" } : { rejected: "running", remaining: 0 };
}
