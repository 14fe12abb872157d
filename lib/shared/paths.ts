// Paths of the API below the host of the Worker.

export const BASE_PATH = "/api/partner/v1";

/** The hosted publisher calls it when the state of a delivery has changed. */
export const HOSTED_CALLBACK_PATH = `${BASE_PATH}/hosted/callback`;

/** The pages where accounts are connected, and where networks send the browser back to. */
export const CONNECT_PATH = "/connect";
export const CONNECT_CALLBACK_PATH = `${CONNECT_PATH}/callback`;

/** Describes this service to servers where no app can be registered; its URL is the id of the client. */
export const CLIENT_METADATA_PATH = `${CONNECT_PATH}/client-metadata.json`;

/** The Worker of the pages does its part of cron there. The API forwards no request to it: only a binding reaches it. */
export const CRON_PATH = "/cron";

/** Ends a person's mails; in every mail of notifications. */
export const UNSUBSCRIBE_PATH = "/dashboard/unsubscribe";

/** Below it, `/projects/{id}` opens a project in the web editor. */
export const EDITOR_PATH = "/editor";

/** The guide of the reference page that says how to get help. */
export const SUPPORT_PATH = "/docs#support";

/** A person without an account here approves a draft there. */
export const APPROVAL_PATH = "/approve";

/** Tools for agents, by the Model Context Protocol. */
export const MCP_PATH = "/mcp";

/** The authorization server of OAuth: its page and its endpoints. */
export const OAUTH_PATH = "/oauth";

/** Read by clients before they ask for a consent; the second also with the path of a resource behind it. */
export const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** The contact in the OpenAPI document; its address is that of the support guide, below PUBLIC_URL. */
export const SUPPORT_CONTACT = "Support";
