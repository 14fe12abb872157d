// Bluesky servers for tests: an account whose server leaves sign-ins to another, and an account elsewhere.
import { connector } from "../../lib/platforms/bluesky/oauth-connect.ts";
import type { Job } from "../../lib/platforms/platform.ts";
import { safeFetch } from "../../lib/services/safe-fetch.ts";

export const NETWORK = { baseUrl: "https://bsky.social", clientId: "", clientSecret: "" };
export const ORIGIN = "https://publisher.example.com";
export const DID = "did:plc:ann";
export const PDS = "https://pds.example.net";
export const ISSUER = "https://login.example.net";
export const REDIRECT = { redirectUri: `${ORIGIN}/connect/callback/bluesky`, origin: ORIGIN };

export type Respond = (request: Request) => unknown;

export interface Servers {
  responses: Record<string, Respond>;
  /** The addresses of host names; any other is public. */
  addresses: Record<string, string[]>;
  requests: { url: string; form: URLSearchParams; headers: Headers }[];
}

/** The account `ann.example.com` at a server that leaves sign-ins to another; `change` replaces responses. */
export function createServers(change: Record<string, Respond> = {}, addresses: Servers["addresses"] = {}): Servers {
  const didDocument = (did: string, handle: string, server: string) => ({
    id: did,
    alsoKnownAs: [`at://${handle}`],
    service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: server }],
  });
  const responses: Servers["responses"] = {
    "https://bsky.social/xrpc/com.atproto.identity.resolveHandle": () => ({ did: DID }),
    "https://plc.directory/did%3Aplc%3Aann": () => didDocument(DID, "ann.example.com", PDS),
    "https://plc.directory/did%3Aplc%3Abob": () =>
      didDocument("did:plc:bob", "bob.example.com", "https://bob.example.org"),
    [`${PDS}/.well-known/oauth-protected-resource`]: () => ({ resource: PDS, authorization_servers: [ISSUER] }),
    "https://bob.example.org/.well-known/oauth-protected-resource": () => ({
      resource: "https://bob.example.org",
      authorization_servers: ["https://bob.example.org"],
    }),
    "https://bob.example.org/.well-known/oauth-authorization-server": () => describeServer("https://bob.example.org"),
    [`${ISSUER}/.well-known/oauth-authorization-server`]: () => describeServer(ISSUER),
    [`${ISSUER}/par`]: () => json({ request_uri: "urn:ietf:params:oauth:request_uri:1", expires_in: 300 }, 201),
    [`${ISSUER}/token`]: () => TOKENS,
    ...change,
  };
  return { responses, addresses, requests: [] };
}

export const TOKENS = {
  ...{ access_token: "first", token_type: "DPoP", expires_in: 900, refresh_token: "one", sub: DID },
  scope: "atproto transition:generic",
};

export const describeServer = (issuer: string, change: Record<string, unknown> = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  pushed_authorization_request_endpoint: `${issuer}/par`,
  revocation_endpoint: `${issuer}/revoke`,
  scopes_supported: ["atproto", "transition:generic"],
  code_challenge_methods_supported: ["S256"],
  dpop_signing_alg_values_supported: ["ES256"],
  authorization_response_iss_parameter_supported: true,
  require_pushed_authorization_requests: true,
  client_id_metadata_document_supported: true,
  ...change,
});

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { "dpop-nonce": "current", ...headers } });

/** The job of a driver, and the services of a connector, on these servers. */
export function open(servers: Servers, accessToken = "", network = NETWORK): Job {
  const send = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    const form = new URLSearchParams(await request.clone().text());
    servers.requests.push({ url: origin + pathname, form, headers: request.headers });
    const response = await servers.responses[origin + pathname]?.(request);
    if (response === undefined) return new Response("", { status: 404 });
    return response instanceof Response ? response : json(response);
  }) as typeof fetch;
  const resolveHost = async (host: string) => servers.addresses[host] ?? ["93.184.216.34"];
  return {
    deliveryId: "delivery",
    content: { caption: "hello", media: null, musicUrl: null, settings: {} },
    connection: { accountId: "account", externalId: DID, accessToken },
    network,
    fetch: send,
    fetchMedia: (url, init) => safeFetch({ fetch: send, resolveHost, allowedHosts: [] }, url, init),
    now: () => new Date(),
  };
}

export async function start(servers: Servers, identifier = "ann.example.com", network = NETWORK) {
  const request = { ...REDIRECT, state: "s".repeat(43), codeChallenge: "c".repeat(43), identifier };
  const opened = await connector.authorizeUrl(network, request, open(servers));
  if (typeof opened === "string") throw new Error("nothing to remember");
  return opened;
}

export async function connect(
  servers: Servers,
  { identifier = "ann.example.com", issuer = ISSUER, network = NETWORK } = {},
) {
  const { remembered } = await start(servers, identifier, network);
  const authorization = {
    code: "code",
    issuer,
    redirectUri: REDIRECT.redirectUri,
    codeVerifier: "v".repeat(43),
    remembered,
  };
  return connector.exchange(network, authorization, open(servers));
}
