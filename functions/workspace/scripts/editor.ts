// The editor: links and forms replace the parts of the page that they change, so that the player goes on; and the page
// stays current when somebody else, or the assistant, changes the project.
import { startFields } from "./editor/fields.ts";
import { createPlayer } from "./editor/player.ts";
import { type Moved, startTimeline } from "./editor/timeline.ts";
import { createCaller } from "./shared/api.ts";
import { showThumbnails } from "./shared/thumbnails.ts";
import { showToast } from "./shared/toast.ts";

const WATCH_MS = 4_000;
const editor = document.querySelector<HTMLElement>("#editor");
if (editor) startEditor(editor);

function startEditor(root: HTMLElement): void {
  const call = createCaller(root.dataset.api ?? "");
  const timeline = startTimeline(root, (moved) => void saveMoved(moved));
  const player = createPlayer(root, showTime);
  const fields = startFields(root, () => player.getTime());
  let isTyping = false;
  let isBusy = false;

  const note = (text: string) => {
    const line = root.querySelector("#editor-note");
    if (line) line.textContent = text;
  };
  function showTime(ms: number): void {
    timeline.showTime(ms);
    fields.showTime(ms);
  }
  const getState = () => root.querySelector<HTMLElement>("[data-part=state]")?.dataset ?? {};

  /** Replaces the parts of the page by those of a response; fields that hold unsaved entries stay if asked. */
  async function show(response: Response, keepFields: boolean): Promise<void> {
    const next = new DOMParser().parseFromString(await response.text(), "text/html");
    const parts = [...next.querySelectorAll<HTMLElement>("#editor [data-part]")];
    // Signed out, or the project was deleted: that page says so.
    if (parts.length === 0) return location.assign(response.url || location.href);
    const before = getState().updated;
    const restoreFocus = rememberFocus(root);
    const scrolled = root.querySelector(".texts")?.scrollTop ?? 0;
    for (const part of parts) {
      const old = root.querySelector(`[data-part=${part.dataset.part}]`);
      if (keepFields && old?.matches("#edit, :has(#edit)")) continue;
      old?.replaceWith(document.adoptNode(part));
    }
    root.querySelector(".texts")?.scrollTo({ top: scrolled });
    root.querySelector(".texts #edit")?.scrollIntoView({ block: "nearest" });
    showThumbnails(root);
    fields.prepare();
    if (!keepFields) isTyping = false;
    const title = next.querySelector("h1")?.textContent;
    const heading = document.querySelector("h1");
    if (title && heading) heading.textContent = title;
    timeline.layOut();
    if (getState().updated !== before) await loadProject();
    else player.seek(player.getTime());
    note(next.querySelector(".notice")?.textContent?.trim() ?? "");
    restoreFocus();
  }

  async function loadProject(): Promise<void> {
    const params = { projectId: root.dataset.project ?? "" };
    const project = await call("GET /editor/projects/{projectId}", { params }).catch(() => null);
    if (project) player.setProject(project);
    showTime(player.getTime());
  }

  async function open(url: string): Promise<void> {
    const response = await fetch(url).catch(() => null);
    if (!response) return note("The connection was lost. Try again.");
    history.replaceState(null, "", url);
    await show(response, false);
  }

  /** Returns true if the change is stored. */
  async function post(action: string, entries: Record<string, string> | FormData): Promise<boolean> {
    isBusy = true;
    const body = new URLSearchParams();
    for (const [name, value] of entries instanceof FormData ? entries : Object.entries(entries))
      body.append(name, String(value));
    const response = await fetch(action, { method: "POST", body }).catch(() => null);
    isBusy = false;
    if (!response) {
      showToast("The connection was lost, so nothing is stored. Try again.", { kind: "problem" });
      return false;
    }
    if (response.redirected) {
      if (action.includes("/texts/")) fields.forgetTyped();
      history.replaceState(null, "", response.url);
    }
    await show(response, false);
    return response.redirected;
  }

  /** A stored removal can be taken back at once. */
  function offerUndo(text: string): void {
    const undo = () => root.querySelector<HTMLFormElement>('form[action$="/undo"]')?.requestSubmit();
    showToast(text, { undo });
  }

  function saveMoved({ kind, id, fields: moved }: Moved): Promise<boolean> {
    const seconds = Object.entries(moved).map(([name, ms]) => [name, String(ms / 1000)]);
    return post(`${root.dataset.base}/${kind}s/${encodeURIComponent(id)}`, {
      expected: getState().updated ?? "",
      ...Object.fromEntries(seconds),
    });
  }

  /** Opens a clip, a text or the list, unless something is typed that the person wants to keep. */
  async function follow(link: HTMLAnchorElement): Promise<void> {
    const isDiscarded = isTyping && link.dataset.discard === undefined;
    if (isDiscarded && !confirm("What you typed is not saved. Leave it?")) return;
    fields.forgetTyped();
    if (link.dataset.seek) player.seek(Number(link.dataset.seek));
    await open(link.href);
    const isText = link.closest(".texts") !== null || link.search.includes("text=");
    const first = isText ? "#edit textarea" : "#edit :is(input, select):not([type=hidden])";
    root.querySelector<HTMLElement>(first)?.focus();
  }

  root.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const word = event.target.closest<HTMLElement>(".word");
    if (word) player.seek(Number(word.dataset.seek));
    const link = event.target.closest<HTMLAnchorElement>("a[data-load]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    void follow(link);
  });
  root.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.closest("#edit")) isTyping = true;
  });
  root.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (!form.matches("[data-save]")) return;
    event.preventDefault();
    const entries = new FormData(form, event.submitter);
    const next = fields.takeNext();
    const action = String(entries.get("action") ?? "");
    const buttons = form.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    const busy = form.querySelector<HTMLElement>("[data-busy]");
    if (busy) busy.hidden = false;
    note(busy?.dataset.busy ?? "");
    // A button is named `action`, which hides the property of the form.
    void post(form.getAttribute("action") ?? "", entries)
      .then(async (isStored) => {
        if (isStored && (action === "remove" || action === "close-gap")) offerUndo("Removed.");
        const link = next ? root.querySelector<HTMLAnchorElement>(`.texts a[href="${next}"]`) : null;
        if (isStored && link) await follow(link);
      })
      .finally(() => {
        if (busy) busy.hidden = true;
        for (const button of buttons) button.disabled = false;
      });
  });

  /** Every few seconds: has somebody else changed the project, or has the assistant begun or ended? */
  async function watch(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
      if (document.hidden || isBusy) continue;
      const response = await fetch(`${root.dataset.base}/state`).catch(() => null);
      if (!response?.ok || response.redirected) continue;
      const { updated, locked } = (await response.json()) as { updated: string; locked: boolean };
      const { updated: known, locked: knownLock } = getState();
      if ((updated === known && locked === (knownLock === "true")) || isBusy) continue;
      const page = await fetch(location.href).catch(() => null);
      if (!page?.ok || isBusy) continue;
      await show(page, isTyping);
      if (updated !== known) note("Somebody else changed this project. The page shows the new version.");
    }
  }

  timeline.layOut();
  fields.prepare();
  showThumbnails(root);
  void loadProject();
  void watch();
}

/** Returns what focuses the same bar, field or part again after the parts of the page were replaced. */
function rememberFocus(root: HTMLElement): () => void {
  const focused = document.activeElement;
  const bar = focused?.closest<HTMLElement>(".bar")?.dataset.id;
  const part = focused?.closest<HTMLElement>("[data-part]")?.dataset.part;
  const selectors = [
    bar && `.bar[data-id="${CSS.escape(bar)}"]`,
    focused?.id && `#${CSS.escape(focused.id)}`,
    part && `[data-part=${part}] :is(a, button, input, textarea)`,
  ];
  return () => {
    if (root.contains(document.activeElement)) return;
    const found = selectors.flatMap((selector) => (selector && root.querySelector<HTMLElement>(selector)) || []);
    found[0]?.focus({ preventScroll: true });
  };
}
