// Checks the post while it is written: shortly after the last change, the result replaces the one before.
import { createElement } from "../shared/element.ts";

const CHECK_AFTER_MS = 600;

export function createCheck(url: string, result: HTMLElement, note: HTMLElement) {
  let timer = 0;
  let latest = 0;
  let checkedPosts = "";

  async function run(posts: object[]): Promise<void> {
    const body = JSON.stringify({ posts });
    if (body === checkedPosts) return;
    checkedPosts = body;
    latest += 1;
    const own = latest;
    const response = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(
      () => null,
    );
    if (own !== latest) return;
    if (!response?.ok) {
      checkedPosts = "";
      return;
    }
    show(new DOMParser().parseFromString(await response.text(), "text/html"));
  }

  function show(next: Document): void {
    const checks = next.querySelector(".checks");
    if (!checks) return;
    const isFine = next.querySelector("[data-ok]") !== null;
    const heading = createElement("h2", {}, isFine ? "Everything fits" : "This has to change");
    // A video that is shown already stays, so that it is not loaded again for each letter.
    for (const media of next.querySelectorAll<HTMLMediaElement | HTMLImageElement>(".preview :is(video, img)")) {
      const known = [...result.querySelectorAll<HTMLMediaElement | HTMLImageElement>(".preview :is(video, img)")];
      const current = known.find((one) => one.getAttribute("src") === media.getAttribute("src"));
      if (current) media.replaceWith(current);
    }
    result.replaceChildren(heading, ...document.adoptNode(next.body).childNodes);
    result.hidden = false;
    if (note.textContent !== heading.textContent) note.textContent = heading.textContent;
  }

  function clear(): void {
    latest += 1;
    checkedPosts = "";
    result.hidden = true;
    note.textContent = "";
  }

  return {
    /** Checks in a moment, unless there is another change before. `posts` null: there is nothing to check yet. */
    schedule(posts: () => object[] | null): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const now = posts();
        if (now) void run(now);
        else clear();
      }, CHECK_AFTER_MS) as unknown as number;
    },
    run,
  };
}
