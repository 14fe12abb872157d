// Customers as the operator of the service lists them.
import { and, asc, eq, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { members, owners, subscriptions, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import { inBothModes } from "./sandboxes.ts";
import { inMode } from "./scope.ts";
import type { TenantIds } from "./tenants.ts";

const countOf = (table: typeof accounts | typeof apiKeys | typeof members, condition: string) =>
  sql<number>`(select count(*)::int from ${table} where ${sql.raw(condition)})`;

/** Workspaces, oldest first: of one owner, or all. */
export function listWorkspaces(db: Db, { ownerId, limit }: { ownerId: string | null; limit: number }) {
  return db
    .select({
      id: workspaces.id,
      name: workspaces.name,
      ownerEmail: owners.email,
      tier: subscriptions.tier,
      status: subscriptions.status,
      paidUntil: subscriptions.paidUntil,
      members: countOf(members, `members.workspace_id = "workspaces"."id"`),
      accounts: countOf(accounts, `accounts.scope_id = "workspaces"."id"`),
      keys: countOf(apiKeys, `api_keys.scope_id = "workspaces"."id" and api_keys.revoked_at is null`),
      createdAt: workspaces.createdAt,
    })
    .from(workspaces)
    .innerJoin(owners, eq(owners.id, workspaces.ownerId))
    .leftJoin(subscriptions, eq(subscriptions.scopeId, workspaces.id))
    .where(and(ownerId === null ? undefined : eq(workspaces.ownerId, ownerId), inMode(workspaces.id, null)))
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
    .limit(limit);
}

/** Keys and grants of a scope in both modes, without their secrets; valid ones first. */
export async function listCredentials(db: Db, { ownerId, workspaceId }: TenantIds, limit: number) {
  const scope = workspaceId ?? ownerId;
  const columns = (table: typeof apiKeys | typeof grants) => ({
    publicId: table.publicId,
    scopeId: table.scopeId,
    permissions: table.permissions,
    accountIds: table.accountIds,
    lastUsedAt: table.lastUsedAt,
    lastOperation: table.lastOperation,
    createdAt: table.createdAt,
    expiresAt: table.expiresAt,
    revokedAt: table.revokedAt,
  });
  const [keys, clients] = await db.batch([
    db
      .select({ ...columns(apiKeys), name: apiKeys.name })
      .from(apiKeys)
      .where(inBothModes(apiKeys.scopeId, scope))
      .orderBy(sql`${apiKeys.revokedAt} is not null`, asc(apiKeys.createdAt))
      .limit(limit),
    db
      .select({ ...columns(grants), name: grants.clientName })
      .from(grants)
      .where(inBothModes(grants.scopeId, scope))
      .orderBy(sql`${grants.revokedAt} is not null`, asc(grants.createdAt))
      .limit(limit),
  ]);
  return [...keys, ...clients].map(({ scopeId, ...one }) => ({ ...one, mode: scopeId === scope ? "live" : "test" }));
}
