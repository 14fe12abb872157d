// Declares an endpoint: its default export is a complete Hono app, mounted by the Worker and deployable alone.
import { Hono } from "hono";
import type * as z from "zod";
import { apiError, type ErrorCode } from "../shared/errors.ts";
import type { AnySpec, Endpoint, EndpointSpec, FamilyDefaults } from "./endpoint-spec.ts";
import { errorResponse, readRequestId, toResponse } from "./envelope.ts";
import { authenticate, openRequest, runRequest, sendError } from "./pipeline.ts";
import type { PipelineEnv } from "./pipeline-state.ts";
import { parseRoute, type RoutePattern } from "./route-path.ts";
import { validateRequest } from "./validate-request.ts";

export function endpoint<
  Route extends RoutePattern,
  P extends Record<string, string>,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  L,
>(id: string, spec: EndpointSpec<Route, P, Q, B, R, L> & { internalError: ErrorCode }): Endpoint {
  return mount(id, spec as AnySpec);
}

/** A function like `endpoint`, for the endpoints of one noun, whose specs share defaults and may override them. */
export function family<Noun extends string, Defaults extends FamilyDefaults>(_noun: Noun, defaults: Defaults) {
  return <
    Route extends RoutePattern,
    P extends Record<string, string>,
    Q extends z.ZodType,
    B extends z.ZodType,
    R extends z.ZodType,
    L,
  >(
    id: `${Noun}.${string}`,
    spec: EndpointSpec<Route, P, Q, B, R, L> & Pick<Required<FamilyDefaults>, MissingDefaults<Defaults>>,
  ): Endpoint => mount(id, { ...defaults, ...spec } as AnySpec);
}

/** Every endpoint needs a code for unexpected errors: its own, or that of its family. */
type MissingDefaults<Defaults> = "internalError" extends keyof Defaults ? never : "internalError";

function mount(id: string, spec: AnySpec): Endpoint {
  const app = new Hono<PipelineEnv>();
  const { method, routerPath } = parseRoute(spec.route);
  // Inline and not with app.use(), which would apply to every route that is mounted later.
  const steps = [openRequest(id, spec.route), authenticate(spec), ...validateRequest(id, spec)];
  app.on(method, [routerPath], ...steps, (c) => runRequest(spec, c));
  app.onError((error, c) => sendError(spec, error, c));
  // Only an endpoint that is deployed alone gets a request for another path.
  app.notFound((c) => {
    const error = apiError(
      "route_not_found",
      `This Worker serves ${spec.route} only, not ${c.req.method} ${c.req.path}.`,
    );
    return toResponse(errorResponse(error), readRequestId(c.req.header("x-request-id")));
  });
  return Object.assign(app, { id, spec });
}
