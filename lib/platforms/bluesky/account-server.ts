// Finds the server (PDS) of an account. The account's DID document contains its URL; accounts may use any server.
import { type NetworkConfig, PLATFORM_DETAILS } from "../../shared/platforms.ts";
import { type HttpContext, type NetworkResponse, pickList, pickString, sendRequest } from "../http.ts";
import { failure, type Job } from "../platform.ts";
import { parseOauthSession, sendSigned } from "./oauth-session.ts";
import { callXrpc, NETWORK, toNetworkRequest, type XrpcRequest } from "./xrpc.ts";

const DIRECTORY = "https://plc.directory";
// The service whose id ends with this, of this type, is the PDS.
const SERVICE_ID = "#atproto_pds";
const SERVICE_TYPE = "AtprotoPersonalDataServer";

/** `fetchMedia` is used for hosts chosen by account owners, because it rejects private addresses. */
export type ServerContext = HttpContext & Pick<Job, "fetchMedia">;

/**
 * Returns the base URL of the account's server: `network.baseUrl` if that is custom and no `directoryUrl` is set, or if
 * `did` is neither did:plc nor a supported did:web.
 */
export async function findAccountServer(io: ServerContext, network: NetworkConfig, did: string): Promise<string> {
  const document = await readDidDocument(io, network, did);
  return document?.server ?? network.baseUrl;
}

/** The account's server and the handles that the account claims; null where `findAccountServer` says that none is read. */
export async function readDidDocument(
  io: ServerContext,
  network: NetworkConfig,
  did: string,
): Promise<{ server: string; handles: string[] } | null> {
  const documentUrl = getDocumentUrl(network, did);
  if (!documentUrl) return null;
  // The directory is configured by the operator; the host of a did:web is chosen by the account's owner.
  const response = await sendRequest(did.startsWith("did:plc:") ? io : guarded(io), {
    network: NETWORK,
    method: "GET",
    url: documentUrl,
  });
  if (response.status >= 400) {
    const isGone = response.status === 404 || response.status === 410;
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
            message: `The DID document of the account could not be read (HTTP ${response.status}).`,
          },
    );
  }
  const service = pickList(response.body, "service").find(
    (one) => pickString(one, "id")?.endsWith(SERVICE_ID) && pickString(one, "type") === SERVICE_TYPE,
  );
  const endpoint = pickString(service, "serviceEndpoint") ?? "";
  if (pickString(response.body, "id") === did && URL.canParse(endpoint)) {
    const names = pickList(response.body, "alsoKnownAs").map((name) => /^at:\/\/(.+)$/.exec(String(name))?.[1] ?? []);
    return { server: new URL(endpoint).origin, handles: names.flat() };
  }
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
  const [, name] = /^did:web:([^:]+)$/.exec(did) ?? [];
  if (!name) return null;
  const host = name.replace(/%3a/i, ":");
  if (HOST.test(host) && URL.canParse(`https://${host}`)) return `https://${host}/.well-known/did.json`;
  throw failure({
    class: "account",
    code: "did_invalid",
    message: `${did} names no host. Enter the handle, such as ann.bsky.social, or the DID as the account's settings show it.`,
  });
}

/** A domain name with a port, if any: https://w3c-ccg.github.io/did-method-web/#method-specific-identifier, read 2026-11-28. */
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i;

/** The context for requests to `server`; a server other than `network.baseUrl` is requested only at public addresses. */
export function getAccountServerContext<Context extends ServerContext>(
  io: Context,
  network: NetworkConfig,
  server: string,
): Context {
  return server === network.baseUrl ? io : guarded(io);
}

/** More than any response has. */
const MAX_RESPONSE_BYTES = 1_000_000;

/** A redirect would send tokens to a host that only the server names. */
function guarded<Context extends ServerContext>(io: Context): Context {
  return {
    ...io,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) =>
      limitBody(await io.fetchMedia(String(input), { ...init, redirect: "error" })),
  };
}

function limitBody(response: Response): Response {
  let left = MAX_RESPONSE_BYTES;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) throw new RangeError("The response is too large.");
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(limit) ?? null, response);
}

interface AccountRequest extends Omit<XrpcRequest, "token"> {
  authorized?: boolean;
  openBody?: () => Promise<ReadableStream>;
}

/** Sends an XRPC request to the account's server, with the account's token if it is `authorized`. */
export async function callAccountServer(
  job: ServerContext & Pick<Job, "network" | "connection">,
  server: string,
  { authorized, openBody, ...request }: AccountRequest,
): Promise<NetworkResponse> {
  const context = getAccountServerContext(job, job.network, server);
  if (!authorized) return callXrpc(context, server, request);
  const token = job.connection.accessToken;
  const session = parseOauthSession(token);
  if (session) return sendSigned(context, session, { ...toNetworkRequest(server, request), openBody });
  return callXrpc(context, server, { ...request, token, ...(openBody ? { body: await openBody() } : {}) });
}
