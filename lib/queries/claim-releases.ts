// Ends the leases of claims whose worker could not finish, and lists what is due on their accounts afterwards.
import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { ClaimedDelivery } from "./deliveries.ts";
import { type DueDelivery, selectNextDelivery, workKind } from "./due-accounts.ts";
import { hasLease, isUnleased, NO_LEASE } from "./jobs.ts";
import { columnNames, instant, rawQuery, typedAs, uuidArray } from "./sql.ts";

const { id, accountId, postId, stage, nextAttemptAt, leaseToken, leaseUntil } = postDeliveries;

/** Undoes a claim of these deliveries whose answer was lost: no worker holds what it took. */
export async function undoClaim(db: Db, ids: string[], token: string): Promise<void> {
  const served = db
    .select({ accountId })
    .from(postDeliveries)
    .where(sql`${id} = any(${uuidArray(ids)})`);
  const freed = db
    .update(accounts)
    .set(NO_LEASE)
    .where(and(inArray(accounts.id, served), eq(accounts.leaseToken, token)));
  const undone = db
    .update(postDeliveries)
    .set({ ...NO_LEASE, claims: sql`greatest(${postDeliveries.claims} - 1, 0)` })
    .where(and(inArray(accountId, served), isNotNull(nextAttemptAt), eq(leaseToken, token)));
  await rawQuery(db, { id }, (list) => sql`with freed as ${freed} ${undone.getSQL()} returning ${list}`);
}

/** Ends the lease of a delivery whose attempt could not be stored, and schedules the next attempt. */
export async function releaseDelivery(db: Db, claimed: ClaimedDelivery, nextAttempt: Date): Promise<void> {
  const freed = db
    .update(accounts)
    .set(NO_LEASE)
    .where(and(eq(accounts.id, claimed.account.id), hasLease(accounts, claimed)));
  const released = db
    .update(postDeliveries)
    .set({ ...NO_LEASE, nextAttemptAt: nextAttempt })
    .where(and(eq(id, claimed.id), hasLease(postDeliveries, claimed)));
  // Another delivery that the same claim only checks shares the token, but never holds the account.
  await rawQuery(
    db,
    { id },
    (list) => sql`${claimed.holdsAccount ? sql`with freed as ${freed}` : sql``} ${released.getSQL()} returning ${list}`,
  );
}

const DUE_COLUMNS = {
  id: sql<string>`served.id`,
  kind: workKind,
  dueAt: typedAs(sql`served.next_attempt_at`, nextAttemptAt),
};

/** The delivery itself, if it has work ahead, and the one that goes next on its account. */
export function listFollowingDeliveries(db: ReadOnlyDb, claimed: ClaimedDelivery, now: Date): Promise<DueDelivery[]> {
  const own = sql`select ${columnNames([id, postId, stage, nextAttemptAt])} from ${postDeliveries}
    where ${id} = ${claimed.id} and ${nextAttemptAt} is not null and ${isUnleased(postDeliveries, now)}`;
  const next = selectNextDelivery(sql`${claimed.account.id}::uuid`, { now, dueBy: now });
  return listServed(
    db,
    sql`(${own}) union all (select id, post_id, stage, next_attempt_at from (${next}) head where head.id <> ${claimed.id})`,
  );
}

/** Those of these deliveries that wait for the end of a lease, on them or on their account, each with that end. */
export function listLeasedDeliveries(db: ReadOnlyDb, ids: string[], now: Date): Promise<DueDelivery[]> {
  return listServed(
    db,
    sql`select ${columnNames([id, postId, stage])}, ends as next_attempt_at from (
      select ${postDeliveries}.*, greatest(${leaseUntil}, ${accounts.leaseUntil}) as ends
      from ${postDeliveries} join ${accounts} on ${accounts.id} = ${accountId}
      where ${id} = any(${uuidArray(ids)}) and ${nextAttemptAt} is not null
    ) ${postDeliveries} where ends >= ${instant(now)}`,
  );
}

function listServed(db: ReadOnlyDb, served: SQL): Promise<DueDelivery[]> {
  return rawQuery(
    db,
    DUE_COLUMNS,
    (list) => sql`select ${list} from (${served}) served
      join ${postDeliveries} on ${id} = served.id join ${posts} on ${posts.id} = ${postId}`,
  );
}
