// Tokens by OAuth 2: exchanges a code, refreshes a token and ends a consent, as `oauth-apps.ts` describes each network.
import { DAY_SECONDS } from "../shared/durations.ts";
import { type NetworkConfig, PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { Grant } from "./connector.ts";
import { type HttpContext, type NetworkResponse, pickString, sendRequest, unanswered } from "./http.ts";
import type { OAuthApp } from "./oauth-apps.ts";
import { type Driver, type Failure, failure, OPERATOR_ACTS, type RefreshedTokens } from "./platform.ts";

/** Tokens are on another host than the API, except with a custom base URL, which serves everything. */
export function getTokenHost(
  { baseUrl }: NetworkConfig,
  { platform, tokenHost }: Pick<OAuthApp, "platform" | "tokenHost">,
): string {
  return tokenHost && baseUrl === PLATFORM_DETAILS[platform].apiUrl ? tokenHost : baseUrl;
}

/** The app's credentials: a header, or fields of the form. */
export function authenticateApp(
  { clientId, clientSecret }: NetworkConfig,
  { clientAuth, clientIdField }: OAuthApp,
): { headers: Record<string, string>; fields: Record<string, string> } {
  return clientAuth === "basic"
    ? { headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }, fields: {} }
    : { headers: {}, fields: { [clientIdField]: clientId, client_secret: clientSecret } };
}

interface TokenCall {
  /** Display name of the network, for messages. */
  network: string;
  method?: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  /** Sent as a form, or as the query of a GET; no component logs URLs. */
  fields: Record<string, string>;
}

/** Calls a token endpoint. Throws `auth` for a rejected code, and an operator failure for rejected app credentials. */
export async function callTokenEndpoint(io: HttpContext, call: TokenCall): Promise<NetworkResponse["body"]> {
  const { network, method = "POST", url, headers = {}, fields } = call;
  const { body, status } = await sendRequest(io, {
    ...{ network, method, url, headers },
    ...(method === "GET" ? { query: fields } : { form: fields }),
  });
  // Some networks reject with 400, others with 200 and an error in the body; Meta's error is an object.
  const error = pickString(body, "error") ?? pickString(body, "error", "type") ?? pickString(body, "error_type");
  if (!error && status < 400) return body;
  const isRejected = isClientRejected(error ?? `${pickString(body, "code")}`, body);
  throw failure(isRejected ? toClientFailure(network) : toCodeFailure(network, error ?? `http_${status}`));
}

/** Networks name rejected credentials of the app in the error or in its description; a dead grant is another matter. */
export function isClientRejected(error: string, body: Record<string, unknown>): boolean {
  if (error === "invalid_grant") return false;
  const detail = `${error} ${pickString(body, "error_description")}`;
  return /client_?\s?(id|key|secret)\b|(invalid|unauthorized|deleted|disabled)_client/i.test(detail);
}

function toCodeFailure(network: string, code: string): Failure {
  const message = `${network} did not accept the sign-in, which may have taken too long. Start it again.`;
  return { class: "auth", code, message };
}

function toClientFailure(network: string): Failure {
  const message = `${network} rejected our app credentials. Ask the operator of this service to correct them.`;
  return { class: "account", code: "client_rejected", message, operator: true };
}

/**
 * Below the lease of the account. A network that rotates its tokens may have revoked the old one by the time it responds, so a
 * response that comes late must not be missed: https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token, read 2026-11-30.
 */
const REFRESH_TIMEOUT_MS = 45_000;

/** Without a new refresh token in the response the old one stays valid; with rotation it is revoked. */
export function createRefresh(app: OAuthApp): Driver["refresh"] {
  return async (network, { refreshToken }, io) => {
    if (!refreshToken) throw failure(toRefreshFailure(app, "no_refresh_token"));
    const { headers, fields } = authenticateApp(network, app);
    const named = app.refreshNamesClient ? { client_id: network.clientId } : {};
    const { name } = PLATFORM_DETAILS[app.platform];
    const { body, status } = await sendRequest(io, {
      ...{ network: name, method: "POST", url: getTokenHost(network, app) + app.tokenPath, headers },
      form: { ...fields, ...named, grant_type: "refresh_token", refresh_token: refreshToken },
      timeoutMs: REFRESH_TIMEOUT_MS,
    });
    // Some networks reject with 400, others with 200 and an error in the body.
    const error = pickString(body, "error") ?? pickString(body, "error", "code");
    if (error || status >= 400) {
      throw failure(toRefreshFailure(app, error ?? pickString(body, "code") ?? `http_${status}`, body));
    }
    const tokens = readTokens(io, body);
    if (!tokens) throw unanswered(name, "refresh_without_token");
    return tokens;
  };
}

/** A refresh that failed for the app and not for the account, which stays connected. */
export function toRejectedAppFailure(vendor: string, code: string): Failure {
  const message = `${vendor} rejected our app credentials. ${OPERATOR_ACTS}`;
  return { class: "transient", code, message, operator: true };
}

/** Only a revoked grant disconnects the account; rejected credentials are an error of our own configuration. */
function toRefreshFailure(app: OAuthApp, reason: string, body: Record<string, unknown> = {}): Failure {
  const { platform, clientErrors, vendor, toRefreshCode } = app;
  const { name } = PLATFORM_DETAILS[platform];
  const code = toRefreshCode?.(reason) ?? reason;
  if (!clientErrors.includes(reason) && !isClientRejected(reason, body)) {
    return { class: "auth", code, message: `${name} no longer accepts this account's token. Reconnect the account.` };
  }
  return toRejectedAppFailure(vendor ?? name, code);
}

/** A hundred years: the database stores no end that is much later. */
const MAX_LIFETIME_S = 100 * 365 * DAY_SECONDS;

/**
 * Reads the tokens of a response, with their ends; null without an access token. An access token whose lifetime is not given ends
 * after `usualSeconds`, or when the network rejects it.
 */
export function readTokens(io: HttpContext, body: Record<string, unknown>, usualSeconds = 0): RefreshedTokens | null {
  const accessToken = pickString(body, "access_token");
  if (!accessToken) return null;
  /** Servers also write a lifetime as a string. */
  const readEnd = (name: string, usual = 0) => {
    const given = Number(pickString(body, name));
    const seconds = given > 0 ? Math.min(given, MAX_LIFETIME_S) : usual;
    return seconds > 0 ? new Date(io.now().getTime() + seconds * 1000) : null;
  };
  // Pinterest and LinkedIn name it refresh_token_expires_in, TikTok refresh_expires_in.
  const refreshEnd = readEnd("refresh_token_expires_in") ?? readEnd("refresh_expires_in");
  return {
    accessToken,
    refreshToken: pickString(body, "refresh_token"),
    expiresAt: readEnd("expires_in", usualSeconds),
    refreshTokenExpiresAt: refreshEnd ?? undefined,
  };
}

/** Reads a token response. Scopes are separated by commas or spaces. */
export function readGrant(io: HttpContext, network: string, body: Record<string, unknown>, usualSeconds = 0): Grant {
  const tokens = readTokens(io, body, usualSeconds);
  if (!tokens) throw unanswered(network, "exchange_without_token");
  return { ...tokens, scopes: (pickString(body, "scope") ?? "").split(/[\s,]+/).filter(Boolean), subject: null };
}
