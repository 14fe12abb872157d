// The editor: links and forms replace the parts of the page that they change, so that the player goes on; and the page
// stays current when somebody else, or the assistant, changes the project.
import { createPlayer } from "./editor/player.ts";
import { type Moved, startTimeline } from "./editor/timeline.ts";
import { createCaller } from "./shared/api.ts";

const WATCH_MS = 4_000;
const editor = document.querySelector<HTMLElement>("#editor");
if (editor) startEditor(editor);

function startEditor(root: HTMLElement): void {
  const call = createCaller(root.dataset.api ?? "");
  const timeline = startTimeline(root, (moved) => void saveMoved(moved));
  const player = createPlayer(root, timeline.showTime);
  let isTyping = false;
  let isBusy = false;

  const note = (text: string) => {
    const line = root.querySelector("#editor-note");
    if (line) line.textContent = text;
  };
  const getState = () => root.querySelector<HTMLElement>("[data-part=state]")?.dataset ?? {};

  /** Replaces the parts of the page by those of a response; fields that hold unsaved entries stay if asked. */
  async function show(response: Response, keepFields: boolean): Promise<void> {
    const next = new DOMParser().parseFromString(await response.text(), "text/html");
    const parts = [...next.querySelectorAll<HTMLElement>("#editor [data-part]")];
    // Signed out, or the project was deleted: that page says so.
    if (parts.length === 0) return location.assign(response.url || location.href);
    const before = getState().updated;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    const focusedBar = focused?.closest<HTMLElement>(".bar")?.dataset.id;
    const focusedPart = focused?.closest<HTMLElement>("[data-part]")?.dataset.part;
    for (const part of parts) {
      const old = root.querySelector(`[data-part=${part.dataset.part}]`);
      if (keepFields && part.dataset.part === "edit") continue;
      old?.replaceWith(document.adoptNode(part));
    }
    if (!keepFields) isTyping = false;
    const title = next.querySelector("h1")?.textContent;
    const heading = document.querySelector("h1");
    if (title && heading) heading.textContent = title;
    timeline.layOut();
    if (getState().updated !== before) await loadProject();
    else player.seek(player.getTime());
    note(next.querySelector(".notice")?.textContent?.trim() ?? "");
    const target = focusedBar && root.querySelector<HTMLElement>(`.bar[data-id="${CSS.escape(focusedBar)}"]`);
    if (target) target.focus({ preventScroll: true });
    else if (focusedPart && !root.contains(document.activeElement)) {
      root
        .querySelector<HTMLElement>(`[data-part=${focusedPart}] :is(a, button, input, textarea)`)
        ?.focus({ preventScroll: true });
    }
  }

  async function loadProject(): Promise<void> {
    const params = { projectId: root.dataset.project ?? "" };
    const project = await call("GET /editor/projects/{projectId}", { params }).catch(() => null);
    if (project) player.setProject(project);
    timeline.showTime(player.getTime());
  }

  async function open(url: string): Promise<void> {
    const response = await fetch(url).catch(() => null);
    if (!response) return note("The connection was lost. Try again.");
    history.replaceState(null, "", url);
    await show(response, false);
  }

  async function post(action: string, entries: Record<string, string> | FormData): Promise<void> {
    isBusy = true;
    const body = new URLSearchParams();
    for (const [name, value] of entries instanceof FormData ? entries : Object.entries(entries))
      body.set(name, String(value));
    const response = await fetch(action, { method: "POST", body }).catch(() => null);
    isBusy = false;
    if (!response) return note("The connection was lost, so nothing is stored. Try again.");
    if (response.redirected) history.replaceState(null, "", response.url);
    await show(response, false);
  }

  function saveMoved({ kind, id, fields }: Moved): Promise<void> {
    const seconds = Object.entries(fields).map(([name, ms]) => [name, String(ms / 1000)]);
    return post(`${root.dataset.base}/${kind}s/${encodeURIComponent(id)}`, {
      expected: getState().updated ?? "",
      ...Object.fromEntries(seconds),
    });
  }

  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-load]") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    if (isTyping && !confirm("What you typed is not saved. Leave it?")) return;
    if (link.dataset.seek) player.seek(Number(link.dataset.seek));
    void open(link.href).then(() => {
      if (link.closest(".texts") || link.search.includes("new"))
        root.querySelector<HTMLElement>("#edit textarea")?.focus();
      else if (link.matches(".bar.clip")) root.querySelector<HTMLElement>("#edit input:not([type=hidden])")?.focus();
      else if (link.matches(".bar")) root.querySelector<HTMLElement>("#edit textarea")?.focus();
    });
  });
  root.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-part=edit]")) isTyping = true;
  });
  root.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (!form.matches("[data-save]")) return;
    event.preventDefault();
    const entries = new FormData(form, event.submitter);
    const buttons = form.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    note(form.dataset.busy ?? "");
    // A button is named `action`, which hides the property of the form.
    void post(form.getAttribute("action") ?? "", entries).finally(() => {
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
  void loadProject();
  void watch();
}
