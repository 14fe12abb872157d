// The parameters of an authorization request, checked in the order in which they may be trusted: client, address to return to, the rest.
import type { Services } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { DRAFT_PERMISSIONS, PERMISSIONS, type Permission } from "../shared/permissions.ts";
import type { Resource } from "../shared/resources.ts";
import { describeHost, findClient, type OAuthClient } from "./client.ts";
import { readResources } from "./metadata.ts";
import { addParameters, isRegisteredRedirectUri } from "./redirect-uris.ts";

/** An address to return to that the client registered. */
export interface ReturnAddress {
  client: OAuthClient;
  /** The host that the person is shown. */
  host: string;
  redirectUri: string;
  state: string | undefined;
}

export interface AuthorizationRequest extends ReturnAddress {
  /** The client asks for these; no others are offered. */
  permissions: readonly Permission[];
  /** Null: every resource. */
  resource: Resource | null;
  codeChallenge: string;
}

export interface RequestProblem {
  error: "invalid_request" | "unsupported_response_type" | "invalid_scope" | "invalid_target";
  description: string;
}

/** The base64url form of a SHA-256. */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * The client and its address to return to. Throws 400 for the person: nothing is ever sent to an address that is
 * not the client's.
 */
export async function readReturnAddress(services: Services, query: URLSearchParams): Promise<ReturnAddress> {
  const [id, redirectUri] = [readOnce(query, "client_id"), readOnce(query, "redirect_uri")];
  if (!id) throw apiError("invalid_request", "The link of the app has no client_id, or more than one.");
  const client = await findClient(services, id);
  if (!client) throw apiError("invalid_request", "This app is not known here. It may have to register again.");
  if (!redirectUri || !isRegisteredRedirectUri(client.redirectUris, redirectUri))
    throw apiError(
      "invalid_request",
      "The address that the app wants you to return to (redirect_uri) is not one that it registered.",
    );
  const host = describeHost(client, redirectUri);
  return { client, host, redirectUri, state: readOnce(query, "state") ?? undefined };
}

/** The rest of the request, or a problem that the client may be told. */
export function readAuthorizationRequest(
  address: ReturnAddress,
  query: URLSearchParams,
  origin: string,
): AuthorizationRequest | RequestProblem {
  const repeated = [...new Set(query.keys())].find((name) => name !== "resource" && query.getAll(name).length > 1);
  if (repeated) return { error: "invalid_request", description: `${repeated.slice(0, 100)} is given more than once.` };
  if (query.get("response_type") !== "code")
    return { error: "unsupported_response_type", description: "response_type must be code." };
  const codeChallenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !CODE_CHALLENGE.test(codeChallenge))
    return { error: "invalid_request", description: "PKCE is required: code_challenge, with the method S256." };
  const resources = readResources(query, origin);
  if (resources.includes(undefined))
    return { error: "invalid_target", description: "resource is not one that this server has tokens for." };
  const permissions = readScope(query.get("scope"));
  if (permissions.length === 0)
    return { error: "invalid_scope", description: `scope has none of ${PERMISSIONS.join(", ")}.` };
  return { ...address, permissions, resource: mergeResources(resources), codeChallenge };
}

/** Several, or the host as a whole, are all. */
function mergeResources(resources: (Resource | null | undefined)[]): Resource | null {
  const [first = null, ...others] = new Set(resources);
  return others.length > 0 ? null : first;
}

/** Names of permissions. Others are ignored, since clients ask every server for some, as OpenID Connect has them. Without any: drafts. */
function readScope(scope: string | null): readonly Permission[] {
  const names = (scope ?? "").split(" ").filter((name) => name !== "" && !OPENID_SCOPES.includes(name));
  if (names.length === 0) return DRAFT_PERMISSIONS;
  return PERMISSIONS.filter((permission) => names.includes(permission));
}

const OPENID_SCOPES = ["openid", "profile", "email", "address", "phone", "offline_access"];

/** Null without one, and for several. */
function readOnce(query: URLSearchParams, name: string): string | null {
  const [value, ...more] = query.getAll(name);
  return value && more.length === 0 ? value : null;
}

/** The address of a response; `iss` lets the client tell servers apart: https://datatracker.ietf.org/doc/html/rfc9207, read 2026-11-29. */
export function buildResponseAddress(
  { redirectUri, state }: Pick<ReturnAddress, "redirectUri" | "state">,
  issuer: string,
  response: { code: string } | { error: string; error_description: string },
): string {
  return addParameters(redirectUri, { ...response, state, iss: issuer });
}
