// The fields beside the player: edges that are moved, times that are taken from the player, and keys of the captions.
const SAVE_AFTER_MS = 700;

export function startFields(root: HTMLElement, getTime: () => number) {
  let next: string | null = null;
  let timer = 0;

  const find = <Of extends HTMLElement>(selector: string) => root.querySelector<Of>(`#edit ${selector}`);
  const write = (name: string, ms: number) => {
    const field = find<HTMLInputElement>(`input[name="${name}"]`);
    if (!field) return;
    field.value = String(Math.round(ms) / 1000);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  /** This tab keeps unsaved entries, also over a reload; forms name them by where they go. */
  const getKey = (area: HTMLTextAreaElement) => `typed ${area.form?.getAttribute("action")}`;

  function restoreTyped(): void {
    const area = find<HTMLTextAreaElement>("textarea");
    const typed = area && sessionStorage.getItem(getKey(area));
    if (!area || !typed || typed === area.value) return;
    area.value = typed;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Called when it is saved, or closed without saving. */
  function forgetTyped(): void {
    const area = find<HTMLTextAreaElement>("textarea");
    if (area) sessionStorage.removeItem(getKey(area));
  }

  /** Shows what works with the script only. */
  function prepare(): void {
    for (const element of root.querySelectorAll<HTMLElement>(".edge, [data-take]")) element.hidden = false;
    restoreTyped();
    showTime(getTime());
  }

  /** Marks the captions that are shown, and puts the time into the field of the cut. */
  function showTime(ms: number): void {
    for (const row of root.querySelectorAll<HTMLElement>(".texts > li")) {
      const isShown = Number(row.dataset.start) <= ms && ms < Number(row.dataset.end);
      if (row.classList.contains("now") !== isShown) row.classList.toggle("now", isShown);
    }
    const cut = find<HTMLInputElement>("input[name=at]");
    const bar = root.querySelector<HTMLElement>(".bar.clip[aria-current]");
    const isInside = bar && Number(bar.dataset.start) < ms && ms < Number(bar.dataset.end);
    if (cut && isInside && document.activeElement !== cut) cut.value = String(Math.round(ms) / 1000);
  }

  root.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-take]") : null;
    if (button) write(button.dataset.take ?? "", getTime());
  });
  root.addEventListener("input", (event) => {
    const edge = event.target;
    if (edge instanceof HTMLTextAreaElement && edge.closest("#edit")) sessionStorage.setItem(getKey(edge), edge.value);
    if (!(edge instanceof HTMLInputElement) || !edge.dataset.edge) return;
    write(edge.dataset.edge, Number(edge.value));
    // The beginning moves on the timeline with the part of the file, so that the end stays where it is.
    const bar = root.querySelector<HTMLElement>(".bar.clip[aria-current]");
    if (edge.dataset.edge === "from" && bar) {
      const moved = (Number(edge.value) - Number(bar.dataset.from)) / Number(bar.dataset.speed);
      write("start", Math.max(0, Number(bar.dataset.start) + moved));
    }
    clearTimeout(timer);
    // Each press of an arrow key moves an edge; the last of them saves.
    timer = setTimeout(() => edge.form?.requestSubmit(), SAVE_AFTER_MS) as unknown as number;
  });
  root.addEventListener("keydown", (event) => {
    const area = event.target;
    if (!(area instanceof HTMLTextAreaElement) || !area.closest("#edit") || event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const row = area.closest("li")?.nextElementSibling;
      next = row?.querySelector("a")?.getAttribute("href") ?? null;
      area.form?.requestSubmit();
    } else if (event.key === "Escape") {
      event.preventDefault();
      const close = area.form?.querySelector<HTMLAnchorElement>("a[data-load]");
      close?.click();
    }
  });

  /** The text clip to open after this one is saved. */
  function takeNext(): string | null {
    const href = next;
    next = null;
    return href;
  }

  return { prepare, showTime, takeNext, forgetTyped };
}
