// Redis over REST: one client per request, so that the calls of one request are sent in one pipeline.
import { Ratelimit } from "@upstash/ratelimit";
import type { Redis as UpstashRedis } from "@upstash/redis";
import type { Env } from "./env.ts";

/** The commands that the service sends. */
export type Redis = Pick<
  UpstashRedis,
  "eval" | "evalsha" | "expire" | "get" | "lpush" | "lrange" | "ltrim" | "ping" | "set"
>;

/** The first command loads the SDK and creates the client, because most reads send none before their response. */
export function openRedis(env: Env, requestId: string, countRequest?: () => void): Redis {
  let client: UpstashRedis | undefined;
  return new Proxy({} as Redis, {
    get(_, name: keyof Redis) {
      return async (...args: unknown[]) => {
        const { createRedisClient } = await import("./redis-client.ts");
        client ??= createRedisClient(env, requestId, countRequest);
        return Reflect.apply(client[name], client, args);
      };
    },
  });
}

interface RateWindow {
  quota: number;
  windowSeconds: number;
}

/** Consumes from a fixed window. `reset` is the end of the window in milliseconds since the epoch. */
export function consumeFromWindow(
  redis: Redis,
  prefix: string,
  window: RateWindow,
  identifier: string,
  rate: number,
): Promise<{ success: boolean; remaining: number; reset: number }> {
  return createLimiter(redis, prefix, window).limit(identifier, { rate });
}

/** The remaining quota of a fixed window, without consuming any. */
export function peekWindow(
  redis: Redis,
  prefix: string,
  window: RateWindow,
  identifier: string,
): Promise<{ remaining: number; reset: number }> {
  return createLimiter(redis, prefix, window).getRemaining(identifier);
}

function createLimiter(redis: Redis, prefix: string, { quota, windowSeconds }: RateWindow): Ratelimit {
  return new Ratelimit({
    redis,
    limiter: Ratelimit.fixedWindow(quota, `${windowSeconds} s`),
    prefix,
    ephemeralCache: false,
    timeout: 0,
  });
}
