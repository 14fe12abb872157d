// Saving while typing: drafts at the service, a copy in this browser, and the choice when another window changed a draft.

import type { Call } from "../shared/api.ts";
import { createFinder } from "../shared/element.ts";
import { createAutosave } from "./autosave.ts";
import { createDrafts, type DraftConflict, type KnownDraft, type SavedPost } from "./drafts.ts";
import { createKept, type Kept } from "./kept.ts";
import type { ComposedPost } from "./posts.ts";

type Copy = Omit<Kept, "drafts">;

interface SavingOptions {
  form: HTMLFormElement;
  base: string;
  call: Call;
  /** The drafts that the page was opened with, and their settings. */
  stored: KnownDraft[];
  settings: Record<string, object>;
  build(): ComposedPost[];
  /** The service takes what is written. */
  canSave(): boolean;
  isWritten(): boolean;
  nameAccount(id: string): string;
  readCopy(): Copy;
  fillCopy(copy: Copy): void;
}

export function createSaving({ form, base, call, stored, settings, nameAccount, ...read }: SavingOptions) {
  const find = createFinder(form, "#");
  const { pinterest: _, ...providers } = settings;
  const drafts = createDrafts(call, stored, providers);
  const kept = createKept(base, drafts.list);
  let isFinished = false;

  const keep = () => kept.write({ ...read.readCopy(), drafts: drafts.read() });

  const autosave = createAutosave({
    state: find("save-state"),
    build: () => (read.canSave() ? read.build() : null),
    describeMissing() {
      if (!read.isWritten() && drafts.list().length === 0) return "";
      const missing =
        find<HTMLTextAreaElement>("caption").value.trim() === "" ? "write a caption" : "choose an account";
      return `${missing} first. Until then it is kept in this browser.`;
    },
    async save(posts) {
      const saved = await drafts.save(posts);
      nameDrafts();
      keep();
      return saved;
    },
    onSaved: () => kept.clear(),
    onConflict(conflict) {
      autosave.pause(true);
      void askWhich(conflict);
    },
  });

  async function askWhich(conflict: DraftConflict): Promise<void> {
    const { chooseVersion } = await import("./conflict.ts");
    const own = read.build().find(({ kind }) => kind === conflict.kind);
    const keepsOwn = await chooseVersion(find<HTMLDialogElement>("conflict"), nameAccount, own?.body, conflict.theirs);
    if (!keepsOwn) {
      finish();
      // A reload would restore the fields of this page.
      return location.replace(location.href);
    }
    drafts.accept(conflict);
    autosave.pause(false);
    await autosave.run({ force: true }).catch(() => undefined);
  }

  /** In the address, so that a reload shows what is stored. */
  function nameDrafts(): void {
    const query = new URLSearchParams(drafts.list().map((id) => ["draft", id]));
    history.replaceState(null, "", `${base}/compose${query.size > 0 ? `?${query}` : ""}`);
    const [first, second] = drafts.list();
    const ask = find("ask");
    ask.hidden = first === undefined || second !== undefined;
    const link = ask.querySelector("a");
    if (link) link.href = `${base}/posts/${first ?? ""}`;
  }

  function finish(): void {
    isFinished = true;
    autosave.pause(true);
    kept.clear();
  }

  function restore({ drafts: state, ...copy }: Kept): void {
    drafts.restore(state);
    read.fillCopy(copy);
    keep();
    autosave.schedule();
  }

  /** On a visit that is no reload, the person decides what becomes of a copy. */
  async function offer(own: Kept | null): Promise<void> {
    const left = own ? { kept: own, remove: kept.clear } : await kept.findLeft();
    if (!left) return;
    const { entries, media } = left.kept;
    if (isSame(read.readCopy(), left.kept)) return left.remove();
    find("kept-text").textContent = String(entries.fields.caption || media[0]?.name || "").slice(0, 120);
    find("kept").hidden = false;
    const close = (act: () => void) => () => {
      find("kept").hidden = true;
      act();
      find("caption").focus();
    };
    find("kept-discard").addEventListener("click", close(left.remove));
    find("kept-restore").addEventListener(
      "click",
      close(() => {
        restore(left.kept);
        if (!own) left.remove();
      }),
    );
  }

  addEventListener("online", () => autosave.schedule());

  return {
    /** After every change of the form. */
    change(isUploading: boolean): void {
      if (isFinished || !(autosave.isDirty() || isUploading || (read.isWritten() && !read.canSave()))) return;
      keep();
      autosave.schedule();
    },
    saveNow: (): Promise<SavedPost[]> => autosave.run({ force: true }),
    pause: autosave.pause,
    async commit(post: SavedPost): Promise<void> {
      await drafts.commit(post);
      nameDrafts();
    },
    finish,
    /** The last change is sent while the page goes; the copy stays until it is known to have arrived. */
    leave(): void {
      if (isFinished || !read.canSave() || !autosave.isDirty()) return;
      void drafts.save(read.build(), { keepalive: true }).catch(() => undefined);
      keep();
    },
    /** A reload goes on where it was. */
    async offerKept(): Promise<void> {
      const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
      const own = kept.readOwn();
      if (own && navigation?.type !== "navigate") restore(own);
      else await offer(own);
    },
  };
}

function isSame(one: Copy, other: Copy): boolean {
  const toText = ({ entries, media }: Copy) => JSON.stringify([entries.fields, entries.accounts, media]);
  return toText(one) === toText(other);
}
