// Starts a connection: the URL of the network's consent screen, bound to the browser that goes there.
import { createHash, randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import { connectors } from "../platforms/connectors.ts";
import type { Connector } from "../platforms/platform.ts";
import * as connections from "../queries/connections.ts";
import type { Tenant } from "../queries/tenants.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import {
  CONNECTION_TTL_MS,
  type ConnectServices,
  getRedirectUri,
  listConnectablePlatforms,
} from "./connect-context.ts";
import { sealSecrets } from "./connection-secrets.ts";

export interface ConnectionRequest {
  tenant: Tenant;
  platform: Platform;
  /** The link by which it was begun; null in the dashboard. */
  linkId: string | null;
  /** The secret in the cookie of the browser, which must still be there when the network answers. */
  browser: string;
  /** The path of this service where the browser goes afterwards; `?connection=` with the id is appended. */
  returnTo: string;
  /** Scheme and host under which the networks know this service. */
  origin: string;
}

/** The cookie that holds the secret of a browser. It is sent back from other sites too (SameSite=Lax), by links only. */
export const BROWSER_COOKIE = "connect_browser";

/** A secret for the cookie of a browser: 256 bits. */
export function createBrowserSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Throws `platform_unavailable` when no app at the network is configured. */
export async function startConnection(
  { db, env, clock }: ConnectServices,
  { tenant, platform, linkId, browser, returnTo, origin }: ConnectionRequest,
): Promise<{ id: string; url: string }> {
  const connector = requireConnector(env, platform);
  const id = newId();
  const state = randomBytes(32).toString("base64url");
  const codeVerifier = randomBytes(32).toString("base64url");
  const redirectUri = getRedirectUri(origin, platform);
  await connections.insert(db, tenant, {
    ...{ id, platform, linkId, status: "started" },
    stateHash: sha256Hex(state),
    browserHash: sha256Hex(browser),
    secrets: await sealSecrets(env, id, { returnTo, codeVerifier, redirectUri }),
    expiresAt: new Date(clock().getTime() + CONNECTION_TTL_MS),
  });
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  return { id, url: connector.authorizeUrl(env.networks[platform], { redirectUri, state, codeChallenge }) };
}

function requireConnector(env: ConnectServices["env"], platform: Platform): Connector {
  const connector = connectors[platform];
  if (connector && listConnectablePlatforms(env).includes(platform)) return connector;
  throw apiError(
    "platform_unavailable",
    `This service cannot ask for a consent at ${PLATFORM_DETAILS[platform].name}.`,
  );
}
