// Operations of the API for the scripts of the dashboard: the same endpoints, with the person in place of a key.
import { setRequestActor } from "../../lib/http/request-actor.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { findOperation } from "../find-operation.ts";
import { describeRejection } from "./messages.ts";
import type { PageContext } from "./page.ts";
import { PageError } from "./session.ts";

/** Node takes a stream as a body only with it: https://fetch.spec.whatwg.org/#dom-requestinit-duplex, read 2026-11-28. */
const STREAMED = { duplex: "half" } as RequestInit;

/** `/dashboard/{workspaceId}/api/posts/prepare` is POST /posts/prepare by a member of that workspace. */
export async function callOperation(c: PageContext): Promise<Response> {
  const url = new URL(c.req.url);
  const [, rest = ""] = url.pathname.split(/^\/dashboard\/[^/]+\/api/);
  const load = findOperation(c.req.method, rest);
  if (!load) throw new PageError(404, "There is no such operation.");
  const { default: endpoint } = await load();
  const headers = new Headers({ "X-Request-Id": c.var.requestId });
  const key = c.req.header("idempotency-key");
  if (key !== undefined) headers.set("Idempotency-Key", key);
  const length = c.req.header("content-length");
  if (length !== undefined) headers.set("Content-Length", length);
  const request = new Request(`${c.var.origin}${BASE_PATH}${rest}${url.search}`, {
    method: c.req.method,
    headers,
    // The operation reads it, up to its own limit.
    body: c.req.raw.body,
    ...STREAMED,
  });
  setRequestActor(request, c.var.workspace.actor);
  const response = await endpoint.fetch(request, c.env, c.executionCtx);
  if (response.ok) return response;
  const failure = (await response.json()) as { message: string };
  return Response.json({ ...failure, message: describeRejection(failure, c.var.timeZone) }, response);
}
