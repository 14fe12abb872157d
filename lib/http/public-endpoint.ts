// Declares an endpoint that needs no key: a GET that everybody may send.
import { Hono } from "hono";
import type * as z from "zod";
import type { ReadContext } from "../services/context.ts";
import type { ErrorCode } from "../shared/errors.ts";
import type { AnySpec, Endpoint, EndpointSpec } from "./endpoint-spec.ts";
import { successResponse } from "./envelope.ts";
import { openRequest, sendError, sendResponse } from "./pipeline.ts";
import type { PipelineContext, PipelineEnv } from "./pipeline-state.ts";
import { parseRoute } from "./route-path.ts";

type PublicContext = Omit<ReadContext, "key" | "ids" | "actor">;

interface PublicSpec<R extends z.ZodType>
  extends Pick<
    EndpointSpec<`GET /${string}`, object, z.ZodType, z.ZodType, R, unknown>,
    "route" | "summary" | "description" | "reply" | "message" | "errors"
  > {
  internalError: ErrorCode;
  /** Such as `public, max-age=30`. */
  cacheControl: string;
  handle(context: PublicContext): Promise<z.input<R>>;
}

export function publicEndpoint<R extends z.ZodType>(id: string, declared: PublicSpec<R>): Endpoint {
  const spec = { ...declared, auth: "public" } as unknown as AnySpec;
  const app = new Hono<PipelineEnv>();
  app.on("GET", parseRoute(declared.route).routerPath, openRequest(id, declared.route), async (c) => {
    const { services, now } = c.var;
    const data = declared.reply.parse(await declared.handle({ ...services, now, receivedAt: now }));
    const response = successResponse(200, declared.message, data);
    const headers = { "Cache-Control": declared.cacheControl };
    return sendResponse(c as unknown as PipelineContext, { ...response, headers });
  });
  app.onError((error, c) => sendError(spec, error, c as unknown as PipelineContext));
  return Object.assign(app, { id, spec });
}
