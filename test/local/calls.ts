// Counts and delays the calls that reach the servers of the local world, and keeps who is stopped for how long.
import { setTimeout as sleep } from "node:timers/promises";

export type Counted = "database" | "redis" | "bucket";

export type CallReport = Record<Counted, number> & {
  request_id: string | null;
  round_trips: number;
  ms_per_call: number;
};

type Tally = Record<Counted, number> & { chain: number };

export type Calls = ReturnType<typeof createCalls>;

const KEPT_REQUESTS = 500;

export function createCalls() {
  // A Map keeps the order of insertion: its last key is the request seen most recently, its first the one to forget.
  const tallies = new Map<string | null, Tally>();
  const stops = new Map<string, NodeJS.Timeout>();
  const listeners = new Map<string, Set<() => void>>();
  let delay = 0;

  function tallyOf(requestId: string | null): Tally {
    const tally = tallies.get(requestId) ?? { database: 0, redis: 0, bucket: 0, chain: 0 };
    tallies.delete(requestId);
    tallies.set(requestId, tally);
    const oldest = tallies.keys().next().value;
    if (tallies.size > KEPT_REQUESTS && oldest !== undefined) tallies.delete(oldest);
    return tally;
  }

  /** Runs one call: a call is one deeper than the deepest call of its request that had ended when it began. */
  async function around<T>(kind: Counted, requestId: string | null, work: () => Promise<T>): Promise<T> {
    const tally = tallyOf(requestId);
    const depth = tally.chain + 1;
    tally[kind] += 1;
    try {
      return await work();
    } finally {
      if (delay > 0) await sleep(delay);
      tally.chain = Math.max(tally.chain, depth);
    }
  }

  /** What one request cost; without an id, the request seen most recently that had one. */
  function report(requestId?: string | null): CallReport {
    const id = requestId === undefined ? ([...tallies.keys()].filter((key) => key !== null).at(-1) ?? null) : requestId;
    const known = requestId === undefined && id === null ? undefined : tallies.get(id);
    const { chain, ...counts } = known ?? { database: 0, redis: 0, bucket: 0, chain: 0 };
    return { request_id: id, ...counts, round_trips: chain, ms_per_call: delay };
  }

  function resume(what: string): void {
    clearTimeout(stops.get(what));
    stops.delete(what);
  }

  return {
    around,
    report,

    /** The most recent request whose id matches. */
    lastOf: (pattern: RegExp): string | null =>
      [...tallies.keys()].findLast((key) => key !== null && pattern.test(key)) ?? null,

    setDelay(ms: number): void {
      delay = ms;
    },

    /** Makes the servers of this name drop every socket, open or new, for so many milliseconds. */
    stop(what: string, ms: number): void {
      resume(what);
      stops.set(what, setTimeout(() => stops.delete(what), ms).unref());
      for (const listener of listeners.get(what) ?? []) listener();
    },

    stopped: (what: string): boolean => stops.has(what),

    /** Tells a server when it has to drop its open sockets; the answer unsubscribes. */
    onStop(what: string, listener: () => void): () => void {
      const known = listeners.get(what) ?? new Set();
      listeners.set(what, known.add(listener));
      return () => known.delete(listener);
    },

    /** Forgets what was counted, takes the delay away and lifts every stop. */
    reset(): void {
      tallies.clear();
      delay = 0;
      for (const what of [...stops.keys()]) resume(what);
    },
  };
}
