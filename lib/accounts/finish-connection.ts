// Finishes a connection: exchanges the code, finds out which accounts were granted, and stores the only one.

import type { AuthorizationCode, ConnectableAccount, Connector, Grant } from "../platforms/connector.ts";
import { connectors } from "../platforms/connectors.ts";
import { failure } from "../platforms/platform.ts";
import { type Connection, consumeConnectionState, saveConnectionResult } from "../queries/connections.ts";
import { findNetworkApp } from "../queries/network-apps.ts";
import { resolveNetwork } from "../services/network-app.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import {
  CONNECTION_TTL_MS,
  type ConnectOffer,
  type ConnectServices,
  createConnectIo,
  failConnection,
  selectOfferedApp,
} from "./connect-context.ts";
import { openSecrets, sealSecrets } from "./connection-secrets.ts";
import { completeConnection } from "./save-accounts.ts";

/** The query with which the network sent the browser back, and the secret in the browser's cookie. */
export interface ConsentResult {
  platform: Platform;
  state: string;
  code: string | null;
  error: string | null;
  /** The server that sent the browser back, where a network has several (RFC 9207). */
  issuer: string | null;
  browser: string;
}

/** More than anybody chooses from. */
const MAX_CANDIDATES = 200;

/** Returns the next page of the browser; null when the state is unknown, used, expired, or of another browser. */
export async function finishConnection(
  services: ConnectServices,
  { platform, state, code, error, issuer, browser }: ConsentResult,
): Promise<{ id: string; returnTo: string } | null> {
  const { db, env } = services;
  const now = services.clock();
  const hashes = { stateHash: sha256Hex(state), browserHash: sha256Hex(browser) };
  const connection = await consumeConnectionState(db, { ...hashes, platform, now });
  if (!connection) return null;
  const secrets = await openSecrets(env, connection.id, connection.secrets);
  try {
    if (!code) throw buildConsentError(platform, error);
    const { redirectUri = "", codeVerifier = "", remembered = "", variant = "default" } = secrets;
    const authorization = { code, issuer, redirectUri, codeVerifier, remembered };
    const accounts = await listGrantedAccounts(
      services,
      connectors[platform],
      { ...connection, variant },
      authorization,
    );
    await storeOrOffer(services, connection, secrets.returnTo, accounts);
  } catch (cause) {
    await failConnection(services, connection, cause);
  }
  return { id: connection.id, returnTo: secrets.returnTo };
}

async function listGrantedAccounts(
  services: ConnectServices,
  connector: Connector,
  { platform, networkAppId, variant }: Pick<Connection, "platform" | "networkAppId"> & Pick<ConnectOffer, "variant">,
  authorization: AuthorizationCode,
): Promise<ConnectableAccount[]> {
  // The code can be exchanged only with the app that asked for the consent.
  const app = networkAppId ? await findNetworkApp(services.db, networkAppId) : null;
  const network = selectOfferedApp(await resolveNetwork(services.env, platform, app), variant);
  const io = createConnectIo(services);
  const grant = await connector.exchange(network, authorization, io);
  assertPublishing(connector, platform, grant);
  const accounts = await connector.identify(network, grant, io);
  const granted = accounts.slice(0, MAX_CANDIDATES).map((account) => ({ scopes: grant.scopes, ...account }));
  if (granted.length > 0) return granted;
  const message = `${PLATFORM_DETAILS[platform].name} granted access to no account that can be published to. Choose one at the network, or sign in as an administrator of it.`;
  throw failure({ class: "account", code: "no_account", message });
}

async function storeOrOffer(
  services: ConnectServices,
  connection: Connection,
  returnTo: string,
  accounts: ConnectableAccount[],
): Promise<void> {
  const { db, env, clock } = services;
  if (accounts.length > 1) {
    await saveConnectionResult(db, connection.id, {
      status: "choosing",
      secrets: await sealSecrets(env, connection.id, { returnTo, candidates: accounts }),
      expiresAt: new Date(clock().getTime() + CONNECTION_TTL_MS),
    });
    return;
  }
  await completeConnection(services, connection, accounts);
}

/** People may deselect single permissions on the consent screen. */
function assertPublishing({ requiredScopes }: Connector, platform: Platform, { scopes }: Grant): void {
  const missing = requiredScopes.filter((scope) => scopes.length > 0 && !scopes.includes(scope));
  if (missing.length === 0) return;
  const message = `${PLATFORM_DETAILS[platform].name} was not allowed to publish for you. Start again and leave every permission selected.`;
  throw failure({ class: "account", code: "permission_missing", message });
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1; LinkedIn names it user_cancelled_authorize, Meta user_denied. */
function buildConsentError(platform: Platform, error: string | null) {
  const { name } = PLATFORM_DETAILS[platform];
  if (error === null || /denied|cancel/.test(error)) {
    const message = `You did not allow the connection at ${name}.`;
    return failure({ class: "account", code: "consent_denied", message });
  }
  // RFC 6749 names it invalid_scope, LinkedIn unauthorized_scope_error.
  if (/scope/.test(error)) {
    const message = `${name} does not give our app a permission that it asks for. Ask the operator of this service to correct its permissions.`;
    return failure({ class: "account", code: "consent_failed", message, operator: true });
  }
  const message = `${name} could not ask for your consent. Try again.`;
  return failure({ class: "account", code: "consent_failed", message });
}
