// Stores accounts that were just connected: a new row, or new tokens for the row that the account has already.
import { v7 as newId } from "uuid";
import type { ConnectableAccount } from "../platforms/connector.ts";
import { failure } from "../platforms/platform.ts";
import { markSingleConnectLinkUsed } from "../queries/connect-links.ts";
import { findAccountIdsByExternalId, upsertAccounts } from "../queries/connected-accounts.ts";
import { type Connection, isConnectionOpen, saveConnectionResult } from "../queries/connections.ts";
import type { TenantIds } from "../queries/tenants.ts";
import { encryptTokens } from "../shared/token-encryption.ts";
import type { ConnectServices } from "./connect-context.ts";

/**
 * Stores the accounts of a connection and ends it; a failure once its link is done. Their waiting deliveries go out when they
 * are due.
 */
export async function completeConnection(
  services: ConnectServices,
  connection: TenantIds & Pick<Connection, "id" | "platform" | "linkId" | "networkAppId">,
  connected: ConnectableAccount[],
): Promise<void> {
  const { db, clock } = services;
  if (!(await isConnectionOpen(db, connection.id))) {
    const message = "The link was ended while you signed in. Nothing was connected. Ask for a new link.";
    throw failure({ class: "account", code: "link_ended", message });
  }
  const accountIds = await saveAccounts(services, connection, connected);
  services.enqueueWebhooks({ scopeIds: [connection.workspaceId ?? connection.ownerId] }, 0);
  await saveConnectionResult(db, connection.id, { status: "connected", accountIds });
  if (connection.linkId) await markSingleConnectLinkUsed(db, connection.linkId, clock());
}

/** The customer, and the network and app that issued the tokens. */
type Issuer = TenantIds & Pick<Connection, "platform" | "networkAppId">;

async function saveAccounts(
  services: ConnectServices,
  issuer: Issuer,
  connected: ConnectableAccount[],
): Promise<string[]> {
  const saved = await trySave(services, issuer, connected);
  if (saved.length === connected.length) return saved;
  // Another connection stored one of them first, so that its id is known now.
  return trySave(services, issuer, connected);
}

async function trySave(
  { db, env, clock }: ConnectServices,
  { platform, networkAppId, ...tenant }: Issuer,
  connected: ConnectableAccount[],
): Promise<string[]> {
  const now = clock();
  const externalIds = connected.map(({ externalId }) => externalId);
  const known = await findAccountIdsByExternalId(db, tenant, platform, externalIds);
  const rows = connected.map(async ({ externalId, username, displayName, grantorId, tokens, scopes }) => {
    const id = known.get(externalId) ?? newId();
    return {
      ...{ id, platform, externalId, username, displayName, grantorId, networkAppId },
      ...(await encryptTokens(env.tokenKeys, id, tokens)),
      tokenExpiresAt: tokens.expiresAt,
      refreshTokenExpiresAt: tokens.refreshTokenExpiresAt ?? null,
      grantedScopes: scopes?.length ? scopes : null,
      tokenRefreshedAt: now,
    };
  });
  return upsertAccounts(db, tenant, await Promise.all(rows), now);
}
