// Keeps the state of a network small: a test scope may publish for years, and every call reads and stores all of it.
import type { StoredState } from "./networks/context.ts";

/** Of posts, containers, uploads and tokens each; the newest are kept. */
const MAX_ENTRIES = 1_000;
/** Of the state as JSON. The newest entry of each kind is kept even if it is larger. */
export const MAX_STATE_BYTES = 4_000_000;

type Collections = Record<string, unknown[]>;

/** The state without its oldest entries above the limits, and its JSON. */
export function limitState(state: StoredState): { state: StoredState; json: string } {
  const limit = (collections: Collections): Collections =>
    Object.fromEntries(Object.entries(collections).map(([name, entries]) => [name, entries.slice(-MAX_ENTRIES)]));
  const limited = { ...state, maps: limit(state.maps), lists: limit(state.lists) } as StoredState;
  const json = JSON.stringify(limited);
  const excess = Buffer.byteLength(json) - MAX_STATE_BYTES;
  if (excess <= 0) return { state: limited, json };
  removeOldest([limited.maps, limited.lists], excess);
  return { state: limited, json: JSON.stringify(limited) };
}

/** Removes at least so many bytes, of the largest collections first. */
function removeOldest(groups: Collections[], excess: number): void {
  const sizes = groups.flatMap((group) =>
    Object.entries(group).map(([name, entries]) => {
      const bytes = entries.map((entry) => Buffer.byteLength(JSON.stringify(entry)));
      return { group, name, bytes, total: bytes.reduce((sum, one) => sum + one, 0) };
    }),
  );
  let left = excess;
  for (const { group, name, bytes } of sizes.toSorted((a, b) => b.total - a.total)) {
    let removed = 0;
    for (; left > 0 && removed < bytes.length - 1; removed++) left -= bytes[removed] ?? 0;
    group[name] = group[name]?.slice(removed) ?? [];
  }
}
