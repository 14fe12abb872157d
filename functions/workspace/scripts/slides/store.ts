// The content that is being edited, with what undo and redo bring back.
import type { Content } from "./content.ts";

const MAX_STEPS = 200;
/** Changes of one kind within this time are one step. */
const SAME_STEP_MS = 1_000;

export type Store = ReturnType<typeof createStore>;

export function createStore(first: Content) {
  let current = first;
  let [past, future]: [Content[], Content[]] = [[], []];
  let last = { kind: "", at: 0 };
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };

  function step(from: Content[], to: Content[]): boolean {
    const next = from.pop();
    if (!next) return false;
    to.push(current);
    current = next;
    last = { kind: "", at: 0 };
    notify();
    return true;
  }

  return {
    get: () => current,
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    undo: () => step(past, future),
    redo: () => step(future, past),
    listen: (listener: () => void) => void listeners.add(listener),

    /** `kind` names what is changed, such as the size of one text: moving a slider is one step. */
    change(next: Partial<Content>, kind = ""): void {
      const now = Date.now();
      if (kind === "" || kind !== last.kind || now - last.at > SAME_STEP_MS)
        past = [...past, current].slice(-MAX_STEPS);
      last = { kind, at: now };
      future = [];
      current = { ...current, ...next };
      notify();
    },

    /** Takes a version that somebody else stored; undo does not go behind it. */
    replace(next: Content): void {
      current = next;
      [past, future] = [[], []];
      notify();
    },
  };
}
