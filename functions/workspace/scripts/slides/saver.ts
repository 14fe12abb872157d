// Stores changes a moment after they are made, with the version that they change. What is not stored yet survives a reload.
import type { Call, CallError, Data } from "../shared/api.ts";
import { describeError } from "../shared/slideshow-words.ts";
import { askAboutConflict } from "./conflict.ts";
import { buildPatch, type Content, isSame, toContent } from "./content.ts";
import type { Store } from "./store.ts";

const SAVE_AFTER_MS = 700;
const RETRY_MS = 5_000;
/** Browsers send no larger request from a page that is being left. */
const MAX_KEPT_ALIVE = 60_000;

type Slideshow = Data<"GET /slideshows/{slideshowId}">;

interface SaverOptions {
  call: Call;
  /** Path of the workspace. */
  base: string;
  slideshow: Slideshow;
  store: Store;
  showState(text: string, isProblem?: boolean): void;
  /** The content at the server is now that of the page. */
  onStored(): void;
}

interface Backup {
  updatedAt: string;
  content: Content;
}

export type Saver = ReturnType<typeof createSaver>;

export function createSaver({ call, base, slideshow, store, showState, onStored }: SaverOptions) {
  const params = { slideshowId: slideshow.id };
  const name = `slideshow ${slideshow.id}`;
  let stored = toContent(slideshow);
  let updatedAt = slideshow.updated_at;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<boolean> | null = null;

  const isDirty = () => buildPatch(stored, store.get()) !== null;
  const read = () => call("GET /slideshows/{slideshowId}", { params });

  function schedule(delay = SAVE_AFTER_MS): void {
    clearTimeout(timer);
    if (!isDirty()) {
      sessionStorage.removeItem(name);
      showState(store.get().title.trim() ? "Saved" : "The title is empty: enter at least one word.");
      return;
    }
    keepBackup();
    showState("Not saved yet");
    timer = setTimeout(() => void save(), delay);
  }

  function keepBackup(): void {
    try {
      sessionStorage.setItem(name, JSON.stringify({ updatedAt, content: store.get() } satisfies Backup));
    } catch {
      // The storage of the tab is full: changes are stored by their requests alone.
    }
  }

  /** True if everything is stored. */
  function save(): Promise<boolean> {
    clearTimeout(timer);
    running ??= saveAll().finally(() => {
      running = null;
    });
    return running;
  }

  async function saveAll(): Promise<boolean> {
    for (let patch = buildPatch(stored, store.get()); patch; patch = buildPatch(stored, store.get())) {
      const sent = store.get();
      showState("Saving…");
      try {
        const body = { ...patch, expected_updated_at: updatedAt };
        const saved = await call("PATCH /slideshows/{slideshowId}", { params, body });
        stored = { ...sent, title: saved.title };
        updatedAt = saved.updated_at ?? updatedAt;
      } catch (error) {
        if (!(await recover(error as CallError))) return false;
      }
    }
    sessionStorage.removeItem(name);
    showState("Saved");
    onStored();
    return true;
  }

  /** True if saving goes on. */
  async function recover(error: CallError): Promise<boolean> {
    if (error.code === "slideshow_conflict") return settleConflict();
    if (error.code === "not_found") {
      showState("This slideshow was deleted, so your changes cannot be saved.", true);
      return false;
    }
    showState(`Not saved: ${describeError(error)}`, true);
    // Without a code the connection was lost.
    if (!error.code) timer = setTimeout(() => void save(), RETRY_MS);
    return false;
  }

  async function settleConflict(): Promise<boolean> {
    const theirs = await read().catch((error: Error) => error);
    if (theirs instanceof Error) return recover(theirs);
    const content = toContent(theirs);
    // A request that left with an earlier page has stored the same.
    const isOwn = isSame(content, store.get());
    const choice = isOwn ? "mine" : await askAboutConflict({ mine: store.get(), theirs: content });
    if (choice === null) {
      showState("Not saved: this slideshow was changed in another window. Change anything to choose again.", true);
      return false;
    }
    if (choice === "copy") {
      const { slides, title, settings, slideshow_type, product_id } = store.get();
      const body = { slides, title: `${title.trim() || "Slideshow"} (mine)`.slice(0, 255), settings };
      const copy = await call("POST /slideshows", { body: { ...body, slideshow_type, product_id } });
      sessionStorage.removeItem(name);
      location.assign(`${base}/slideshows/${copy.id}`);
      return false;
    }
    stored = content;
    updatedAt = theirs.updated_at;
    if (choice === "theirs") store.replace(content);
    return true;
  }

  /** Somebody else may have changed it while this page was in the background. */
  async function refresh(): Promise<void> {
    if (document.hidden || running || isDirty()) return;
    const now = await read().catch(() => null);
    if (!now || now.updated_at === updatedAt || isDirty()) return;
    const content = toContent(now);
    updatedAt = now.updated_at;
    const isChanged = !isSame(content, stored);
    stored = content;
    if (!isChanged) return;
    store.replace(content);
    onStored();
    showState("Somebody else changed this slideshow. This is the new version.");
  }

  /** Changes that the page before a reload did not store. */
  function restore(): void {
    const backup = JSON.parse(sessionStorage.getItem(name) ?? "null") as Backup | null;
    if (!backup || isSame(backup.content, stored)) {
      sessionStorage.removeItem(name);
      return;
    }
    // The version that they were made on decides whether this is a conflict.
    updatedAt = backup.updatedAt;
    store.change(backup.content);
  }

  addEventListener("pagehide", () => {
    const patch = buildPatch(stored, store.get());
    if (!patch || running) return;
    const body = { ...patch, expected_updated_at: updatedAt };
    if (JSON.stringify(body).length > MAX_KEPT_ALIVE) return;
    call("PATCH /slideshows/{slideshowId}", { params, body, keepalive: true }).catch(() => undefined);
  });
  document.addEventListener("visibilitychange", () => void refresh());

  return {
    schedule,
    save,
    restore,
    /** Takes the response of an operation that changed the slideshow. */
    take(response: Slideshow): void {
      stored = toContent(response);
      updatedAt = response.updated_at;
      sessionStorage.removeItem(name);
    },
    getVersion: () => updatedAt,
    setVersion: (version: string) => {
      updatedAt = version;
    },
  };
}
