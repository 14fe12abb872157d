// The API keys of a scope as the dashboard manages them.
import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import { apiKeys } from "../../drizzle/schema/keys.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Permission } from "../shared/permissions.ts";

/** More than a workspace has; the list is not paged. */
const MAX_KEYS = 200;

/** Valid keys first, then by age. */
export function listKeys(db: ReadOnlyDb, scopeId: string) {
  return db
    .select({
      publicId: apiKeys.publicId,
      name: apiKeys.name,
      permissions: apiKeys.permissions,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.scopeId, scopeId))
    .orderBy(sql`${apiKeys.revokedAt} is not null`, desc(apiKeys.createdAt))
    .limit(MAX_KEYS);
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

/** Lets a valid key end at `endsAt` at the latest; returns what its successor takes over, or null. */
export async function limitKeyValidity(
  db: Db,
  scopeId: string,
  publicId: string,
  endsAt: Date,
  now: Date,
): Promise<{ name: string; permissions: Permission[] | null } | null> {
  const isValid = and(
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), sql`${apiKeys.expiresAt} > ${now.toISOString()}::timestamptz`),
  );
  const [row] = await db
    .update(apiKeys)
    .set({ expiresAt: sql`least(${apiKeys.expiresAt}, ${endsAt.toISOString()}::timestamptz)` })
    .where(and(eq(apiKeys.scopeId, scopeId), eq(apiKeys.publicId, publicId), isValid))
    .returning({ name: apiKeys.name, permissions: apiKeys.permissions });
  return row ?? null;
}
