// The context of a validated request: the services of its mode, its caller and its input.
import type { RequestContext } from "../services/context.ts";
import { type Db, openAuditedDatabase } from "../services/database.ts";
import type { Actor } from "../shared/actor.ts";
import { createIdGenerator } from "../shared/ids.ts";
import type { AnySpec } from "./endpoint-spec.ts";
import type { PipelineContext } from "./pipeline-state.ts";
import { getActorName } from "./request-actor.ts";
import { consumeOutsideUrls } from "./request-limits.ts";

export type ExecutionContext = RequestContext & { params: Record<string, string>; query: unknown; body: unknown };

function openAudited(c: PipelineContext, actor: Actor): Db {
  const services = c.get("services");
  const operation = c.get("operation");
  const name = getActorName(actor);
  const countRequest = () => {
    services.calls.made += 1;
    services.budget.countRequest();
  };
  const change = { actor: { ...actor, name }, action: operation };
  return openAuditedDatabase(services.env, services.requestId, change, countRequest);
}

export function buildContext(spec: AnySpec, c: PipelineContext, seed: string): ExecutionContext {
  const services = c.get("services");
  const actor = c.get("actor");
  const receivedAt = c.get("now");
  const { id, publicId, scope } = c.get("credential");
  return {
    ...services,
    // A GET changes nothing, and may run before its caller is verified.
    db: spec.route.startsWith("GET ") ? services.db : openAudited(c, actor),
    actor,
    key: { id, publicId, scope },
    now: new Date(receivedAt.getTime() + (scope.sandbox?.clockOffsetMs ?? 0)),
    receivedAt,
    ids: createIdGenerator(seed, receivedAt),
    consumeOutsideUrls: (count) => consumeOutsideUrls(c, count),
    params: c.req.valid("param") ?? {},
    query: c.req.valid("query"),
    body: c.req.valid("json") ?? {},
  };
}
