// Connects accounts, connects them again, and disconnects them. Accounts of type `byo` have the customer's own tokens.
import { and, eq, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import type { Scope } from "../shared/scope.ts";
import { accountApp, type StoredNetworkApp } from "./network-apps.ts";
import { inScope } from "./scope.ts";
import { excluded, instant, rawQuery, typedAs } from "./sql.ts";
import type { TenantIds } from "./tenants.ts";

const { id, platform, type, status, externalId, grantorId, accessToken, refreshToken, tokenVersion } = accounts;

/** The ids of stored accounts by their id at the network, whatever their status. */
export async function findAccountIdsByExternalId(
  db: ReadOnlyDb,
  { ownerId, workspaceId }: TenantIds,
  network: Platform,
  externalIds: string[],
): Promise<Map<string, string>> {
  const rows = await db
    .select({ id, externalId })
    .from(accounts)
    .where(
      and(
        eq(accounts.scopeId, workspaceId ?? ownerId),
        eq(platform, network),
        eq(type, "byo"),
        inArray(externalId, externalIds),
      ),
    );
  return new Map(rows.map((row) => [row.externalId, row.id]));
}

export interface ConnectedAccount {
  id: string;
  platform: Platform;
  externalId: string;
  username: string;
  displayName: string;
  grantorId: string;
  /** The app that issued the tokens; null: the app of the deployment. */
  networkAppId: string | null;
  /** Encrypted, as the refresh token is, for the row of this id. */
  accessToken: string;
  refreshToken: string | null;
  tokenExpiresAt: Date | null;
  refreshTokenExpiresAt: Date | null;
  grantedScopes: string[] | null;
  tokenRefreshedAt: Date;
}

/**
 * Stores the accounts, or their new tokens: a disconnected account is active again, a paused one stays paused. Returns
 * the ids that were stored. An account that a concurrent request stored first has another id: its row is left as it is.
 */
export async function upsertAccounts(
  db: Db,
  tenant: TenantIds,
  connected: ConnectedAccount[],
  now: Date,
): Promise<string[]> {
  const { ownerId, workspaceId } = tenant;
  const rows = await db
    .insert(accounts)
    .values(connected.map((row) => ({ ...row, ownerId, workspaceId, type: "byo" as const, status: "active" as const })))
    .onConflictDoUpdate({
      target: [accounts.scopeId, platform, type, externalId],
      set: {
        username: excluded(accounts.username),
        displayName: excluded(accounts.displayName),
        grantorId: excluded(grantorId),
        networkAppId: excluded(accounts.networkAppId),
        accessToken: excluded(accessToken),
        refreshToken: excluded(refreshToken),
        tokenExpiresAt: excluded(accounts.tokenExpiresAt),
        refreshTokenExpiresAt: excluded(accounts.refreshTokenExpiresAt),
        tokenRefreshedAt: excluded(accounts.tokenRefreshedAt),
        grantedScopes: excluded(accounts.grantedScopes),
        // With another version, what a worker with the old token writes matches no row.
        tokenVersion: sql`${tokenVersion} + 1`,
        tokenTriedAt: null,
        status: sql`case when ${status} = 'paused' then 'paused' else 'active' end`,
        statusReason: sql`case when ${status} = 'paused' then ${accounts.statusReason} end`,
        updatedAt: now,
      },
      // Tokens are encrypted for the id of their row.
      setWhere: sql`${id} = ${excluded(id)}`,
    })
    .returning({ id });
  return rows.map((row) => row.id);
}

export interface DisconnectedAccount {
  id: string;
  platform: Platform;
  externalId: string;
  type: "byo" | "hosted";
  /** Before this call. A hosted account is not changed. */
  status: string;
  accessToken: string | null;
  refreshToken: string | null;
  /** The app that issued the tokens. */
  app: StoredNetworkApp | null;
  /** Another active or paused account, of any customer, depends on the same consent. */
  isGrantShared: boolean;
}

/**
 * Disconnects an account of the scope; returns it with the tokens that this deleted, null when there is none. The row is
 * locked: a claim skips the account, a worker that records a step or stores tokens waits.
 */
export async function disconnectOwnAccount(
  db: Db,
  scope: Scope,
  accountId: string,
  { now, reason }: { now: Date; reason: string },
): Promise<DisconnectedAccount | null> {
  const other = alias(accounts, "other");
  const [row] = await rawQuery(
    db,
    {
      id: typedAs(sql`stored_account.id`, id),
      platform: typedAs(sql`stored_account.platform`, platform),
      externalId: typedAs(sql`stored_account.external_id`, externalId),
      type: typedAs(sql`stored_account.type`, type),
      status: typedAs(sql`stored_account.status`, status),
      accessToken: typedAs(sql`stored_account.access_token`, accessToken),
      refreshToken: typedAs(sql`stored_account.refresh_token`, refreshToken),
      app: accountApp,
      isGrantShared: sql<boolean>`exists (
        select 1 from ${accounts} ${other} where ${other.platform} = stored_account.platform and ${other.id} <> stored_account.id
          and ${other.grantorId} = stored_account.grantor_id
          and ${other.networkAppId} is not distinct from stored_account.network_app_id and ${other.status} in ('active', 'paused'))`,
    },
    (list) => sql`
      with stored_account as (
        select * from ${accounts} where ${id} = ${accountId} and ${inScope(accounts, scope)} for update
      ), updated_account as (
        update ${accounts} set status = 'disconnected', status_reason = ${reason}, access_token = null,
          refresh_token = null, token_expires_at = null, refresh_token_expires_at = null, network_app_id = null,
          token_version = ${tokenVersion} + 1, updated_at = ${instant(now)}
        from stored_account where ${id} = stored_account.id and stored_account.type = 'byo'
      ) select ${list} from stored_account join ${accounts} on ${id} = stored_account.id`,
  );
  return row ?? null;
}
