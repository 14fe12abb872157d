// Bluesky's sessions: a short access token and a refresh token that is good for one use, or an app password.
import { type Io, isObject, pickNumber, pickString, type Reply, unanswered } from "../http.ts";
import { type Driver, failure, type NetworkConfig } from "../platform.ts";
import { expectSuccess, NETWORK, signedOut, xrpc } from "./errors.ts";

const APP_PASSWORD = /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/;

/**
 * An account connected by an app password keeps it as its refresh token and gets a new session each time; sign-ins
 * are few (300 a day), which a session of two hours stays far below.
 */
export const refresh: Driver["refresh"] = async (network, { accessToken, refreshToken }, io) => {
  if (!refreshToken) throw failure(signedOut("no_refresh_token"));
  const byPassword = APP_PASSWORD.test(refreshToken);
  const { body } = byPassword
    ? await createSession(io, network, accessToken, refreshToken)
    : await refreshSession(io, network, refreshToken);
  const fresh = pickString(body, "accessJwt");
  if (!fresh) throw unanswered(NETWORK, "session_without_token");
  const expires = pickNumber(claimsOf(fresh), "exp");
  return {
    accessToken: fresh,
    refreshToken: byPassword ? null : pickString(body, "refreshJwt"),
    expiresAt: expires === null ? null : new Date(expires * 1000),
  };
};

async function refreshSession(io: Io, { baseUrl }: NetworkConfig, token: string): Promise<Reply> {
  const reply = await xrpc(io, baseUrl, { method: "POST", name: "com.atproto.server.refreshSession", token });
  expectSuccess(io, reply);
  return reply;
}

/** Whose session it is stands in the old token, which may be long expired. */
async function createSession(io: Io, { baseUrl }: NetworkConfig, oldToken: string, password: string): Promise<Reply> {
  const identifier = pickString(claimsOf(oldToken), "sub");
  if (!identifier) throw failure(signedOut("session_of_nobody"));
  const name = "com.atproto.server.createSession";
  const reply = await xrpc(io, baseUrl, { method: "POST", name, json: { identifier, password } });
  expectSuccess(io, reply);
  return reply;
}

/** What a JWT says, unchecked: only its own server can check it, and does. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
