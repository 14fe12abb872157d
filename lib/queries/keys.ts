// API keys and grants with the plan of their scope.
import { eq, sql } from "drizzle-orm";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../db.ts";
import type { Scope } from "../scope.ts";

/** What never changes about a key or grant, and so may be remembered. */
export interface Credential {
  id: string;
  publicId: string;
  secretHash: string;
  scope: Scope;
}

/** What does change, and so is read every time. */
export interface Standing {
  revokedAt: Date | null;
  expiresAt: Date | null;
  tier: string | null;
  subscription: string | null;
  paidUntil: Date | null;
}

/** One key or grant by the public half of its token, or null. */
export async function find(db: Db, publicId: string): Promise<{ credential: Credential; standing: Standing } | null> {
  const table = publicId.startsWith("gr_") ? grants : apiKeys;
  const [row] = await db
    .select({
      id: table.id,
      publicId: table.publicId,
      secretHash: table.secretHash,
      scopeId: sql<string>`${table.scopeId}`,
      ownerId: table.ownerId,
      workspaceId: table.workspaceId,
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
  const { id, secretHash, scopeId, ownerId, workspaceId, ...standing } = row;
  return {
    credential: { id, publicId, secretHash, scope: { id: scopeId, ownerId, workspaceId } },
    standing,
  };
}
