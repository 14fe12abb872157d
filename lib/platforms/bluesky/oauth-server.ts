// Finds the authorization server of a Bluesky account's server.
import {
  type AuthorizationServer,
  processDiscoveryResponse,
  processResourceDiscoveryResponse,
  ResponseBodyError,
} from "oauth4webapi";
import type { NetworkConfig } from "../../shared/platforms.ts";
import type { ConnectIo } from "../connector.ts";
import { failure, getFailure } from "../platform.ts";
import { getAccountServerContext } from "./account-server.ts";

const TIMEOUT_MS = 10_000;

/** Throws when the server has none, or one that does not do what the specification requires. */
export async function findAuthorizationServer(
  io: ConnectIo,
  network: NetworkConfig,
  server: string,
): Promise<AuthorizationServer> {
  const { authorization_servers: [issuer, ...others] = [] } = await readMetadata(
    ...([io, network, server, "oauth-protected-resource", processResourceDiscoveryResponse] as const),
  );
  if (!issuer || others.length > 0 || !isIssuer(network, issuer)) throw unsupported();
  const found = await readMetadata(io, network, issuer, "oauth-authorization-server", processDiscoveryResponse);
  if (!isSupported(network, found)) throw unsupported();
  return found;
}

async function readMetadata<Metadata>(
  io: ConnectIo,
  network: NetworkConfig,
  server: string,
  name: string,
  process: (expected: URL, response: Response) => Promise<Metadata>,
): Promise<Metadata> {
  if (!isSafe(network, server)) throw unsupported();
  return attempt(async () =>
    process(new URL(server), await fetchFrom(io, network, server)(`${server}/.well-known/${name}`)),
  );
}

/** Requests at a server: at public addresses, with limits on time and size, and without redirects. */
export function fetchFrom(io: ConnectIo, network: NetworkConfig, server: string) {
  const { fetch } = getAccountServerContext(io, network, server);
  return (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { redirect: "manual", ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Converts an error of the library to a failure that tells the person what to do. */
export async function attempt<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (getFailure(error)) throw error;
    if (!(error instanceof ResponseBodyError)) throw unsupported();
    const isClientRejected = /client/.test(error.error);
    throw failure({
      class: "account",
      code: error.error,
      message: isClientRejected
        ? "The account's server does not accept this service. Ask the operator of this service to correct that."
        : "The account's server did not accept the sign-in, which may have taken too long. Start it again.",
      ...(isClientRejected ? { operator: true } : {}),
    });
  }
}

/** An origin; the operator's own server may have a path. */
function isIssuer({ baseUrl }: NetworkConfig, issuer: string): boolean {
  return issuer === baseUrl || (URL.canParse(issuer) && new URL(issuer).origin === issuer);
}

function isSupported(network: NetworkConfig, server: AuthorizationServer): boolean {
  const urls = [
    server.authorization_endpoint,
    server.token_endpoint,
    server.pushed_authorization_request_endpoint,
    server.revocation_endpoint ?? server.token_endpoint,
  ];
  return (
    urls.every((url) => url !== undefined && isSafe(network, url)) &&
    server.authorization_response_iss_parameter_supported === true &&
    server.client_id_metadata_document_supported === true &&
    server.scopes_supported?.includes("atproto") === true &&
    server.dpop_signing_alg_values_supported?.includes("ES256") === true &&
    server.code_challenge_methods_supported?.includes("S256") === true
  );
}

/** Only a server of the operator's own, for tests, may do without HTTPS. */
function isSafe({ baseUrl }: NetworkConfig, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && baseUrl.startsWith("http:"));
}

function unsupported() {
  const message =
    "The account's server cannot be reached, or does not offer a sign-in for other services. Connect the account with an app password.";
  return failure({ class: "account", code: "server_unsupported", message });
}
