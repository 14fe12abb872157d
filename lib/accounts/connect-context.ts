// The context of connecting an account: services, the app's redirect URL at each network, and the networks that are set up.
import { drivers } from "../platforms/index.ts";
import { type Failure, getFailure, type Job } from "../platforms/platform.ts";
import { saveConnectionResult } from "../queries/connections.ts";
import type { Services } from "../services/context.ts";
import type { Env } from "../services/env.ts";
import { safeFetch } from "../services/safe-fetch.ts";
import { CONNECT_CALLBACK_PATH } from "../shared/paths.ts";
import { PLATFORM_DETAILS, PLATFORMS, type Platform } from "../shared/platforms.ts";

export type ConnectServices = Pick<Services, "db" | "env" | "fetch" | "resolveHost" | "clock" | "log">;

/** The longest time for a consent, and again for the choice among several accounts afterwards. */
export const CONNECTION_TTL_MS = 15 * 60_000;

/** The network must send the browser to exactly this URL, which is registered with our app there. */
export function getRedirectUri(origin: string, platform: Platform): string {
  return `${origin}${CONNECT_CALLBACK_PATH}/${platform}`;
}

/** Networks that accounts can be connected to: those with credentials of an app, and those that need none. */
export function listConnectablePlatforms({ networks }: Pick<Env, "networks">): Platform[] {
  return PLATFORMS.filter((platform) => {
    const connectBy = drivers[platform]?.connectBy;
    return connectBy === "server" || (connectBy === "consent" && networks[platform].clientId !== "");
  });
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
  { id, platform }: { id: string; platform: Platform },
  error: unknown,
): Promise<void> {
  const { code, message } = toConnectFailure(services, platform, error);
  await saveConnectionResult(services.db, id, { status: "failed", errorCode: code, errorMessage: message });
}

/** The reason for the person who connects; what only the operator can solve is logged. */
function toConnectFailure(
  services: Pick<Services, "log">,
  platform: Platform,
  error: unknown,
): Pick<Failure, "code" | "message"> {
  const failed = getFailure(error);
  if (!failed) throw error;
  const { class: kind, code, message, operator } = failed;
  if (operator) services.log({ level: "error", platform, operator: message });
  if (kind === "auth" || kind === "account" || kind === "content") return { code, message };
  return { code, message: `${PLATFORM_DETAILS[platform].name} did not answer. Start the connection again.` };
}
