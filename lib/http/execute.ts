// Runs an endpoint without the network, for a person with a session or a link or for the holder of a key. The request goes through
// the whole pipeline, so permission, plan, validation, limits and idempotency are those of the API.
import type { InternalActor } from "../shared/actor.ts";
import { type ApiErrorOptions, apiError, type ErrorCode } from "../shared/errors.ts";
import { BASE_PATH } from "../shared/paths.ts";
import type { Resource } from "../shared/resources.ts";
import type { Endpoint } from "./endpoint-spec.ts";
import { setRequestActor, setRequestResource } from "./request-actor.ts";
import { parseRoute } from "./route-path.ts";

export interface ExecutionEnvironment {
  env: Record<string, unknown>;
  executionCtx: ExecutionContext;
  /** Scheme and host that links in responses start with. */
  origin: string;
  requestId: string;
}

/** A person, whom the caller of `execute` has identified, or a token, which the pipeline verifies as one that was sent to `resource` (the API). */
export type Caller = InternalActor | { token: string; resource?: Resource };

export interface ExecutionInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  idempotencyKey?: string;
}

/** The response of the endpoint as a client of the API would get it. */
export async function executeRequest(
  endpoint: Endpoint,
  caller: Caller,
  input: ExecutionInput,
  { env, executionCtx, origin, requestId }: ExecutionEnvironment,
): Promise<Response> {
  const { method, path: pattern } = parseRoute(endpoint.spec.route);
  const path =
    BASE_PATH + pattern.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(input.params?.[name] ?? ""));
  const query = new URLSearchParams(input.query ?? {}).toString();
  const request = new Request(`${origin}${path}${query ? `?${query}` : ""}`, {
    method,
    headers: {
      "X-Request-Id": requestId,
      ...("token" in caller ? { Authorization: `Bearer ${caller.token}` } : {}),
      ...(input.idempotencyKey ? { "Idempotency-Key": input.idempotencyKey } : {}),
    },
    body: input.body === undefined ? null : JSON.stringify(input.body),
  });
  if ("token" in caller) setRequestResource(request, caller.resource ?? "api");
  else setRequestActor(request, caller);
  return endpoint.fetch(request, env, executionCtx);
}

export type Envelope<Data> =
  | { ok: true; message: string; data: Data }
  | ({ ok: false; message: string; error_code: ErrorCode } & Pick<
      ApiErrorOptions,
      "fields" | "issues" | "retry_after_seconds"
    >);

/** Returns the `data` of the response. Throws the ApiError that the endpoint returned. */
export async function execute<Data>(
  endpoint: Endpoint,
  caller: Caller,
  input: ExecutionInput,
  environment: ExecutionEnvironment,
): Promise<Data> {
  const response = await executeRequest(endpoint, caller, input, environment);
  const envelope = await response.json<Envelope<Data>>();
  if (envelope.ok) return envelope.data;
  const { message, error_code, fields, issues, retry_after_seconds } = envelope;
  const details = {
    ...(fields ? { fields } : {}),
    ...(issues ? { issues } : {}),
    ...(retry_after_seconds === undefined ? {} : { retry_after_seconds }),
  };
  throw apiError(error_code, message, {
    ...details,
    status: response.status as NonNullable<ApiErrorOptions["status"]>,
  });
}
