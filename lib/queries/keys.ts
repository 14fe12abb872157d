// API keys and grants with the plan of their scope.
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import type { Permission } from "../shared/permissions.ts";
import type { Scope } from "../shared/scope.ts";

/** The immutable part of a key or grant, which may be cached. */
export interface Credential {
  id: string;
  publicId: string;
  secretHash: string;
  scope: Scope;
  /** Null means all. */
  permissions: readonly Permission[] | null;
}

/** The part that changes, and is read for every request. */
export interface CredentialStatus extends PlanStatus {
  revokedAt: Date | null;
  expiresAt: Date | null;
}

/** The plan of a scope; null without one. */
export interface PlanStatus {
  tier: string | null;
  subscription: string | null;
  paidUntil: Date | null;
}

/** To which `last_used_at` is exact: a key in steady use is written this often. */
const LAST_USE_MINUTES = 10;

/** Finds a key or grant by the public id of its token. The right secret counts as a use of it. */
export async function find(
  db: Db,
  publicId: string,
  secretHash: string,
): Promise<{ credential: Credential; standing: CredentialStatus } | null> {
  const table = publicId.startsWith("gr_") ? grants : apiKeys;
  const isStale = lt(table.lastUsedAt, sql`now() - ${LAST_USE_MINUTES} * interval '1 minute'`);
  const used = db.$with("used").as(
    db
      .update(table)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(table.publicId, publicId), eq(table.secretHash, secretHash), or(isNull(table.lastUsedAt), isStale)))
      .returning({ id: table.id }),
  );
  const [row] = await db
    .with(used)
    .select({
      id: table.id,
      publicId: table.publicId,
      secretHash: table.secretHash,
      scopeId: sql<string>`${table.scopeId}`,
      ownerId: table.ownerId,
      workspaceId: table.workspaceId,
      permissions: table.permissions,
      revokedAt: table.revokedAt,
      expiresAt: table.expiresAt,
      tier: subscriptions.tier,
      subscription: subscriptions.status,
      paidUntil: subscriptions.paidUntil,
    })
    .from(table)
    .leftJoin(subscriptions, eq(subscriptions.scopeId, table.scopeId))
    .where(eq(table.publicId, publicId));
  if (!row) return null;
  const { id, secretHash: storedHash, scopeId, ownerId, workspaceId, permissions, ...standing } = row;
  return {
    credential: { id, publicId, secretHash: storedHash, scope: { id: scopeId, ownerId, workspaceId }, permissions },
    standing,
  };
}
