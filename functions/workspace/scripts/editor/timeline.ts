// The bars of the timeline: placed by their times, dragged, trimmed at their edges, and moved by the arrow keys. interactjs
// 1.10.28 drags and trims too; its bundle is 29 KiB gzip, and that of this file 1.2 KiB.
export interface Moved {
  kind: string;
  id: string;
  /** In milliseconds, by the name of the field of the form; only what changed. */
  fields: Record<string, number>;
}

const STEP_MS = 100;
const SHIFT_STEP_MS = 1_000;
/** Movement in pixels below which a press is a click. */
const CLICK_PX = 4;
const EDGE_PX = 10;
const MIN_MS = 100;
const SAVE_AFTER_MS = 600;

/** The timeline is longer than its clips, so that the last one can be moved back. */
const SPARE = 1.1;

type Edge = "start" | "end" | "whole";

export function startTimeline(root: HTMLElement, onMoved: (moved: Moved) => void) {
  let totalMs = 1;
  let isDragged = false;
  let timer = 0;

  const number = (bar: HTMLElement, name: string) => Number(bar.dataset[name]);
  const find = () => root.querySelector<HTMLElement>(".timeline");

  function place(bar: HTMLElement): void {
    bar.style.left = `${(number(bar, "start") / totalMs) * 100}%`;
    bar.style.width = `${((number(bar, "end") - number(bar, "start")) / totalMs) * 100}%`;
  }

  function layOut(): void {
    const timeline = find();
    if (!timeline) return;
    totalMs = Math.max(1_000, Number(timeline.dataset.duration) * SPARE);
    timeline.classList.add("placed");
    for (const bar of timeline.querySelectorAll<HTMLElement>(".bar")) place(bar);
  }

  function showTime(ms: number): void {
    const head = root.querySelector<HTMLElement>(".playhead");
    const list = root.querySelector<HTMLElement>(".track ul");
    if (head && list) head.style.left = `${list.offsetLeft + (ms / totalMs) * list.clientWidth}px`;
  }

  /** Moves an edge of a bar, or the whole, by `by` ms, within its file and the timeline. */
  function move(bar: HTMLElement, edge: Edge, by: number, from: DOMStringMap): void {
    const [start, end] = [Number(from.start), Number(from.end)];
    const speed = Number(from.speed ?? 1);
    if (edge === "whole") {
      const shift = Math.max(by, -start);
      bar.dataset.start = String(Math.round(start + shift));
      bar.dataset.end = String(Math.round(end + shift));
    } else if (edge === "start") {
      const lowest = from.from === undefined ? -start : Math.max(-start, -Number(from.from) / speed);
      const shift = Math.min(Math.max(by, lowest), end - start - MIN_MS);
      bar.dataset.start = String(Math.round(start + shift));
      if (from.from !== undefined) bar.dataset.from = String(Math.round(Number(from.from) + shift * speed));
    } else {
      const shift = Math.max(by, start - end + MIN_MS);
      bar.dataset.end = String(Math.round(end + shift));
      if (from.until !== undefined) bar.dataset.until = String(Math.round(Number(from.until) + shift * speed));
    }
    place(bar);
  }

  function save(bar: HTMLElement, before: DOMStringMap): void {
    const { kind = "", id = "" } = bar.dataset;
    const names = kind === "clip" ? ["start", "from", "until"] : ["start", "end"];
    const changed = names.filter((name) => bar.dataset[name] !== before[name]);
    if (changed.length > 0)
      onMoved({ kind, id, fields: Object.fromEntries(changed.map((name) => [name, number(bar, name)])) });
  }

  root.addEventListener("pointerdown", (event) => {
    const bar = event.target instanceof Element ? event.target.closest<HTMLElement>(".bar") : null;
    if (!bar || event.button !== 0 || !find()?.dataset.editable) return;
    const before = { ...bar.dataset };
    const { left, right } = bar.getBoundingClientRect();
    const isWide = right - left > 3 * EDGE_PX;
    const edge: Edge =
      isWide && event.clientX < left + EDGE_PX ? "start" : isWide && event.clientX > right - EDGE_PX ? "end" : "whole";
    const msPerPx = totalMs / (bar.closest("ul")?.clientWidth ?? 1);
    isDragged = false;
    const drag = ({ clientX }: PointerEvent) => {
      const px = clientX - event.clientX;
      if (!isDragged && Math.abs(px) < CLICK_PX) return;
      isDragged = true;
      move(bar, edge, px * msPerPx, before);
    };
    const end = new AbortController();
    addEventListener("pointermove", drag, { signal: end.signal });
    for (const name of ["pointerup", "pointercancel"] as const) {
      const drop = () => {
        end.abort();
        if (name === "pointercancel") Object.assign(bar.dataset, before);
        place(bar);
        save(bar, before);
      };
      addEventListener(name, drop, { signal: end.signal });
    }
  });

  // A bar that was dragged is not opened.
  root.addEventListener(
    "click",
    (event) => {
      if (!isDragged || !(event.target instanceof Element) || !event.target.closest(".bar")) return;
      isDragged = false;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );

  let moving: { bar: HTMLElement; before: DOMStringMap } | null = null;
  const saveMoved = () => {
    clearTimeout(timer);
    if (moving) save(moving.bar, moving.before);
    moving = null;
  };
  root.addEventListener("keydown", (event) => {
    const bar = event.target instanceof Element ? event.target.closest<HTMLElement>(".bar") : null;
    const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!bar || direction === 0 || event.altKey || event.ctrlKey || event.metaKey || !find()?.dataset.editable) return;
    event.preventDefault();
    if (moving?.bar !== bar) saveMoved();
    moving ??= { bar, before: { ...bar.dataset } };
    move(bar, "whole", direction * (event.shiftKey ? SHIFT_STEP_MS : STEP_MS), { ...bar.dataset });
    clearTimeout(timer);
    timer = setTimeout(saveMoved, SAVE_AFTER_MS) as unknown as number;
  });
  root.addEventListener("focusout", saveMoved);

  return { layOut, showTime };
}
