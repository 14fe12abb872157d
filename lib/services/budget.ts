// The budget of an invocation: its requests and its time are counted, so that work stops before the platform ends it.
import { notSent } from "../shared/not-sent.ts";

/**
 * The most requests of an invocation on the paid plan, those to database and Redis included:
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests, read 2026-11-24.
 */
const MAX_REQUESTS = 10_000;

/** The longest run of a queue consumer: https://developers.cloudflare.com/queues/platform/limits/, read 2026-11-24. */
const MAX_WALL_MS = 15 * 60_000;

/** Kept for storing what was done, and for what ends an attempt that has begun its last call. */
const RESERVE = { requests: 500, ms: 60_000 } as const;

/** CPU time is not measurable inside a Worker: `limits.cpu_ms` in wrangler.toml bounds it. */
export interface Budget {
  /** Counts a request that is about to be sent. */
  countRequest(): void;
  /** Requests that may still be sent; none once the time is used up. */
  remainingRequests(): number;
}

export function createBudget(now: () => number): Budget {
  const endsAt = now() + MAX_WALL_MS - RESERVE.ms;
  let left = MAX_REQUESTS - RESERVE.requests;
  return {
    countRequest: () => {
      left -= 1;
    },
    remainingRequests: () => (now() < endsAt ? Math.max(0, left) : 0),
  };
}

/** A fetch that sends nothing once the budget is used up. */
export function withBudget(budget: Budget, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (budget.remainingRequests() === 0)
      throw notSent("The invocation has used its requests or its time; nothing was sent.");
    budget.countRequest();
    return send(input, init);
  };
}
