// Lists of slideshows, templates, packs and products: previews of slides, and deleting with an undo.
import { fetchPage } from "./shared/page-parts.ts";
import { deleteLater } from "./shared/toast.ts";
import { showSlidePreviews } from "./slides/slide-previews.ts";

showSlidePreviews(document);

/** Sends a form when its undo is no longer offered. The page that follows says what went wrong. */
async function send(form: HTMLFormElement): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.set(name, String(value));
  const sent = await fetchPage(form.action, { method: "POST", body, keepalive: true });
  if (!sent) throw new Error("The connection was lost, so nothing was deleted. Try again.");
  if (sent.notice?.isProblem) throw new Error(sent.notice.text);
}

function remove(form: HTMLFormElement): void {
  // The page of one record has its list to go to when the record is gone.
  const record = form.closest<HTMLElement>("[data-record]");
  const own = form.closest<HTMLElement>("li");
  const item = own ?? record ?? form;
  const next = item.nextElementSibling ?? item.previousElementSibling ?? document.querySelector("main");
  deleteLater(form.dataset.undo ?? "", [item], async () => {
    await send(form);
    if (!own && record) location.assign(record.dataset.record ?? "");
  });
  (next?.querySelector<HTMLElement>("a, button, summary") ?? (next as HTMLElement | null))?.focus();
}

// Before the page asks its question, for which the undo stands in.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target as HTMLFormElement;
    if (form.dataset.undo === undefined) return;
    delete form.dataset.confirm;
    event.preventDefault();
    remove(form);
  },
  true,
);

// The page of a record hands its deletion over, so that the undo is here.
const [, id] = /^#delete-([0-9a-f-]{36})$/.exec(location.hash) ?? [];
if (id) {
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.querySelector<HTMLFormElement>(`[data-id="${id}"] form[data-undo]`);
  if (form) remove(form);
}
