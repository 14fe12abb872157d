// The client of Redis over REST. Its commands of one tick are sent in one pipeline.
import { type Requester, Redis as UpstashRedis } from "@upstash/redis";
import { unavailableError } from "../shared/errors.ts";
import { retry } from "../shared/retry.ts";
import type { Env } from "./env.ts";
import { withTimeout } from "./timeout.ts";

const TIMEOUT_MS = 3_000;

export function createRedisClient(env: Env, requestId: string, countRequest?: () => void): UpstashRedis {
  return new PipelinedRedis(createRequester(env, requestId, countRequest));
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
