// Social accounts of a scope.
import { and, asc, eq, inArray } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import type { Db } from "../db.ts";
import type { Platform } from "../platforms/platform.ts";
import type { Scope } from "../scope.ts";

const columns = {
  id: accounts.id,
  platform: accounts.platform,
  type: accounts.type,
  username: accounts.username,
  displayName: accounts.displayName,
  status: accounts.status,
  workspaceId: accounts.workspaceId,
};

export type AccountRow = Omit<typeof accounts.$inferSelect, "platform"> & { platform: Platform };
export type ListedAccount = Pick<AccountRow, keyof typeof columns>;

/** Active accounts of the scope, oldest first. */
export async function listActive(db: Db, scope: Scope): Promise<ListedAccount[]> {
  const rows = await db
    .select(columns)
    .from(accounts)
    .where(and(eq(accounts.scopeId, scope.id), eq(accounts.status, "active")))
    .orderBy(asc(accounts.createdAt), asc(accounts.id));
  return rows as ListedAccount[];
}

/** Those of the ids that are active accounts of the scope. */
export async function findActive(db: Db, scope: Scope, ids: string[]): Promise<ListedAccount[]> {
  const rows = await db
    .select(columns)
    .from(accounts)
    .where(and(eq(accounts.scopeId, scope.id), eq(accounts.status, "active"), inArray(accounts.id, ids)));
  return rows as ListedAccount[];
}
