// This service as an OAuth client. Its id is the URL of a document that describes it. With a key in
// BLUESKY_CLIENT_SECRET it is a confidential client, whose sessions last longer.
import { allowInsecureRequests, type Client, customFetch, None, PrivateKeyJwt } from "oauth4webapi";
import { CLIENT_METADATA_PATH } from "../../shared/paths.ts";
import type { NetworkConfig } from "../../shared/platforms.ts";
import { selectScopes } from "../oauth-apps.ts";
import { openDpop } from "./dpop.ts";

/** `atproto` is required; the other one permits what an app password permits: posting, blobs and service tokens. */
export const SCOPES = ["atproto", "transition:generic"] as const;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

type ClientKey = JsonWebKey & { kid: string };

/** On a development machine, servers take this URL as the description: the section "Localhost Client Development". */
export function getClientId(network: NetworkConfig, origin: string, redirectUri: string): string {
  if (origin.startsWith("https:")) return `${origin}${CLIENT_METADATA_PATH}`;
  return `http://localhost/?${new URLSearchParams({ redirect_uri: redirectUri, scope: getScope(network) })}`;
}

export function getScope({ scopes }: NetworkConfig): string {
  return selectScopes(scopes, SCOPES).join(" ");
}

/** The document of which the client id is the URL. */
export function describeClient(network: NetworkConfig, origin: string, redirectUri: string): Record<string, unknown> {
  const clientId = getClientId(network, origin, redirectUri);
  return {
    client_id: clientId,
    client_name: new URL(origin).host,
    client_uri: origin,
    application_type: "web",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    redirect_uris: [redirectUri],
    scope: getScope(network),
    dpop_bound_access_tokens: true,
    ...describeAuthentication(network, clientId),
  };
}

function describeAuthentication({ clientSecret }: NetworkConfig, clientId: string): Record<string, unknown> {
  if (!isConfidential(clientSecret, clientId)) return { token_endpoint_auth_method: "none" };
  const { kty, crv, x, y, kid } = JSON.parse(clientSecret) as ClientKey;
  return {
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "ES256",
    jwks: { keys: [{ kty, crv, x, y, kid, use: "sig", alg: "ES256" }] },
  };
}

/** The client of a development machine has no metadata that could hold a key. */
export function isConfidential(clientSecret: string, clientId: string): boolean {
  return clientSecret !== "" && clientId.startsWith("https:");
}

/** The arguments of the library's requests: the client, its authentication, and proofs by `key`. */
export async function openClient(
  { clientSecret }: NetworkConfig,
  { clientId, key }: { clientId: string; key: JsonWebKey },
  fetch: (url: string, init: RequestInit) => Promise<Response>,
) {
  const client: Client = { client_id: clientId };
  // Which URLs may do without HTTPS was checked when the server was found.
  const options = { DPoP: await openDpop(key), [customFetch]: fetch, [allowInsecureRequests]: true };
  if (!isConfidential(clientSecret, clientId)) return { client, auth: None(), options };
  const jwk = JSON.parse(clientSecret) as ClientKey;
  const clientKey = await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["sign"]);
  return { client, auth: PrivateKeyJwt({ key: clientKey, kid: jwk.kid }), options };
}
