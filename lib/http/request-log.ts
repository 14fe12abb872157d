// One line of the log per request; with a key, the request is also in the list of its last requests.
import type { ApiError } from "../shared/errors.ts";
import type { PipelineContext } from "./pipeline-state.ts";
import { endRequest } from "./request-writer.ts";
import { listIds } from "./response-log.ts";

/** Enough to see what is wrong with a body. */
const MAX_FIELDS = 20;

interface HandledRequest {
  id: string;
  route: string;
  ms: number;
}

export function logRequest(c: PipelineContext, { id, route, ms }: HandledRequest): void {
  const services = c.get("services");
  const failure = c.get("failure");
  const credential = c.get("credential");
  const { status } = c.res;
  const [method = "", path = ""] = route.split(" ");
  const line = {
    level: status >= 500 ? "error" : "info",
    endpoint: id,
    route,
    status,
    ...(failure ? { error_code: failure.code, fields: listFields(failure) } : {}),
    ids: listIds(c.req.param()),
    key: c.get("keyName"),
    ms,
    round_trips: services.calls.made,
  };
  // Without a credential the request belongs to no key, and the list of requests does not list itself.
  const isListed = credential && status !== 401 && !id.startsWith("requests.");
  const logged = {
    request_id: services.requestId,
    operation: id,
    method,
    route: path,
    status,
    error_code: failure?.code ?? null,
    ms,
    at: c.get("now").toISOString(),
  };
  endRequest(services, { line, listed: isListed ? { keyId: credential.id, logged } : null });
}

/** Codes and paths only: messages may quote what the caller sent. */
function listFields({ extra: { fields, issues } }: ApiError): string[] | undefined {
  const all = fields ? fields.map(({ path, code }) => `${path} ${code}`) : Object.keys(issues?.fieldErrors ?? {});
  return all.length > 0 ? all.slice(0, MAX_FIELDS) : undefined;
}
