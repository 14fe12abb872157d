// Checks the post while it is written: shortly after the last change, the result replaces the one before.
import { createElement } from "../shared/element.ts";

const CHECK_AFTER_MS = 600;

export function createCheck(url: string, result: HTMLElement, note: HTMLElement, onShown: () => void) {
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
    // A picture that is shown already stays, so that it does not flicker with each letter.
    const known = [...result.querySelectorAll<HTMLImageElement>(".preview img")];
    for (const image of next.querySelectorAll<HTMLImageElement>(".preview img")) {
      const at = known.findIndex((one) => one.getAttribute("src") === image.getAttribute("src"));
      const [current] = at < 0 ? [] : known.splice(at, 1);
      if (current) image.replaceWith(current);
    }
    result.replaceChildren(heading, ...document.adoptNode(next.body).childNodes);
    result.hidden = false;
    if (note.textContent !== heading.textContent) note.textContent = heading.textContent;
    onShown();
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
