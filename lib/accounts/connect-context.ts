// The context of connecting an account: services, the app's redirect URL at each network, and the networks that are set up.
import { drivers } from "../platforms/index.ts";
import { selectPagesApp } from "../platforms/linkedin/apps.ts";
import { type Failure, getFailure, type Job } from "../platforms/platform.ts";
import { saveConnectionResult } from "../queries/connections.ts";
import type { Services } from "../services/context.ts";
import type { Env } from "../services/env.ts";
import { safeFetch } from "../services/safe-fetch.ts";
import { CONNECT_CALLBACK_PATH } from "../shared/paths.ts";
import { type NetworkConfig, PLATFORM_DETAILS, PLATFORMS, type Platform } from "../shared/platforms.ts";

export type ConnectServices = Pick<
  Services,
  "db" | "env" | "fetch" | "resolveHost" | "clock" | "log" | "enqueueWebhooks"
>;

/** The longest time for a consent, and again for the choice among several accounts afterwards. */
export const CONNECTION_TTL_MS = 15 * 60_000;

/** The network must send the browser to exactly this URL, which is registered with our app there. */
export function getRedirectUri(origin: string, platform: Platform): string {
  return `${origin}${CONNECT_CALLBACK_PATH}/${platform}`;
}

/** An app at a network by which accounts can be connected: `pages` is LinkedIn's app for pages, if it is another one. */
export interface ConnectOffer {
  platform: Platform;
  variant: "default" | "pages";
}

/** Apps of the deployment or of the customer, whose own app replaces both of the deployment, and networks that need none. */
export function listConnectOffers({ networks }: Pick<Env, "networks">, ownApps: readonly Platform[]): ConnectOffer[] {
  return PLATFORMS.flatMap((platform) => {
    const { clientId, pages } = networks[platform];
    const isOwn = ownApps.includes(platform);
    const hasApp = drivers[platform].connectBy === "server" || clientId !== "" || isOwn;
    const offers: ConnectOffer[] = hasApp ? [{ platform, variant: "default" }] : [];
    return platform === "linkedin" && pages && !isOwn ? [...offers, { platform, variant: "pages" }] : offers;
  });
}

export function listConnectablePlatforms(env: Pick<Env, "networks">, ownApps: readonly Platform[]): Platform[] {
  return [...new Set(listConnectOffers(env, ownApps).map(({ platform }) => platform))];
}

/** `network` has the credentials of the customer's own app, if there is one. */
export function selectOfferedApp(network: NetworkConfig, variant: ConnectOffer["variant"]): NetworkConfig {
  return variant === "pages" ? selectPagesApp(network) : network;
}

export function createConnectIo(services: ConnectServices): Pick<Job, "fetch" | "fetchMedia" | "now"> {
  const { fetch, resolveHost, env, clock } = services;
  return {
    fetch,
    fetchMedia: (url, init) => safeFetch({ fetch, resolveHost, allowedHosts: env.allowedHosts }, url, init),
    now: clock,
  };
}

/** Stores why a connection failed. Throws an error that is no failure of the network. */
export async function failConnection(
  services: Pick<Services, "db" | "log">,
  { id, platform, networkAppId }: { id: string; platform: Platform; networkAppId: string | null },
  error: unknown,
): Promise<void> {
  const { code, message } = toConnectFailure(services, { platform, hasOwnApp: networkAppId !== null }, error);
  await saveConnectionResult(services.db, id, { status: "failed", errorCode: code, errorMessage: message });
}

/** The reason for the person who connects; what only the operator can solve is logged. */
function toConnectFailure(
  services: Pick<Services, "log">,
  { platform, hasOwnApp }: { platform: Platform; hasOwnApp: boolean },
  error: unknown,
): Pick<Failure, "code" | "message"> {
  const failed = getFailure(error);
  if (!failed) throw error;
  const { class: kind, code, message, operator } = failed;
  const { name } = PLATFORM_DETAILS[platform];
  if (operator && hasOwnApp)
    return {
      code,
      message: `${name} rejected the app that this customer uses there. Its id or secret is to be corrected.`,
    };
  if (operator) services.log({ level: "error", platform, operator: message });
  if (kind === "auth" || kind === "account" || kind === "content") return { code, message };
  return { code, message: `${name} did not answer. Start the connection again.` };
}
