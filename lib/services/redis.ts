// Redis over REST: one client per request, so that the calls of one request are sent in one pipeline.
import { Ratelimit } from "@upstash/ratelimit";
import { type Requester, Redis as UpstashRedis } from "@upstash/redis";
import { unavailableError } from "../shared/errors.ts";
import { retry } from "../shared/retry.ts";
import type { Env } from "./env.ts";
import type { REDIS_COMMANDS } from "./redis-commands.ts";
import { withTimeout } from "./timeout.ts";

export type Redis = Pick<UpstashRedis, (typeof REDIS_COMMANDS)[number]>;

const TIMEOUT_MS = 3_000;

/** The client is created by its first command, because most reads send none. */
export function openRedis(env: Env, requestId: string, countRequest?: () => void): Redis {
  let client: Redis | undefined;
  const open = () => {
    client ??= new PipelinedRedis(createRequester(env, requestId, countRequest));
    return client;
  };
  return new Proxy({} as Redis, { get: (_, name) => Reflect.get(open(), name) });
}

/** Sends the commands of one tick in one request; with a requester of its own, the SDK leaves that to the subclass. */
class PipelinedRedis extends UpstashRedis {
  constructor(requester: Requester) {
    super(requester);
    // biome-ignore lint/correctness/noConstructorReturn: the pipeline is a proxy around the client.
    return this.autoPipeline() as this;
  }
}

type RedisRequest = Parameters<Requester["request"]>[0];

/** The SDK's own HTTP client takes neither a header per request nor an error handler. */
function createRequester(env: Env, requestId: string, countRequest: (() => void) | undefined): Requester {
  const baseUrl = env.UPSTASH_REDIS_REST_URL.replace(/\/$/, "");
  const requester = {
    readYourWrites: true,
    upstashSyncToken: "",

    async request({ path = [], body, headers }: RedisRequest) {
      countRequest?.();
      const send = (signal: AbortSignal) =>
        fetch([baseUrl, ...path].join("/"), {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            Authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}`,
            "Upstash-Sync-Token": requester.upstashSyncToken,
            "X-Request-Id": requestId,
            ...headers,
          },
          body: JSON.stringify(body),
          signal,
        });
      try {
        return await withTimeout(TIMEOUT_MS, async (signal) => {
          // A failed connection is retried once, within the same timeout.
          const response = await retry(
            () => send(signal),
            (_error, tries) => tries === 1 && !signal.aborted,
          );
          requester.upstashSyncToken = response.headers.get("upstash-sync-token") ?? "";
          return await readResult(response);
        });
      } catch (error) {
        throw unavailableError("rate limiter", error);
      }
    },
  };
  return requester;
}

/** The SDK handles NOSCRIPT by sending the script; any other rejected request means that Redis is unavailable. */
async function readResult(response: Response): Promise<{ result?: never; error?: string }> {
  const text = await response.text();
  const rejected = !response.ok && !text.includes("NOSCRIPT");
  if (rejected) throw new Error(`HTTP ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
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
