// Limits how many tasks run at a time in all requests of an isolate; p-limit does so within one request.
import { withHeartbeat } from "./heartbeat.ts";
import { pause } from "./retry.ts";

const POLL_MS = 5;
const HEARTBEAT_MS = 500;
const EXPIRE_AFTER_MS = 5_000;

interface Entry {
  seenAt: number;
  customer: string | undefined;
}

export type IsolateConcurrencyLimiter = <Value>(work: () => Promise<Value>, customer?: string) => Promise<Value>;

/**
 * At most one task per `customer` (a scope id), if given, runs at a time. The runtime cancels a request that waits only for
 * another request's promise, so each task polls by its own timer. A request whose client has gone never runs its `finally`,
 * so entries without a heartbeat expire.
 */
export function createIsolateConcurrencyLimiter(limit: number): IsolateConcurrencyLimiter {
  /** Running and waiting tasks in order of arrival. The first `limit` without an earlier one of the same customer run. */
  let queue: Entry[] = [];

  function refreshAndCheckMayRun(entry: Entry): boolean {
    const now = Date.now();
    entry.seenAt = now;
    queue = queue.filter(({ seenAt }) => now - seenAt < EXPIRE_AFTER_MS);
    // It expired while its thread was blocked; it runs, even beyond the limit.
    if (!queue.includes(entry)) return true;
    const isFirst = ({ customer }: Entry, at: number) =>
      customer === undefined || queue.findIndex((other) => other.customer === customer) === at;
    return queue.filter(isFirst).slice(0, limit).includes(entry);
  }

  return async (work, customer) => {
    const entry = { seenAt: Date.now(), customer };
    queue.push(entry);
    const beat = () => {
      entry.seenAt = Date.now();
    };
    try {
      return await withHeartbeat(HEARTBEAT_MS, beat, async () => {
        while (!refreshAndCheckMayRun(entry)) await pause(POLL_MS);
        return work();
      });
    } finally {
      queue = queue.filter((other) => other !== entry);
    }
  };
}
