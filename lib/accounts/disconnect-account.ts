// Disconnects an account: its tokens are forgotten here, and its consent ends at the network.
import { selectAccountApp } from "../platforms/issuing-app.ts";
import { revokeConsent } from "../platforms/revocation.ts";
import { type DisconnectedAccount, disconnectOwnAccount } from "../queries/connected-accounts.ts";
import { resolveNetwork } from "../services/network-app.ts";
import { apiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import type { Scope } from "../shared/scope.ts";
import { decryptToken } from "../shared/token-encryption.ts";
import { type ConnectServices, createConnectIo } from "./connect-context.ts";

const REASON = "Disconnected on request. Connect the account again to publish to it.";

/**
 * Posts that wait for the account stay scheduled: they go out if it is connected again by their time, else they are void.
 * `revoked` reports whether the network ended the consent too. Throws `not_found` and `account_hosted`.
 */
export async function disconnectAccount(
  services: ConnectServices,
  scope: Scope,
  accountId: string,
): Promise<{ revoked: boolean }> {
  const account = await disconnectOwnAccount(services.db, scope, accountId, { now: services.clock(), reason: REASON });
  if (!account) throw apiError("not_found", "No account with this id is visible to the key.");
  if (account.type === "hosted") {
    const message = "Hosted accounts are assigned by the operator of this service, who also takes them back.";
    throw apiError("account_hosted", message);
  }
  return { revoked: await endConsent(services, account) };
}

/** The account is disconnected here whatever the network responds; a consent that other accounts need stays. */
async function endConsent(services: ConnectServices, account: DisconnectedAccount): Promise<boolean> {
  const { id, platform, externalId, accessToken, refreshToken, app, isGrantShared } = account;
  if (!accessToken || isGrantShared) return false;
  const { env } = services;
  try {
    const tokens = {
      accessToken: await decryptToken(env.tokenKeys, { accountId: id, column: "access_token" }, accessToken),
      refreshToken: refreshToken
        ? await decryptToken(env.tokenKeys, { accountId: id, column: "refresh_token" }, refreshToken)
        : null,
    };
    const network = selectAccountApp(await resolveNetwork(env, platform, app), { platform, externalId });
    return await revokeConsent(platform, network, tokens, createConnectIo(services));
  } catch (error) {
    services.log({ level: "warn", account: id, revoke: formatError(error) });
    return false;
  }
}
