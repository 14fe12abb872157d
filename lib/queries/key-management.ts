// The API keys of a scope as the dashboard manages them.
import { and, desc, eq, exists, isNotNull, isNull, sql } from "drizzle-orm";
import { apiKeys } from "../../drizzle/schema/keys.ts";
import { members, owners } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { planScope } from "./sandboxes.ts";
import { instant, nullable, rawQuery, typedAs } from "./sql.ts";

/** More than a workspace has; the list is not paged. */
const MAX_KEYS = 200;

/** Valid keys first, then by age. */
export function listKeys(db: ReadOnlyDb, scopeId: string) {
  const isMember = exists(
    db
      .select({ id: members.ownerId })
      .from(members)
      .where(and(eq(members.workspaceId, planScope(apiKeys.scopeId)), eq(members.ownerId, apiKeys.createdBy))),
  );
  return db
    .select({
      id: apiKeys.id,
      publicId: apiKeys.publicId,
      name: apiKeys.name,
      permissions: apiKeys.permissions,
      accountIds: apiKeys.accountIds,
      lastOperation: apiKeys.lastOperation,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      rotatedAt: apiKeys.rotatedAt,
      /** Null for a key of the admin command. */
      creatorEmail: nullable(owners.email),
      /** False once its author has left the workspace. */
      isByMember: sql<boolean>`${apiKeys.createdBy} = ${apiKeys.ownerId} or ${isMember}`,
    })
    .from(apiKeys)
    .leftJoin(owners, eq(owners.id, apiKeys.createdBy))
    .where(eq(apiKeys.scopeId, scopeId))
    .orderBy(sql`${apiKeys.revokedAt} is not null`, desc(apiKeys.createdAt))
    .limit(MAX_KEYS);
}

/** A key of the scope, also one that has ended; null for any other. */
export async function findKey(
  db: ReadOnlyDb,
  scopeId: string,
  publicId: string,
): Promise<{ id: string; name: string } | null> {
  const [found] = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.scopeId, scopeId), eq(apiKeys.publicId, publicId)));
  return found ?? null;
}

/** Rejected from the next request on. False when the scope has no such key, or it was revoked before. */
export async function revokeWorkspaceKey(db: Db, scopeId: string, publicId: string, now: Date): Promise<boolean> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.scopeId, scopeId), eq(apiKeys.publicId, publicId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}

export interface KeySuccessor {
  id: string;
  publicId: string;
  secretHash: string;
  createdBy: string;
  /** When the old key ends, at the latest. */
  oldEndsAt: Date;
  now: Date;
}

/**
 * Makes the successor of a valid key, with its name, its permissions and the whole lifetime that it was made for. A key has
 * one successor: null when it has one already, is not valid, or is of another scope.
 */
export async function rotateWorkspaceKey(
  db: Db,
  scopeId: string,
  publicId: string,
  { oldEndsAt, now, ...successor }: KeySuccessor,
): Promise<{ name: string } | null> {
  const [row] = await rawQuery(
    db,
    { name: typedAs(sql`old_key.name`, apiKeys.name) },
    (list) => sql`
      with old_key as (
        select * from ${apiKeys} where ${apiKeys.scopeId} = ${scopeId} and ${apiKeys.publicId} = ${publicId}
          and ${apiKeys.revokedAt} is null and ${apiKeys.rotatedAt} is null
          and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > ${instant(now)})
        for update
      ), limited_key as (
        update ${apiKeys} set expires_at = least(${apiKeys.expiresAt}, ${instant(oldEndsAt)}), rotated_at = ${instant(now)}
        from old_key where ${apiKeys.id} = old_key.id
      ), new_key as (
        insert into ${apiKeys} (id, public_id, secret_hash, owner_id, workspace_id, name, permissions, account_ids, expires_at,
          created_by, created_at)
        select ${successor.id}::uuid, ${successor.publicId}, ${successor.secretHash}, owner_id, workspace_id, name,
          permissions, account_ids, ${instant(now)} + (expires_at - created_at), ${successor.createdBy}::uuid, ${instant(now)}
        from old_key
      ) select ${list} from old_key`,
  );
  return row ?? null;
}

/** True for a key of the scope that has a successor. */
export async function isRotated(db: ReadOnlyDb, scopeId: string, publicId: string): Promise<boolean> {
  const [row] = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.scopeId, scopeId), eq(apiKeys.publicId, publicId), isNotNull(apiKeys.rotatedAt)));
  return row !== undefined;
}
