// Connects accounts by OAuth 2's authorization code (RFC 6749, section 4.1), with the small variations of the networks.
import { type NetworkConfig, PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { type HttpContext, type NetworkResponse, pickString, sendRequest, unanswered } from "./http.ts";
import { readTokens } from "./oauth.ts";
import { type Failure, failure, type Grant } from "./platform.ts";

/** Consent screens and tokens are on other hosts than the API, except with a custom base URL, which serves everything. */
export function getHost({ baseUrl }: NetworkConfig, platform: Platform, documented: string): string {
  return baseUrl === PLATFORM_DETAILS[platform].apiUrl ? documented : baseUrl;
}

/** A consent screen stays at the network when only its API is replaced, such as by a sandbox. */
export function buildConsentUrl(
  { consentUrl }: NetworkConfig,
  documented: string,
  query: Record<string, string>,
): string {
  const url = new URL(documented);
  const custom = consentUrl ? new URL(`${consentUrl}${url.pathname}`) : url;
  for (const [name, value] of Object.entries(query)) custom.searchParams.set(name, value);
  return custom.href;
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
  const { network, method = "POST", url, headers, fields } = call;
  const { body, status } = await sendRequest(io, {
    network,
    method,
    url,
    ...(headers ? { headers } : {}),
    ...(method === "GET" ? { query: fields } : { form: fields }),
  });
  // Some networks reject with 400, others with 200 and an error in the body; Meta's error is an object.
  const error = pickString(body, "error") ?? pickString(body, "error", "type") ?? pickString(body, "error_type");
  if (!error && status < 400) return body;
  const detail = `${error ?? pickString(body, "code") ?? ""} ${pickString(body, "error_description") ?? ""}`;
  throw failure(
    /client_(id|secret)|(invalid|unauthorized|deleted)_client/i.test(detail)
      ? toClientFailure(network)
      : toCodeFailure(network, error ?? `http_${status}`),
  );
}

function toCodeFailure(network: string, code: string): Failure {
  const message = `${network} did not accept the sign-in, which may have taken too long. Start it again.`;
  return { class: "auth", code, message };
}

function toClientFailure(network: string): Failure {
  const message = `${network} rejected our app credentials. Ask the operator of this service to correct them.`;
  return { class: "account", code: "client_rejected", message, operator: true };
}

/** Reads a token response. Scopes are separated by commas or spaces. */
export function readGrant(io: HttpContext, network: string, body: Record<string, unknown>): Grant {
  const tokens = readTokens(io, body);
  if (!tokens) throw unanswered(network, "exchange_without_token");
  return { ...tokens, scopes: (pickString(body, "scope") ?? "").split(/[\s,]+/).filter(Boolean), subject: null };
}

/** The account could not be read with the new token: start again. */
export function unidentified(network: string) {
  const message = `${network} did not report which account was connected. Start the connection again.`;
  return failure({ class: "account", code: "account_unidentified", message });
}
