// Counts the round trips of a request: delays every call to database and Redis, and detects overlaps. Calls to storage are
// counted by the proxy of test/files.
import { v7 as newId } from "uuid";
import { createCallCounter } from "../local/call-counter.ts";
import type { Tenant } from "./harness.ts";

/** Longer than the time between calls that are sent concurrently. */
const DELAY_MS = 40;

export interface RequestCost {
  database: number;
  redis: number;
  round_trips: number;
}

/** Runs one request; delays and counts every call to database and Redis with its request id. */
export async function measureCost<Result>(
  requestId: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; cost: RequestCost }> {
  const calls = createCallCounter();
  calls.setDelay(DELAY_MS);
  const originalFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const callRequestId = new Headers(input instanceof Request ? input.headers : init?.headers).get("x-request-id");
    if (callRequestId !== requestId || url.includes("/r2/")) return originalFetch(input, init);
    return calls.countCall(url.endsWith("/sql") ? "database" : "redis", requestId, () => originalFetch(input, init));
  };
  try {
    const result = await work();
    const { database, redis, round_trips } = calls.report(requestId);
    return { result, cost: { database, redis, round_trips } };
  } finally {
    globalThis.fetch = originalFetch;
  }
}

/** The status and the round trips of one request. */
export async function measureRequest(
  { api }: Pick<Tenant, "api">,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const { result, cost } = await measureCost(requestId, () => api.call(method, path, { body, headers }));
  return { status: result.status, trips: cost.round_trips };
}
