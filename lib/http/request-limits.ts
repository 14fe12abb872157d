// The rate limits of one request to an endpoint. A grant has a limit of its own beside those of its customer, so that one app leaves
// something for the others.
import type { Redis } from "../services/redis.ts";
import type { Actor } from "../shared/actor.ts";
import type { Result } from "../shared/result.ts";
import type { AnySpec } from "./endpoint-spec.ts";
import type { PipelineContext } from "./pipeline-state.ts";
import {
  type Costs,
  consumeRateLimits,
  type PolicyName,
  peekRateLimits,
  type RateLimitResult,
  type Subject,
} from "./rate-limits.ts";

type Caller = Pick<Actor, "kind" | "id" | "scope">;

interface Limits {
  names: readonly PolicyName[];
  subject: Subject;
}

function buildLimits(names: readonly PolicyName[], { kind, id, scope }: Caller): Limits {
  const subject = { customer: scope.id, grant: id, ...(scope.sandbox ? { everyone: scope.id } : {}) };
  return { names: kind === "grant" ? [...names, "grant_operations"] : names, subject };
}

/** Null for an operation without limits. */
export async function consumeLimits(
  { limits }: Pick<AnySpec, "limits">,
  { redis, actor, now }: { redis: Redis; actor: Caller; now: Date },
  costs: Costs,
): Promise<RateLimitResult | null> {
  if (!limits) return null;
  const { names, subject } = buildLimits(limits, actor);
  return consumeRateLimits(redis, names, subject, now, costs);
}

/** For URLs that are known only once the handler has read its rows. */
export async function consumeOutsideUrls(
  { var: { services, actor, now } }: PipelineContext,
  count: number,
): Promise<void> {
  const costs = { outside_urls: count };
  const { error } = await consumeRateLimits(services.redis, ["outside_urls"], actor.scope.id, now, costs);
  if (error) throw error;
}

/** The headers of a request that is rejected before it consumes anything. */
export function peekLimits(
  limits: readonly PolicyName[],
  { redis, actor, now }: { redis: Redis; actor: Caller; now: Date },
): Promise<Record<string, string>> {
  const { names, subject } = buildLimits(limits, actor);
  return peekRateLimits(redis, names, subject, now);
}

export async function refundLimits(consuming: Promise<Result<RateLimitResult | null>>): Promise<void> {
  const consumed = await consuming;
  if (consumed.ok) await consumed.value?.refund();
}
