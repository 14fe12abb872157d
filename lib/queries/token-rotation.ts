// Encrypted tokens of accounts, and secrets of apps and webhooks, read and replaced in batches while a key is rotated.
import { and, asc, eq, gt, notLike, or, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { webhooks } from "../../drizzle/schema/events.ts";
import { networkApps } from "../../drizzle/schema/network-apps.ts";
import type { Db } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";

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

export interface EncryptedAppSecret {
  id: string;
  scopeId: string;
  platform: Platform;
  clientId: string;
  clientSecret: string;
}

/** Apps of customers with a secret that was not encrypted with `keyId`. */
export function listAppsOfOtherKey(db: Db, keyId: string): Promise<EncryptedAppSecret[]> {
  const { id, scopeId, platform, clientId, clientSecret } = networkApps;
  return db
    .select({ id, scopeId, platform, clientId, clientSecret })
    .from(networkApps)
    .where(notLike(clientSecret, `${keyId}.%`))
    .orderBy(asc(id));
}

/** Replaces the secret unless it changed since it was read; returns whether it was replaced. */
export async function replaceAppSecret(db: Db, before: EncryptedAppSecret, sealed: string): Promise<boolean> {
  const { id, clientSecret } = networkApps;
  const replaced = await db
    .update(networkApps)
    .set({ clientSecret: sealed })
    .where(and(eq(id, before.id), eq(clientSecret, before.clientSecret)))
    .returning({ id });
  return replaced.length > 0;
}

export interface EncryptedWebhookSecrets {
  id: string;
  secret: string;
  previousSecret: string | null;
}

/** Webhooks with a secret that was not encrypted with `keyId`. */
export function listWebhooksOfOtherKey(db: Db, keyId: string): Promise<EncryptedWebhookSecrets[]> {
  const { id, secret, previousSecret } = webhooks;
  const pattern = `${keyId}.%`;
  return db
    .select({ id, secret, previousSecret })
    .from(webhooks)
    .where(or(notLike(secret, pattern), notLike(previousSecret, pattern)))
    .orderBy(asc(id));
}

/** Replaces the secrets unless they changed since they were read; returns whether they were replaced. */
export async function replaceWebhookSecrets(
  db: Db,
  before: EncryptedWebhookSecrets,
  after: Omit<EncryptedWebhookSecrets, "id">,
): Promise<boolean> {
  const { id, secret, previousSecret } = webhooks;
  const isSame = sql`${secret} = ${before.secret} and ${previousSecret} is not distinct from ${before.previousSecret}`;
  const replaced = await db
    .update(webhooks)
    .set(after)
    .where(and(eq(id, before.id), isSame))
    .returning({ id });
  return replaced.length > 0;
}
