// Counts what a request costs in round trips: delays every call to database, Redis and bucket, and looks at what overlaps.
import { createCalls } from "./local/calls.ts";

/** Longer than any two calls that are meant to leave together can be apart. */
const DELAY_MS = 40;

export interface Cost {
  database: number;
  redis: number;
  bucket: number;
  round_trips: number;
}

/** Runs one request while every outgoing call that bears its id is delayed and counted. */
export async function costOf<Result>(
  requestId: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; cost: Cost }> {
  const calls = createCalls();
  calls.setDelay(DELAY_MS);
  const plain = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const bears = new Headers(input instanceof Request ? input.headers : init?.headers).get("x-request-id");
    if (bears !== requestId) return plain(input, init);
    const kind = url.endsWith("/sql") ? "database" : url.includes("/r2/") ? "bucket" : "redis";
    return calls.around(kind, requestId, () => plain(input, init));
  };
  try {
    const result = await work();
    const { database, redis, bucket, round_trips } = calls.report(requestId);
    return { result, cost: { database, redis, bucket, round_trips } };
  } finally {
    globalThis.fetch = plain;
  }
}
