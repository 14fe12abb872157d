// Refreshes access tokens by OAuth 2, with the small variations of the networks.
import { type HttpContext, pickNumber, pickString, sendRequest, unanswered } from "./http.ts";
import { type Driver, type Failure, failure } from "./platform.ts";

interface TokenRequest {
  network: string;
  url: string;
  refreshToken: string | null;
  headers?: Record<string, string>;
  /** Client credentials, for networks that expect them in the form. */
  clientFields: Record<string, string>;
  /** Maps a rejection to a failure; the reason is `no_refresh_token` when none is stored. */
  toFailure(reason: string): Failure;
}

export function basicAuthHeader({
  clientId,
  clientSecret,
}: {
  clientId: string;
  clientSecret: string;
}): Record<string, string> {
  return { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
}

/** Without a new refresh token in the response the old one stays valid; with rotation it is revoked. */
export async function requestNewToken(io: HttpContext, request: TokenRequest): ReturnType<Driver["refresh"]> {
  const { network, url, headers, clientFields, refreshToken, toFailure } = request;
  if (!refreshToken) throw failure(toFailure("no_refresh_token"));
  const form = { ...clientFields, grant_type: "refresh_token", refresh_token: refreshToken };
  const { body, status } = await sendRequest(io, {
    network,
    method: "POST",
    url,
    ...(headers ? { headers } : {}),
    form,
  });
  // Some networks reject with 400, others with 200 and an error in the body.
  const error = pickString(body, "error") ?? pickString(body, "error", "code");
  if (error || status >= 400) throw failure(toFailure(error ?? pickString(body, "code") ?? `http_${status}`));
  const tokens = readTokens(io, body);
  if (!tokens) throw unanswered(network, "refresh_without_token");
  return tokens;
}

/** Reads the tokens of a response, with their ends; null without an access token. */
export function readTokens(io: HttpContext, body: Record<string, unknown>) {
  const accessToken = pickString(body, "access_token");
  if (!accessToken) return null;
  const after = (seconds: number | null) => (seconds === null ? null : new Date(io.now().getTime() + seconds * 1000));
  // Pinterest and LinkedIn name it refresh_token_expires_in, TikTok refresh_expires_in.
  const refreshSeconds = pickNumber(body, "refresh_token_expires_in") ?? pickNumber(body, "refresh_expires_in");
  return {
    accessToken,
    refreshToken: pickString(body, "refresh_token"),
    expiresAt: after(pickNumber(body, "expires_in")),
    refreshTokenExpiresAt: after(refreshSeconds) ?? undefined,
  };
}
