// The metadata that clients read before they ask for a consent: of the authorization server (RFC 8414) and the protected resources (RFC 9728).
import { OAUTH_PATH, RESOURCE_METADATA_PATH } from "../shared/paths.ts";
import { AGENT_PERMISSIONS, PERMISSIONS } from "../shared/permissions.ts";
import { RESOURCE_PATHS, RESOURCES, type Resource } from "../shared/resources.ts";

/** The issuer is the origin. */
export function describeServer(origin: string) {
  const endpoint = (name: string) => `${origin}${OAUTH_PATH}/${name}`;
  return {
    issuer: origin,
    authorization_endpoint: endpoint("authorize"),
    token_endpoint: endpoint("token"),
    registration_endpoint: endpoint("register"),
    revocation_endpoint: endpoint("revoke"),
    scopes_supported: PERMISSIONS,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [origin, ...RESOURCES.map((resource) => `${origin}${RESOURCE_PATHS[resource]}`)],
    service_documentation: `${origin}/docs`,
  };
}

/** Null for a path that is no resource. The host as a whole is one, with an empty path. */
export function describeResource(origin: string, path: string) {
  const isResource = path === "" || RESOURCES.some((resource) => RESOURCE_PATHS[resource] === path);
  if (!isResource) return null;
  const isForAgents = path === RESOURCE_PATHS.mcp;
  return {
    resource: `${origin}${path}`,
    resource_name: isForAgents ? "Partner API, tools for agents" : "Partner API",
    authorization_servers: [origin],
    // Clients that are told of no scope ask for these.
    scopes_supported: isForAgents ? AGENT_PERMISSIONS : PERMISSIONS,
    bearer_methods_supported: ["header"],
    resource_documentation: `${origin}/docs`,
  };
}

/** Of the metadata of a resource, for `WWW-Authenticate`. */
export function getResourceMetadataUrl(origin: string, resource: Resource): string {
  return `${origin}${RESOURCE_METADATA_PATH}${RESOURCE_PATHS[resource]}`;
}

/**
 * The resources of the `resource` parameters (RFC 8707): null is the host as a whole, undefined any other URL. One without a value
 * counts as not sent: https://datatracker.ietf.org/doc/html/rfc6749#section-3.1. Scheme and host may be in capitals:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization. Both read 2026-11-30.
 */
export function readResources(parameters: URLSearchParams, origin: string): (Resource | null | undefined)[] {
  return parameters
    .getAll("resource")
    .filter((url) => url !== "")
    .map((url) => findResource(url, origin));
}

function findResource(text: string, origin: string): Resource | null | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  const path = url?.href === `${origin}${url?.pathname}` ? url.pathname.replace(/\/$/, "") : undefined;
  return path === "" ? null : RESOURCES.find((resource) => RESOURCE_PATHS[resource] === path);
}
