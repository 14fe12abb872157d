// Encrypted tokens of accounts, read and replaced in batches while a key is rotated.
import { and, asc, eq, gt, notLike, or, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import type { Db } from "../services/database.ts";

export interface EncryptedTokens {
  id: string;
  accessToken: string | null;
  refreshToken: string | null;
}

/** Accounts after `afterId` with a token that was not encrypted with `keyId`, ordered by id. */
export function listEncryptedWithOtherKey(
  db: Db,
  { keyId, afterId, limit }: { keyId: string; afterId: string | null; limit: number },
): Promise<EncryptedTokens[]> {
  const { id, accessToken, refreshToken } = accounts;
  const pattern = `${keyId}.%`;
  return db
    .select({ id, accessToken, refreshToken })
    .from(accounts)
    .where(
      and(or(notLike(accessToken, pattern), notLike(refreshToken, pattern)), afterId ? gt(id, afterId) : undefined),
    )
    .orderBy(asc(id))
    .limit(limit);
}

/** Replaces the tokens unless they changed since they were read; returns whether they were replaced. */
export async function replaceTokens(db: Db, before: EncryptedTokens, after: EncryptedTokens): Promise<boolean> {
  const { id, accessToken, refreshToken } = accounts;
  const replaced = await db
    .update(accounts)
    .set({ accessToken: after.accessToken, refreshToken: after.refreshToken })
    .where(
      and(
        eq(id, before.id),
        sql`${accessToken} is not distinct from ${before.accessToken}`,
        sql`${refreshToken} is not distinct from ${before.refreshToken}`,
      ),
    )
    .returning({ id });
  return replaced.length > 0;
}
