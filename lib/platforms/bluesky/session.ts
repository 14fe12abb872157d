// Bluesky sessions: by OAuth, by an app password, or an access token with a single-use refresh token.

import type { NetworkConfig } from "../../shared/platforms.ts";
import { type HttpContext, isObject, type NetworkResponse, pickNumber, pickString, unanswered } from "../http.ts";
import { failure, type RefreshedTokens } from "../platform.ts";
import { findAccountServer, getAccountServerContext, type ServerContext } from "./account-server.ts";
import { assertSuccess, toAuthFailure } from "./errors.ts";
import { parseOauthSession, refreshOauth, revokeOauth } from "./oauth-session.ts";
import { callXrpc, NETWORK } from "./xrpc.ts";

/** In the year 2286. */
const MAX_EPOCH_S = 1e10;

const APP_PASSWORD = /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/;

/**
 * An account connected with an app password stores it as the refresh token and creates a new session each time.
 * Bluesky allows 300 sign-ins a day; a session lasts two hours.
 */
export async function refresh(
  network: NetworkConfig,
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string | null },
  io: ServerContext,
): Promise<RefreshedTokens> {
  if (!refreshToken) throw failure(toAuthFailure("no_refresh_token"));
  const byOauth = parseOauthSession(accessToken);
  if (byOauth)
    return refreshOauth(getAccountServerContext(io, network, byOauth.issuer), network, byOauth, refreshToken);
  const byPassword = APP_PASSWORD.test(refreshToken);
  // The old access token may have expired, but it still names the account.
  const did = pickString(decodeClaims(accessToken), "sub");
  const server = did ? await findAccountServer(io, network, did) : network.baseUrl;
  const context = getAccountServerContext(io, network, server);
  const { body } = byPassword
    ? await createSession(context, server, did, refreshToken)
    : await refreshSession(context, server, refreshToken);
  const fresh = pickString(body, "accessJwt");
  if (!fresh) throw unanswered(NETWORK, "session_without_token");
  return {
    accessToken: fresh,
    refreshToken: byPassword ? null : pickString(body, "refreshJwt"),
    expiresAt: readExpiry(fresh),
    refreshTokenExpiresAt: null,
  };
}

/** Ends a session by OAuth; false for an app password, which stays until its owner deletes it. */
export async function revokeSession(
  network: NetworkConfig,
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string | null },
  io: ServerContext,
): Promise<boolean> {
  const session = parseOauthSession(accessToken);
  if (!session) return false;
  return revokeOauth(getAccountServerContext(io, network, session.issuer), network, session, refreshToken);
}

async function refreshSession(io: HttpContext, server: string, token: string): Promise<NetworkResponse> {
  const response = await callXrpc(io, server, { method: "POST", name: "com.atproto.server.refreshSession", token });
  assertSuccess(io, response);
  return response;
}

async function createSession(
  io: HttpContext,
  server: string,
  identifier: string | null,
  password: string,
): Promise<NetworkResponse> {
  if (!identifier) throw failure(toAuthFailure("session_of_nobody"));
  const name = "com.atproto.server.createSession";
  const response = await callXrpc(io, server, { method: "POST", name, json: { identifier, password } });
  assertSuccess(io, response);
  return response;
}

/** Rejects any other password, so that none is ever sent or stored. */
export function assertAppPassword(password: string): void {
  if (!APP_PASSWORD.test(password)) {
    const message =
      "Use an app password of four groups, such as abcd-efgh-ijkl-mnop, never the account's own. Bluesky makes one under Settings, Privacy and security, App passwords.";
    throw failure({ class: "account", code: "app_password_required", message });
  }
}

/** Signs in with an app password. */
export async function signIn(
  io: HttpContext,
  server: string,
  did: string,
  password: string,
): Promise<NetworkResponse["body"]> {
  const name = "com.atproto.server.createSession";
  const response = await callXrpc(io, server, { method: "POST", name, json: { identifier: did, password } });
  if (response.status === 401) {
    const message = "Bluesky does not accept this handle and app password. Check both, or make a new app password.";
    throw failure({ class: "account", code: "password_rejected", message });
  }
  assertSuccess(io, response);
  return response.body;
}

/** The access token of a new session and its end. */
export function readSession(body: NetworkResponse["body"]): { accessToken: string; expiresAt: Date | null } {
  const accessToken = pickString(body, "accessJwt");
  if (!accessToken) throw unanswered(NETWORK, "session_without_token");
  return { accessToken, expiresAt: readExpiry(accessToken) };
}

/** Null for an end that the database could not store: a server of an account may write any number. */
function readExpiry(token: string): Date | null {
  const expires = pickNumber(decodeClaims(token), "exp");
  return expires === null || Math.abs(expires) > MAX_EPOCH_S ? null : new Date(expires * 1000);
}

/** Decodes the claims of a JWT without verification, which only its server can do. */
function decodeClaims(token: string): Record<string, unknown> {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
