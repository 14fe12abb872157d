// Trading a refresh token as OAuth 2 says it, in the small variations of the networks.
import { call, type Io, pickNumber, pickString, unanswered } from "./http.ts";
import { type Driver, type Failure, failure } from "./platform.ts";

interface Trade {
  network: string;
  url: string;
  refreshToken: string | null;
  headers?: Record<string, string>;
  /** How the app names itself, where it does so in the form. */
  client: Record<string, string>;
  /** What a refusal means; `no_refresh_token` when there is nothing to trade. */
  refused(reason: string): Failure;
}

export function basicAuth({
  clientId,
  clientSecret,
}: {
  clientId: string;
  clientSecret: string;
}): Record<string, string> {
  return { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
}

/** A network that sends no new refresh token leaves the old one good; one that rotates has ended it. */
export async function tradeRefreshToken(io: Io, trade: Trade): ReturnType<Driver["refresh"]> {
  const { network, url, headers, client, refreshToken, refused } = trade;
  if (!refreshToken) throw failure(refused("no_refresh_token"));
  const form = { ...client, grant_type: "refresh_token", refresh_token: refreshToken };
  const { body, status } = await call(io, { network, method: "POST", url, ...(headers ? { headers } : {}), form });
  // Some refuse with 400, some with 200 and an error inside.
  const error = pickString(body, "error") ?? pickString(body, "error", "code");
  if (error || status >= 400) throw failure(refused(error ?? pickString(body, "code") ?? `http_${status}`));
  const accessToken = pickString(body, "access_token");
  if (!accessToken) throw unanswered(network, "refresh_without_token");
  const seconds = pickNumber(body, "expires_in");
  const expiresAt = seconds === null ? null : new Date(io.now().getTime() + seconds * 1000);
  return { accessToken, refreshToken: pickString(body, "refresh_token"), expiresAt };
}
