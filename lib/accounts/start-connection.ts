// Starts a connection: the URL of the network's consent screen, bound to the browser that goes there.
import { createHash, randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import type { Connector, ConsentRequest } from "../platforms/connector.ts";
import { connectors } from "../platforms/connectors.ts";
import { insertConnection } from "../queries/connections.ts";
import { findCurrentApp } from "../queries/network-apps.ts";
import type { TenantIds } from "../queries/tenants.ts";
import { type NetworkApp, resolveNetwork } from "../services/network-app.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { type NetworkConfig, PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import {
  CONNECTION_TTL_MS,
  type ConnectOffer,
  type ConnectServices,
  createConnectIo,
  failConnection,
  getRedirectUri,
  listConnectOffers,
  selectOfferedApp,
} from "./connect-context.ts";
import { sealSecrets } from "./connection-secrets.ts";

export interface ConnectionRequest {
  tenant: TenantIds;
  platform: Platform;
  variant: ConnectOffer["variant"];
  /** The link by which it was begun; null in the dashboard. */
  linkId: string | null;
  /** The secret in the cookie of the browser, which must still be there when the network sends it back. */
  browser: string;
  /** The path of this service where the browser goes afterwards; `?connection=` with the id is appended. */
  returnTo: string;
  /** Scheme and host under which the networks know this service. */
  origin: string;
  /** The entry of the person, for a network whose accounts are on many servers. */
  identifier?: string;
}

/** The cookie that holds the secret of a browser. It is sent back from other sites too (SameSite=Lax), by links only. */
export const BROWSER_COOKIE = "connect_browser";

/** A secret for the cookie of a browser: 256 bits. */
export function createBrowserSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Throws `platform_unavailable` when no app at the network is configured. When a consent screen must be requested and
 * cannot, the url is null, and the connection is stored with status `failed`.
 */
export async function startConnection(
  services: ConnectServices,
  { tenant, platform, variant, linkId, browser, returnTo, origin, identifier = "" }: ConnectionRequest,
): Promise<{ id: string; url: string | null }> {
  const { db, env, clock } = services;
  const app = await findCurrentApp(db, tenant, platform);
  const connector = requireConnector(env, { platform, variant }, app);
  const network = selectOfferedApp(await resolveNetwork(env, platform, app), variant);
  const id = newId();
  const state = randomBytes(32).toString("base64url");
  const codeVerifier = randomBytes(32).toString("base64url");
  const redirectUri = getRedirectUri(origin, platform);
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const request = { redirectUri, state, codeChallenge, origin, identifier };
  const consent = await toResult(openConsent(services, connector, network, request));
  const { url, remembered } = consent.ok ? consent.value : { url: null };
  await insertConnection(db, tenant, {
    ...{ id, platform, linkId, status: "started" },
    networkAppId: app?.id ?? null,
    stateHash: url ? sha256Hex(state) : null,
    browserHash: sha256Hex(browser),
    secrets: await sealSecrets(env, id, { returnTo, codeVerifier, redirectUri, remembered, variant }),
    expiresAt: new Date(clock().getTime() + CONNECTION_TTL_MS),
  });
  if (!consent.ok) await failConnection(services, { id, platform, networkAppId: app?.id ?? null }, consent.error);
  return { id, url };
}

async function openConsent(
  services: ConnectServices,
  connector: Connector,
  network: NetworkConfig,
  request: ConsentRequest,
): Promise<{ url: string; remembered?: string }> {
  const consent = await connector.authorizeUrl(network, request, createConnectIo(services));
  return typeof consent === "string" ? { url: consent } : consent;
}

function requireConnector(
  env: ConnectServices["env"],
  { platform, variant }: ConnectOffer,
  app: NetworkApp | null,
): Connector {
  const offers = listConnectOffers(env, app ? [platform] : []);
  const isOffered = offers.some((offer) => offer.platform === platform && offer.variant === variant);
  if (isOffered) return connectors[platform];
  throw apiError(
    "platform_unavailable",
    `This service cannot ask for a consent at ${PLATFORM_DETAILS[platform].name}.`,
  );
}
