// Finds the server (PDS) of an account. The account's DID document contains its URL; accounts may use any server.
import { type NetworkConfig, PLATFORM_DETAILS } from "../../shared/platforms.ts";
import { type HttpContext, type NetworkResponse, pickList, pickString, sendRequest } from "../http.ts";
import { failure, type Job } from "../platform.ts";
import { callXrpc, NETWORK, type XrpcRequest } from "./xrpc.ts";

// https://web.plc.directory/spec/v0.1/did-plc, read 2026-11-23.
const DIRECTORY = "https://plc.directory";
// https://atproto.com/specs/did, read 2026-11-23: the service whose id ends with this, of this type, is the PDS.
const SERVICE_ID = "#atproto_pds";
const SERVICE_TYPE = "AtprotoPersonalDataServer";

/** `fetchMedia` is used for hosts chosen by account owners, because it rejects private addresses. */
export type ServerContext = HttpContext & Pick<Job, "fetchMedia">;

/**
 * Returns the base URL of the account's server: `network.baseUrl` if that is custom and no `directoryUrl` is set, or if
 * `did` is neither did:plc nor a supported did:web.
 */
export async function findAccountServer(io: ServerContext, network: NetworkConfig, did: string): Promise<string> {
  const documentUrl = getDocumentUrl(network, did);
  if (!documentUrl) return network.baseUrl;
  // The directory is configured by the operator; the host of a did:web is chosen by the account's owner.
  const reply = await sendRequest(did.startsWith("did:plc:") ? io : guarded(io), {
    network: NETWORK,
    method: "GET",
    url: documentUrl,
  });
  if (reply.status >= 400) {
    const isGone = reply.status === 404 || reply.status === 410;
    throw failure(
      isGone
        ? {
            class: "account",
            code: "did_not_found",
            message: "No DID document exists for this account. Reconnect the account.",
          }
        : {
            class: "transient",
            code: "did_unavailable",
            message: `The DID document of the account could not be read (HTTP ${reply.status}).`,
          },
    );
  }
  const service = pickList(reply.body, "service").find(
    (one) => pickString(one, "id")?.endsWith(SERVICE_ID) && pickString(one, "type") === SERVICE_TYPE,
  );
  const endpoint = pickString(service, "serviceEndpoint") ?? "";
  if (pickString(reply.body, "id") === did && URL.canParse(endpoint)) return new URL(endpoint).origin;
  throw failure({
    class: "account",
    code: "account_without_server",
    message:
      "The account's DID document contains no valid #atproto_pds service. Correct the document, then retry the post.",
  });
}

function getDocumentUrl({ baseUrl, directoryUrl }: NetworkConfig, did: string): string | null {
  const isDefaultApi = baseUrl === PLATFORM_DETAILS.bluesky.apiUrl;
  if (!isDefaultApi && !directoryUrl) return null;
  if (did.startsWith("did:plc:")) return `${directoryUrl ?? DIRECTORY}/${encodeURIComponent(did)}`;
  // did:web with a path is not supported. A port is encoded as %3A.
  const [, host] = /^did:web:([^:]+)$/.exec(did) ?? [];
  return host ? `https://${decodeURIComponent(host)}/.well-known/did.json` : null;
}

/** The context for requests to `server`; a server other than `network.baseUrl` is requested only at public addresses. */
export function getAccountServerContext<Context extends ServerContext>(
  io: Context,
  network: NetworkConfig,
  server: string,
): Context {
  return server === network.baseUrl ? io : guarded(io);
}

function guarded<Context extends ServerContext>(io: Context): Context {
  return { ...io, fetch: (input: RequestInfo | URL, init?: RequestInit) => io.fetchMedia(String(input), init ?? {}) };
}

/** Sends an XRPC request to the account's server, with the account's token if it is `authorized`. */
export function callAccountServer(
  job: Job,
  server: string,
  { authorized, ...request }: Omit<XrpcRequest, "token"> & { authorized?: boolean },
): Promise<NetworkResponse> {
  const context = getAccountServerContext(job, job.network, server);
  return callXrpc(context, server, { ...request, ...(authorized ? { token: job.connection.accessToken } : {}) });
}
