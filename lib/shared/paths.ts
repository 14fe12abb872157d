// Paths of the API below the host of the Worker.

export const BASE_PATH = "/api/partner/v1";

/** Where the hosted publisher calls back when the state of a delivery has changed. */
export const HOSTED_CALLBACK_PATH = `${BASE_PATH}/hosted/callback`;

/** The pages where accounts are connected, and where networks send the browser back to. */
export const CONNECT_PATH = "/connect";
export const CONNECT_CALLBACK_PATH = `${CONNECT_PATH}/callback`;

/** Describes this service to servers where no app can be registered; its URL is the id of the client. */
export const CLIENT_METADATA_PATH = `${CONNECT_PATH}/client-metadata.json`;

/** Where the Worker of the pages for people does its part of cron. The API forwards no request to it: only a binding reaches it. */
export const CRON_PATH = "/cron";

/** Ends a person's mails; in every mail of notifications. */
export const UNSUBSCRIBE_PATH = "/dashboard/unsubscribe";

/** Below it, `/projects/{id}` opens a project in the web editor. */
export const EDITOR_PATH = "/editor";

/** The guide of the reference page that says how to get help. */
export const SUPPORT_PATH = "/docs#support";

/** Where a person without an account here approves a draft. */
export const APPROVAL_PATH = "/approve";

/** Who the OpenAPI document names as contact; its address is that of the support guide, below PUBLIC_URL. */
export const SUPPORT_CONTACT = "Support";
