// Declares a route beside the operations of the API: its response is a page, a file or a redirect instead of an envelope.
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { apiError, toApiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { errorResponse, readRequestId, SECURITY_HEADERS, toResponse } from "./envelope.ts";

export interface WebBindings {
  ASSETS: Fetcher;
  /** The Worker of the dashboard, if bound. */
  WORKSPACE?: Pick<Fetcher, "fetch">;
  /** The Worker of the tools for agents, if bound. */
  MCP?: Pick<Fetcher, "fetch">;
}

export interface WebRouteSpec {
  /** The Worker behind the route checks who is signed in (`session`), or the secret in the URL (`link`). */
  auth: "public" | "session" | "link";
  methods: readonly string[];
  /** In the router's syntax, from the root of the host. */
  paths: readonly string[];
  handle(request: Request, env: WebBindings): Response | Promise<Response>;
}

export type WebRoute = Hono<{ Bindings: WebBindings }> & { id: string; spec: WebRouteSpec };

/** The default export of a module of `webRoutes`; headers that the response does not set itself are added. */
export function webRoute(id: string, spec: WebRouteSpec): WebRoute {
  const app = new Hono<{ Bindings: WebBindings }>({ strict: false });
  app.onError((error, c) => {
    const known = toApiError(error) ?? apiError("internal_error", "An unexpected error occurred.", { cause: error });
    const requestId = readRequestId(c.req.header("x-request-id"));
    if (spec.auth === "public") return toResponse(errorResponse(known), requestId);
    console.log(JSON.stringify({ request_id: requestId, level: "error", error: formatError(error) }));
    return c.html(renderUnavailable(requestId), known.status === 503 ? 503 : 500, SECURITY_HEADERS);
  });
  app.on([...spec.methods], [...spec.paths], async (c) => withHeaders(c, await spec.handle(c.req.raw, c.env)));
  return Object.assign(app, { id, spec });
}

/** For people, while the Worker of the pages cannot answer; its style is not there either. */
const renderUnavailable = (requestId: string) => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not available right now</title></head>
<body><h1>Not available right now</h1>
<p>This page cannot be shown at the moment. Nothing was changed. Try again in a minute.</p>
<p>If it happens again, send this number to the people who run the service: <code>${requestId}</code></p></body>
</html>`;

/** Pages for people are served by functions/workspace, a Worker of its own behind the same host. */
export function forwardToWorkspace(request: Request, { WORKSPACE }: WebBindings): Promise<Response> {
  if (!WORKSPACE) throw apiError("provider_unavailable", "The pages for people are not deployed with this service.");
  return WORKSPACE.fetch(request);
}

function withHeaders(c: Context, response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  if (!headers.has("X-Request-Id")) headers.set("X-Request-Id", readRequestId(c.req.header("x-request-id")));
  return new Response(response.body, { status: response.status, headers });
}
