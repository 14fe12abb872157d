// Actions of a page that stays open: the form goes to the server as without script, and the parts that changed are replaced.

export interface PageResponse {
  page: Document;
  /** The server's sentence about the action. */
  notice: { text: string; isProblem: boolean } | null;
  url: string;
}

/** Null when the connection was lost. */
export async function fetchPage(url: string, init?: RequestInit): Promise<PageResponse | null> {
  const response = await fetch(url, init).catch(() => null);
  if (!response) return null;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const box = page.querySelector(".notice");
  const text = box?.textContent?.trim() ?? "";
  // An error is a page of its own.
  const failure = response.ok ? null : { text: page.querySelector("main p")?.textContent ?? "", isProblem: true };
  const notice = box ? { text, isProblem: box.classList.contains("problem") } : failure;
  return { page, notice, url: response.url };
}

/** Shows the parts as the server writes them now. */
export async function refreshParts(root: HTMLElement): Promise<void> {
  const fetched = await fetchPage(location.pathname);
  if (fetched) replaceParts(root, fetched.page);
}

/** Replaces each part of `root` by that of the page; returns false if the page has none of them, such as when signed out. */
export function replaceParts(root: HTMLElement, page: Document): boolean {
  let replaced = 0;
  for (const old of root.querySelectorAll<HTMLElement>("[data-part]")) {
    const next = page.querySelector(`[data-part=${old.dataset.part}]`);
    if (!next) continue;
    old.replaceWith(document.adoptNode(next));
    replaced += 1;
  }
  return replaced > 0;
}
