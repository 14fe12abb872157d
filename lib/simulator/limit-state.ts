// Keeps the state of a network small: a test scope may publish for years.
import type { StoredState } from "./networks/context.ts";

/** Of posts, containers, uploads and tokens each; the newest are kept. */
const MAX_ENTRIES = 1_000;

export function limitState(state: StoredState): StoredState {
  const limit = <Entry>(entries: Entry[]): Entry[] => entries.slice(-MAX_ENTRIES);
  return {
    ...state,
    maps: Object.fromEntries(Object.entries(state.maps).map(([name, entries]) => [name, limit(entries)])),
    lists: Object.fromEntries(Object.entries(state.lists).map(([name, entries]) => [name, limit(entries)])),
  };
}
