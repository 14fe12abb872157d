// Redis over REST: one client per request, so that the calls of one request leave together in one pipeline.
import { Ratelimit } from "@upstash/ratelimit";
import { Redis, type Requester } from "@upstash/redis/cloudflare";
import type { Env } from "./env.ts";
import { unavailable } from "./errors.ts";

export type { Redis } from "@upstash/redis/cloudflare";

const TIME_LIMIT_MS = 3_000;

export function connectRedis(env: Env, requestId: string): Redis {
  const redis = new Redis({
    url: env.UPSTASH_REDIS_REST_URL,
    token: env.UPSTASH_REDIS_REST_TOKEN,
    retry: false,
    enableTelemetry: false,
    signal: () => AbortSignal.timeout(TIME_LIMIT_MS),
  });
  wrapTransport(redis, async (http, call) => {
    try {
      return await http.request({ ...call, headers: { ...call.headers, "x-request-id": requestId } });
    } catch (error) {
      // The SDK itself answers NOSCRIPT by sending the script; any other error means no usable answer.
      if (error instanceof Error && error.message.includes("NOSCRIPT")) throw error;
      throw unavailable("rate limiter", error);
    }
  });
  return redis;
}

type Call = Parameters<Requester["request"]>[0];

/** The SDK has no hook around its requests; `client` is the transport that every command goes through. */
function wrapTransport(redis: Redis, around: (http: Requester, call: Call) => Promise<unknown>): void {
  const http = Reflect.get(redis, "client") as Requester;
  Reflect.set(redis, "client", { ...http, request: (call: Call) => around(http, call) });
}

interface Window {
  quota: number;
  windowSeconds: number;
}

/** Takes from a fixed window; `reset` is when the window ends, in milliseconds since the epoch. */
export function takeFromWindow(
  redis: Redis,
  prefix: string,
  window: Window,
  whose: string,
  rate: number,
): Promise<{ success: boolean; remaining: number; reset: number }> {
  return limiterOf(redis, prefix, window).limit(whose, { rate });
}

/** What is left of a fixed window, without taking from it. */
export function lookAtWindow(
  redis: Redis,
  prefix: string,
  window: Window,
  whose: string,
): Promise<{ remaining: number; reset: number }> {
  return limiterOf(redis, prefix, window).getRemaining(whose);
}

function limiterOf(redis: Redis, prefix: string, { quota, windowSeconds }: Window): Ratelimit {
  return new Ratelimit({
    redis,
    limiter: Ratelimit.fixedWindow(quota, `${windowSeconds} s`),
    prefix,
    ephemeralCache: false,
    timeout: 0,
  });
}
