// The app with which a network is called: the one that the customer brought, else the app of the deployment.
import type { NetworkConfig, Platform } from "../shared/platforms.ts";
import { decryptText, encryptText } from "../shared/token-encryption.ts";
import type { Env } from "./env.ts";

/** The app of a customer as it is stored. */
export interface NetworkApp {
  id: string;
  scopeId: string;
  platform: Platform;
  clientId: string;
  /** Encrypted. */
  clientSecret: string;
  scopes: string[] | null;
  uploadsPerDay: number | null;
}

type AppName = Pick<NetworkApp, "scopeId" | "platform" | "clientId">;

/** The secret of another customer's app, or of another client id, does not decrypt in this place. */
function toPlace({ scopeId, platform, clientId }: AppName): string {
  return `network_apps/${scopeId}/${platform}/${clientId}/client_secret`;
}

export function sealAppSecret({ tokenKeys }: Pick<Env, "tokenKeys">, name: AppName, secret: string): Promise<string> {
  return encryptText(tokenKeys, toPlace(name), secret);
}

export function openAppSecret({ tokenKeys }: Pick<Env, "tokenKeys">, name: AppName, sealed: string): Promise<string> {
  return decryptText(tokenKeys, toPlace(name), sealed);
}

/** The settings of a network with the app's credentials. The permissions of the deployment's app are not those of another. */
export async function resolveNetwork(
  env: Pick<Env, "networks" | "tokenKeys">,
  platform: Platform,
  app: NetworkApp | null,
): Promise<NetworkConfig> {
  const network = env.networks[platform];
  if (!app) return network;
  const {
    scopes: _scopes,
    configId: _configId,
    attemptsPerMinute: _attemptsPerMinute,
    pages: _pages,
    ...settings
  } = network;
  return {
    ...settings,
    clientId: app.clientId,
    clientSecret: await openAppSecret(env, app, app.clientSecret),
    ...(app.scopes ? { scopes: app.scopes } : {}),
  };
}
