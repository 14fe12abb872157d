// Accounts as the operator of the service sees and changes them, of any customer.
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { TenantIds } from "./tenants.ts";

const { id, scopeId, platform, type, status, username } = accounts;
const COLUMNS = {
  ...{ id, scopeId, platform, type, status, username, externalId: accounts.externalId },
  ...{ statusReason: accounts.statusReason, createdAt: accounts.createdAt },
  ...{ tokenExpiresAt: accounts.tokenExpiresAt, refreshTokenExpiresAt: accounts.refreshTokenExpiresAt },
  leaseUntil: accounts.leaseUntil,
};

export function listOperatedAccounts(db: Db, { ownerId, workspaceId }: TenantIds, limit: number) {
  return db
    .select(COLUMNS)
    .from(accounts)
    .where(eq(scopeId, workspaceId ?? ownerId))
    .orderBy(asc(platform), asc(username), asc(id))
    .limit(limit);
}

/** The account and the number of its deliveries that are still open, and of all. */
export async function findOperatedAccount(db: Db, accountId: string) {
  const [row] = await db
    .select({
      ...COLUMNS,
      openDeliveries: sql<number>`(select ${count()}::int from ${postDeliveries}
        where ${postDeliveries.accountId} = "accounts"."id" and ${postDeliveries.nextAttemptAt} is not null)`,
      deliveries: sql<number>`(select ${count()}::int from ${postDeliveries}
        where ${postDeliveries.accountId} = "accounts"."id")`,
    })
    .from(accounts)
    .where(eq(id, accountId));
  return row ?? null;
}

/** Pauses an active account, or activates a paused one; false when it is neither. */
export async function setAccountPaused(db: Db, accountId: string, reason: string | null, now: Date): Promise<boolean> {
  const changed = await db
    .update(accounts)
    .set({ status: reason === null ? "active" : "paused", statusReason: reason, updatedAt: now })
    .where(and(eq(id, accountId), inArray(status, ["active", "paused"])))
    .returning({ id });
  return changed.length > 0;
}

/** Deletes an account to which nothing was ever posted; false when there is a delivery, or no such account. */
export async function deleteUnusedAccount(db: Db, accountId: string): Promise<boolean> {
  const removed = await db
    .delete(accounts)
    .where(
      and(
        eq(id, accountId),
        sql`not exists (select 1 from ${postDeliveries} where ${postDeliveries.accountId} = ${accounts.id})`,
      ),
    )
    .returning({ id });
  return removed.length > 0;
}
