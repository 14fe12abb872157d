// Counts and delays the calls to the servers of the local stack, and tracks which servers are stopped.
import { setTimeout as sleep } from "node:timers/promises";

export type CountedService = "database" | "redis" | "bucket";

export type CallReport = Record<CountedService, number> & {
  request_id: string | null;
  round_trips: number;
  ms_per_call: number;
};

type Tally = Record<CountedService, number> & { chain: number };

export type CallCounter = ReturnType<typeof createCallCounter>;

const MAX_TRACKED_REQUESTS = 500;

export function createCallCounter() {
  // A Map keeps insertion order: the last key is the most recent request, the first the next one to evict.
  const tallies = new Map<string | null, Tally>();
  const stops = new Map<string, NodeJS.Timeout>();
  const listeners = new Map<string, Set<() => void>>();
  let delay = 0;

  function getTally(requestId: string | null): Tally {
    const tally = tallies.get(requestId) ?? { database: 0, redis: 0, bucket: 0, chain: 0 };
    tallies.delete(requestId);
    tallies.set(requestId, tally);
    const oldest = tallies.keys().next().value;
    if (tallies.size > MAX_TRACKED_REQUESTS && oldest !== undefined) tallies.delete(oldest);
    return tally;
  }

  /** Counts one call. Its depth is 1 plus the greatest depth among the calls of the request that ended before it started. */
  async function countCall<T>(kind: CountedService, requestId: string | null, work: () => Promise<T>): Promise<T> {
    const tally = getTally(requestId);
    const depth = tally.chain + 1;
    tally[kind] += 1;
    try {
      return await work();
    } finally {
      if (delay > 0) await sleep(delay);
      tally.chain = Math.max(tally.chain, depth);
    }
  }

  /** The calls of one request; without an id, of the most recent request that had one. */
  function report(requestId?: string | null): CallReport {
    const id = requestId === undefined ? ([...tallies.keys()].filter((key) => key !== null).at(-1) ?? null) : requestId;
    const tally = requestId === undefined && id === null ? undefined : tallies.get(id);
    const { chain, ...counts } = tally ?? { database: 0, redis: 0, bucket: 0, chain: 0 };
    return { request_id: id, ...counts, round_trips: chain, ms_per_call: delay };
  }

  /** The calls to the database of all requests whose id begins so, such as those of queues. */
  function countDatabaseCalls(prefix: string): number {
    const counted = [...tallies].filter(([id]) => id?.startsWith(prefix));
    return counted.reduce((sum, [, { database }]) => sum + database, 0);
  }

  function resume(what: string): void {
    clearTimeout(stops.get(what));
    stops.delete(what);
  }

  return {
    countCall,
    countDatabaseCalls,
    report,

    /** The most recent request whose id matches. */
    findLastRequestId: (pattern: RegExp): string | null =>
      [...tallies.keys()].findLast((key) => key !== null && pattern.test(key)) ?? null,

    setDelay(ms: number): void {
      delay = ms;
    },

    /** Makes the servers of this name drop open and new sockets for `ms` milliseconds. */
    stop(what: string, ms: number): void {
      resume(what);
      stops.set(what, setTimeout(() => stops.delete(what), ms).unref());
      for (const listener of listeners.get(what) ?? []) listener();
    },

    isStopped: (what: string): boolean => stops.has(what),

    /** Calls the listener when a server must drop its open sockets. Returns a function that unsubscribes. */
    onStop(what: string, listener: () => void): () => void {
      const registered = listeners.get(what) ?? new Set();
      listeners.set(what, registered.add(listener));
      return () => registered.delete(listener);
    },

    /** Clears all counts, the delay and all stops. */
    reset(): void {
      tallies.clear();
      delay = 0;
      for (const what of [...stops.keys()]) resume(what);
    },
  };
}
