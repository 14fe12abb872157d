// The runner of a test scope: one at a time, under a lease of real time, moves its clock and does what its clock makes due.
import { and, eq, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import { sandboxes } from "../../drizzle/schema/sandboxes.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Sandbox } from "../shared/scope.ts";
import { SANDBOX } from "./sandboxes.ts";
import { instant, rawQuery, uuidArray } from "./sql.ts";

const { scopeId, clockOffsetMs, frozenAt, leaseToken, leaseUntil, isRequested } = sandboxes;

/** Longer than the statements of a step, which renew it. */
const LEASE = sql.raw("interval '60 seconds'");

export interface SandboxRun extends Sandbox {
  leaseToken: string;
}

/**
 * Takes the lease. Null when there is no such scope, or another runner has the lease, which then looks again before it ends. A
 * clock that stands since its runner ended without a trace goes on from there.
 */
export async function acquireRun(db: Db, id: string, token: string): Promise<SandboxRun | null> {
  const isFree = sql`(${leaseUntil} is null or ${leaseUntil} < now())`;
  const [row] = await rawQuery(
    db,
    { ...SANDBOX, isOwned: sql<boolean>`${leaseToken} = ${token}::uuid` },
    (list) => sql`
      update ${sandboxes} set
        lease_token = case when ${isFree} then ${token}::uuid else ${leaseToken} end,
        lease_until = case when ${isFree} then now() + ${LEASE} else ${leaseUntil} end,
        is_requested = not ${isFree},
        clock_offset_ms = case when ${isFree} then ${SANDBOX.clockOffsetMs} else ${clockOffsetMs} end,
        frozen_at = case when ${isFree} then null else ${frozenAt} end
      where ${scopeId} = ${id} returning ${list}`,
  );
  if (!row?.isOwned) return null;
  const { isOwned: _, ...sandbox } = row;
  return { ...sandbox, leaseToken: token };
}

const isHeld = (run: Pick<SandboxRun, "scopeId" | "leaseToken">) =>
  and(eq(scopeId, run.scopeId), eq(leaseToken, run.leaseToken));

/** Extends the lease; with an instant, the clock stands there from now on. False when the lease was lost. */
export async function renewRun(db: Db, run: SandboxRun, stopAt?: Date): Promise<boolean> {
  const renewed = await db
    .update(sandboxes)
    .set({ leaseUntil: sql`now() + ${LEASE}`, ...(stopAt ? { frozenAt: stopAt } : {}) })
    .where(isHeld(run))
    .returning({ scopeId });
  return renewed.length > 0;
}

/** Ends the lease; with an instant, the clock goes on from there. True when work was requested meanwhile. */
export async function releaseRun(db: Db, run: SandboxRun, goOnAt?: Date): Promise<boolean> {
  const offset = goOnAt && sql`greatest(0, round(extract(epoch from ${instant(goOnAt)} - now()) * 1000))`;
  const [row] = await rawQuery(
    db,
    { wasRequested: sql<boolean>`held.is_requested` },
    (list) => sql`
      with held as (select ${isRequested} from ${sandboxes} where ${isHeld(run)} for update)
      update ${sandboxes} set lease_token = null, lease_until = null, is_requested = false, frozen_at = null
        ${offset ? sql`, clock_offset_ms = ${offset}` : sql``}
      from held where ${isHeld(run)} returning ${list}`,
  );
  return row?.wasRequested ?? false;
}

/** Up to `limit` deliveries of the scope that are due, the longest due first. */
export async function listDueSandboxDeliveries(
  db: ReadOnlyDb,
  scope: string,
  now: Date,
  limit: number,
): Promise<string[]> {
  const { id, accountId, nextAttemptAt } = postDeliveries;
  const rows = await db
    .select({ id })
    .from(postDeliveries)
    .innerJoin(accounts, eq(accounts.id, accountId))
    .where(and(eq(accounts.scopeId, scope), sql`${nextAttemptAt} <= ${instant(now)}`))
    .orderBy(nextAttemptAt, postDeliveries.dueAt, id)
    .limit(limit);
  return rows.map((row) => row.id);
}

/** The posts of deliveries, by the id of the delivery. */
export async function listPostIds(db: ReadOnlyDb, deliveryIds: readonly string[]): Promise<Map<string, string>> {
  const { id, postId } = postDeliveries;
  const rows = await db
    .select({ id, postId })
    .from(postDeliveries)
    .where(sql`${id} = any(${uuidArray(deliveryIds)})`);
  return new Map(rows.map((row) => [row.id, row.postId]));
}

/** Open approval links of the scope that end between two instants. */
export async function listEndingApprovals(db: ReadOnlyDb, scope: string, after: Date, until: Date): Promise<string[]> {
  const { id, decidedAt, withdrawnAt, expiresAt } = approvalLinks;
  const rows = await db
    .select({ id })
    .from(approvalLinks)
    .where(
      and(
        eq(approvalLinks.scopeId, scope),
        sql`${decidedAt} is null and ${withdrawnAt} is null`,
        sql`${expiresAt} > ${instant(after)} and ${expiresAt} <= ${instant(until)}`,
      ),
    )
    .orderBy(expiresAt);
  return rows.map((row) => row.id);
}
