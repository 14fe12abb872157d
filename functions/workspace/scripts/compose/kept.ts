// A copy of what is written, kept by this browser until the service has it: a reload, a crash or a lost connection loses nothing.
import type { DraftsState } from "./drafts.ts";
import type { Entries } from "./entries.ts";
import type { Media } from "./media-body.ts";

export interface Kept {
  entries: Entries;
  media: Media[];
  /** Names of files that were being uploaded. */
  uploads: string[];
  drafts: DraftsState;
}

const PREFIX = "composer";

export function createKept(base: string, listDrafts: () => string[]) {
  const tab = sessionStorage.getItem(PREFIX) ?? crypto.randomUUID();
  sessionStorage.setItem(PREFIX, tab);
  const toGroup = () => `${PREFIX} ${base} ${listDrafts().join("+") || "new"} `;
  let key = toGroup() + tab;
  hold(key);

  function read(name: string): Kept | null {
    try {
      const kept = JSON.parse(localStorage.getItem(name) ?? "null") as Kept | null;
      return kept?.entries && kept.drafts ? kept : null;
    } catch {
      return null;
    }
  }

  return {
    write(kept: Kept): void {
      const next = toGroup() + tab;
      if (next !== key) localStorage.removeItem(key);
      key = next;
      try {
        localStorage.setItem(key, JSON.stringify(kept));
      } catch {
        // The storage is full or off: the service still has what was saved last.
      }
    },

    clear(): void {
      localStorage.removeItem(key);
    },

    /** The copy of this tab. */
    readOwn: () => read(key),

    /** A copy of a tab that is closed, with a function that removes it. */
    async findLeft(): Promise<{ kept: Kept; remove(): void } | null> {
      const held = new Set((await navigator.locks?.query())?.held?.map(({ name }) => name));
      const names = Object.keys(localStorage).filter((name) => name.startsWith(toGroup()) && name !== key);
      for (const name of names) {
        const kept = held.has(name) ? null : read(name);
        if (kept) return { kept, remove: () => localStorage.removeItem(name) };
      }
      return null;
    },
  };
}

/** As long as the page is open: other tabs leave its copy alone. */
function hold(name: string): void {
  void navigator.locks?.request(name, { ifAvailable: true }, () => new Promise(() => undefined));
}
