// Ends the leases of claims whose worker could not finish, and lists what is due on their accounts afterwards.
import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { ClaimedDelivery } from "./deliveries.ts";
import { type DueDelivery, NEXT_COLUMNS, nextDelivery, selectNextDelivery } from "./due-accounts.ts";
import { hasLease, isUnleased, NO_LEASE } from "./jobs.ts";
import { columnNames, instant, rawCommand, rawQuery, uuidArray } from "./sql.ts";

const { id, accountId, postId, stage, nextAttemptAt, leaseToken, leaseUntil } = postDeliveries;

/**
 * Undoes a claim of these deliveries whose response was lost: no worker holds the rows. It locks the
 * deliveries, then their accounts: Postgres runs a changing CTE that nothing reads at the end. Rows under another token stay.
 */
export async function undoClaim(db: Db, ids: string[], token: string): Promise<void> {
  const claimedAccounts = db
    .select({ accountId })
    .from(postDeliveries)
    .where(sql`${id} = any(${uuidArray(ids)})`);
  const accountRelease = db
    .update(accounts)
    .set(NO_LEASE)
    .where(and(inArray(accounts.id, claimedAccounts), eq(accounts.leaseToken, token)));
  const deliveryRelease = db
    .update(postDeliveries)
    .set({ ...NO_LEASE, claims: sql`greatest(${postDeliveries.claims} - 1, 0)` })
    .where(and(inArray(accountId, claimedAccounts), isNotNull(nextAttemptAt), eq(leaseToken, token)));
  await rawCommand(db, sql`with free_accounts as ${accountRelease} ${deliveryRelease.getSQL()}`);
}

/** Ends the lease of a delivery whose attempt could not be stored, and schedules the next attempt. It locks as `undoClaim` does. */
export async function releaseDelivery(db: Db, claimed: ClaimedDelivery, nextAttempt: Date): Promise<void> {
  const accountRelease = db
    .update(accounts)
    .set(NO_LEASE)
    .where(and(eq(accounts.id, claimed.account.id), hasLease(accounts, claimed)));
  const deliveryRelease = db
    .update(postDeliveries)
    .set({ ...NO_LEASE, nextAttemptAt: nextAttempt })
    .where(and(eq(id, claimed.id), hasLease(postDeliveries, claimed)));
  // Another delivery that the same claim only checks shares the token, but never holds the account.
  const withAccount = claimed.holdsAccount ? sql`with free_account as ${accountRelease}` : sql``;
  await rawCommand(db, sql`${withAccount} ${deliveryRelease.getSQL()}`);
}

/** The delivery itself, if it has work ahead, and the one that goes next on its account. */
export function listFollowingDeliveries(db: ReadOnlyDb, claimed: ClaimedDelivery, now: Date): Promise<DueDelivery[]> {
  const own = sql`select ${columnNames([id, postId, stage, nextAttemptAt])} from ${postDeliveries}
    where ${id} = ${claimed.id} and ${nextAttemptAt} is not null and ${isUnleased(postDeliveries, now)}`;
  const next = selectNextDelivery(sql`${claimed.account.id}::uuid`, { now, dueBy: now });
  return listDue(
    db,
    sql`(${own}) union all (
      select id, post_id, stage, next_attempt_at from (${next}) following where id <> ${claimed.id})`,
  );
}

/** Returns those of these deliveries that wait for the end of a lease, on them or on their account, each with that end. */
export function listLeasedDeliveries(db: ReadOnlyDb, ids: string[], now: Date): Promise<DueDelivery[]> {
  const leaseEnd = sql`greatest(${leaseUntil}, ${accounts.leaseUntil})`;
  return listDue(
    db,
    sql`select ${id}, ${postId}, ${stage}, ${leaseEnd} as next_attempt_at
      from ${postDeliveries} join ${accounts} on ${accounts.id} = ${accountId}
      where ${id} = any(${uuidArray(ids)}) and ${nextAttemptAt} is not null and ${leaseEnd} >= ${instant(now)}`,
  );
}

function listDue(db: ReadOnlyDb, deliveries: SQL): Promise<DueDelivery[]> {
  return rawQuery(
    db,
    NEXT_COLUMNS,
    (list) =>
      sql`select ${list} from (${deliveries}) ${nextDelivery} join ${posts} on ${posts.id} = ${nextDelivery.postId}`,
  );
}
