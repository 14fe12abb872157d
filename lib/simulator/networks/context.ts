// The environment of a simulated network: a clock, durations, media, and state that is plain data between two calls.
import { randomUUID } from "node:crypto";

/** Durations in milliseconds. */
export interface Timing {
  processingMs: number;
  /** The number of status requests that return "in progress" after `processingMs`. */
  processingPolls: number;
  /** Delay between publishing and the availability of the public id. */
  publicIdDelayMs: number;
}

export type MediaKind = "image" | "video";

export interface FetchedMedia {
  ok: boolean;
  type: string;
  bytes: number;
}

export interface NetworkContext {
  timing: Timing;
  /** In milliseconds. */
  now(): number;
  /** When the state began. */
  startedAt: number;
  /** Returns an ascending id, unique within the state, in the network's format. */
  nextId(prefix: string): string;
  /** `kind`: what the network takes it for. */
  fetchMedia(url: string, kind: MediaKind): Promise<FetchedMedia>;
  /** The entries of this name, in the order in which they were added; keys and values are plain data. */
  map<Value>(name: string): Map<string, Value>;
  list<Value>(name: string): Value[];
}

/** The state of a network as it is stored. Entries are pairs, because JSON in a database keeps no order of keys. */
export interface StoredState {
  /** The number of resets of the test scope before: the state ends with the next reset. */
  resets?: number;
  startedAt: number;
  lastId: number;
  maps: Record<string, [string, unknown][]>;
  lists: Record<string, unknown[]>;
}

export interface ContextOptions {
  timing: Timing;
  now: () => number;
  fetchMedia: NetworkContext["fetchMedia"];
  stored?: StoredState | null;
}

export function createContext({ timing, now, fetchMedia, stored }: ContextOptions) {
  const maps = new Map<string, Map<string, unknown>>();
  const lists = new Map<string, unknown[]>();
  const startedAt = stored?.startedAt ?? now();
  let lastId = stored?.lastId ?? 0;

  const context: NetworkContext = {
    timing,
    now,
    startedAt,
    fetchMedia,
    nextId(prefix) {
      lastId += 1;
      return `${prefix}${String(now()).slice(-9)}${String(lastId).padStart(6, "0")}`;
    },
    map<Value>(name: string) {
      const found = maps.get(name) ?? new Map(stored?.maps[name] ?? []);
      maps.set(name, found);
      return found as Map<string, Value>;
    },
    list<Value>(name: string) {
      const found = lists.get(name) ?? [...(stored?.lists[name] ?? [])];
      lists.set(name, found);
      return found as Value[];
    },
  };

  return {
    context,
    /** The state after the calls. What no network asked for since it was stored is kept. */
    save: (): StoredState => ({
      startedAt,
      lastId,
      maps: { ...stored?.maps, ...Object.fromEntries([...maps].map(([name, map]) => [name, [...map]])) },
      lists: { ...stored?.lists, ...Object.fromEntries(lists) },
    }),
  };
}

/** For ids that nothing refers to, such as those of log entries. */
export const createTraceId = (prefix: string): string => prefix + randomUUID().replaceAll("-", "");
