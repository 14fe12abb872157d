// Saves what is written a moment after the last change, one save at a time, and says how far it is.
import type { CallError } from "../shared/api.ts";
import { DraftConflict, type SavedPost } from "./drafts.ts";
import type { ComposedPost } from "./posts.ts";

const SAVE_AFTER_MS = 1_000;
const TRY_AGAIN_MS = 10_000;

interface AutosaveOptions {
  state: HTMLElement;
  /** Null as long as there is nothing that the service takes, with the reason in `missing`. */
  build(): ComposedPost[] | null;
  /** Why nothing can be saved yet; empty when nothing is written. */
  describeMissing(): string;
  save(posts: ComposedPost[]): Promise<SavedPost[]>;
  /** Everything that is written is saved. */
  onSaved(): void;
  onConflict(conflict: DraftConflict): void;
}

export function createAutosave(options: AutosaveOptions) {
  const { state, build, save } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isPaused = false;
  let savedText = JSON.stringify(build());

  const isDirty = () => JSON.stringify(build()) !== savedText;

  /** Only a problem is read out: "Saved" after each pause of typing would be in the way. */
  function show(text: string, isProblem = false): void {
    state.setAttribute("aria-live", isProblem ? "polite" : "off");
    state.classList.toggle("problem", isProblem);
    if (state.textContent !== text) state.textContent = text;
  }

  function schedule(afterMs = SAVE_AFTER_MS): void {
    clearTimeout(timer);
    if (!isPaused) timer = setTimeout(() => void run().catch(() => undefined), afterMs);
  }

  /** Saves now, after a save that is under way. */
  function run({ force = false } = {}): Promise<SavedPost[]> {
    clearTimeout(timer);
    const next = running.then(() => saveOnce(force));
    running = next.catch(() => undefined);
    return next;
  }

  async function saveOnce(force: boolean): Promise<SavedPost[]> {
    const posts = build();
    if (!posts) {
      const missing = options.describeMissing();
      show(missing && `Not saved: ${missing}`);
      return [];
    }
    const text = JSON.stringify(posts);
    if (!force && text === savedText) {
      show("Saved");
      return [];
    }
    show("Saving…");
    try {
      const saved = await save(posts);
      savedText = text;
      if (isDirty()) schedule();
      else {
        show("Saved");
        options.onSaved();
      }
      return saved;
    } catch (error) {
      show(`Not saved: ${(error as Error).message}`, true);
      if (error instanceof DraftConflict) options.onConflict(error);
      // Without a code the connection was lost, or the person is signed out.
      else if (!(error as CallError).code || (error as CallError).code === "rate_limited") schedule(TRY_AGAIN_MS);
      throw error;
    }
  }

  return {
    schedule(): void {
      if (!isPaused && build() && isDirty()) show("Saving…");
      schedule();
    },
    run,
    isDirty,
    pause(paused: boolean): void {
      isPaused = paused;
      clearTimeout(timer);
    },
  };
}
