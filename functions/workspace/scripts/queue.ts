// The queue, the page of a post and that of a webhook are fetched again every few seconds, and only items that changed are replaced.
import { showThumbnails } from "./shared/thumbnails.ts";

const live = document.querySelector<HTMLElement>("#live");
const note = document.querySelector<HTMLElement>("#live-note");
/** The interval while nothing moves; posts on their way are fetched every `data-interval` ms. */
const IDLE_MS = 15_000;

/** Replaces the items that differ, so that focus and scrolling stay where they are. */
function replaceChanged(current: HTMLElement, next: HTMLElement): number {
  const known = new Map([...current.children].map((item) => [item.id, item]));
  let changes = 0;
  const items = [...next.children].map((item) => {
    const old = known.get(item.id);
    if (old && withoutVideo(old) === withoutVideo(item)) return old;
    changes += 1;
    const next = document.adoptNode(item);
    keepSelection(old, next);
    return next;
  });
  if (changes > 0 || items.length !== known.size) current.replaceChildren(...items);
  return changes;
}

function keepSelection(old: Element | undefined, next: Element): void {
  const [was, is] = [old, next].map((item) => item?.querySelector<HTMLInputElement>("input[name=post]"));
  if (was && is) is.checked = was.checked;
}

/** A video that has been shown carries its address. */
function withoutVideo(item: Element): string {
  const copy = item.cloneNode(true) as Element;
  for (const video of copy.querySelectorAll("video")) video.removeAttribute("src");
  return copy.innerHTML;
}

async function refresh(): Promise<void> {
  if (!live || document.hidden) return;
  const response = await fetch(location.href, { headers: { "X-Fragment": "list" } }).catch(() => null);
  if (!response?.ok || response.redirected) return;
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const [list, nextList] = [live.querySelector("ol[data-live]"), next.querySelector("ol[data-live]")];
  if (list instanceof HTMLElement && nextList instanceof HTMLElement) {
    const changes = replaceChanged(list, nextList);
    list.dataset.moving = nextList.dataset.moving ?? "";
    if (changes > 0 && note) note.textContent = `${changes} ${changes === 1 ? "post has" : "posts have"} changed.`;
  } else {
    const nextLive = next.querySelector("#live") ?? next.body;
    // Not while a person is in a form of it.
    const isUsed = live.contains(document.activeElement);
    if (!isUsed && withoutVideo(live) !== withoutVideo(nextLive)) live.replaceChildren(...nextLive.childNodes);
  }
  showThumbnails(live);
}

async function keepCurrent(): Promise<void> {
  const interval = Number(live?.dataset.interval);
  if (!live || !interval) return;
  for (;;) {
    const isMoving = live.querySelector('[data-moving="true"]') !== null;
    await new Promise((resolve) => setTimeout(resolve, isMoving ? interval : IDLE_MS));
    await refresh();
  }
}

const bulk = document.querySelector<HTMLFormElement>("#bulk");
if (bulk && live) void import("./queue/bulk.ts").then(({ startBulk }) => startBulk(bulk, live, refresh));
showThumbnails(document);
void keepCurrent();
