// The files pages: uploads by choosing and by dropping, what is done with the chosen files, and dragging them onto folders.
import { startDragging } from "./files/drag.ts";
import { createUploads } from "./files/uploads.ts";
import { createCaller } from "./shared/api.ts";
import { fetchPage, replaceParts } from "./shared/page-parts.ts";
import { showThumbnails } from "./shared/thumbnails.ts";
import { deleteLater, showToast } from "./shared/toast.ts";

const LOST = "The connection was lost, so nothing was changed. Try again.";

const library = document.querySelector<HTMLElement>("#library");
const filePage = document.querySelector<HTMLElement>("#file");
if (library) startLibrary(library);
if (filePage) startFilePage(filePage);

function startLibrary(root: HTMLElement): void {
  const base = root.dataset.base ?? "";
  const openFolder = root.dataset.folder ?? null;
  /** A search lists the files of all folders, so that a move takes them out of each. */
  const isEverywhere = root.dataset.everywhere === "true";
  const source = isEverywhere ? null : openFolder;
  const call = createCaller(`${base}/api`);
  const list = root.querySelector<HTMLElement>("#uploads");
  const input = document.querySelector<HTMLInputElement>("#upload");

  const getId = ({ dataset }: HTMLElement) => dataset.file ?? dataset.folder ?? "";
  const findCard = (id: string) =>
    root.querySelector<HTMLElement>(`.file:is([data-file="${id}"], [data-folder="${id}"])`);

  function show(page: Document): void {
    const focused = document.activeElement?.closest<HTMLElement>(".file");
    const chosen = listChosen().map(({ value }) => value);
    // Cards that wait for their deletion: an undo shows them again.
    const hidden = [...root.querySelectorAll<HTMLElement>(".file[hidden]")];
    if (!replaceParts(root, page)) {
      location.reload();
      return;
    }
    for (const card of hidden) findCard(getId(card))?.replaceWith(card);
    for (const id of chosen) {
      const box = findCard(id)?.querySelector("input");
      if (box) box.checked = true;
    }
    showThumbnails(root);
    startDragging(root, moveDragged);
    showChosen();
    if (focused) findCard(getId(focused))?.querySelector("a")?.focus();
  }

  async function refresh(): Promise<void> {
    const response = await fetchPage(location.href);
    if (response) show(response.page);
  }

  /** Sends what the form would send. The page that comes back has the new state, and says what was done. */
  async function send(action: string, fields: [string, string][], options: RequestInit = {}) {
    const response = await fetchPage(action, { method: "POST", body: new URLSearchParams(fields), ...options });
    if (!response) throw new Error(LOST);
    if (response.notice?.isProblem) {
      await refresh();
      throw new Error(response.notice.text);
    }
    // The folder with its filters, which the action does not know.
    await refresh();
    return response.notice?.text ?? "";
  }

  const listChosen = () => [...root.querySelectorAll<HTMLInputElement>(".file > input:checked")];
  const toFields = (boxes: HTMLInputElement[]) => boxes.map(({ name, value }): [string, string] => [name, value]);

  async function move(chosen: [string, string][], from: string | null, to: string | null): Promise<void> {
    const fields = [...chosen, ["from", from ?? ""], ["to", to ?? ""]] as [string, string][];
    try {
      const text = await send(`${base}/files/move`, fields);
      // The files of a search were in folders that this page does not know.
      showToast(text, isEverywhere ? {} : { undo: () => void move(chosen, to, from) });
    } catch (error) {
      showToast((error as Error).message, { kind: "problem" });
    }
  }

  /** The card that is dragged, and with it the others if it is one of the chosen. */
  function moveDragged(card: HTMLElement, to: string | null): void {
    const box = card.querySelector<HTMLInputElement>("input");
    if (box) void move(toFields(box.checked ? listChosen() : [box]), source, to);
  }

  function removeChosen(): void {
    const boxes = listChosen();
    const cards = boxes.flatMap((box) => box.closest<HTMLElement>("li") ?? []);
    const fields = toFields(boxes);
    if (openFolder) fields.push(["from", openFolder]);
    const [first] = cards;
    const what = cards.length === 1 ? first?.dataset.name : `${cards.length} items`;
    const hasFolder = boxes.some(({ name }) => name === "subfolder");
    for (const box of boxes) box.checked = false;
    showChosen();
    const kept = hasFolder ? " Files in a folder are kept." : "";
    deleteLater(`${what} deleted.${kept}`, cards, () => send(`${base}/files/delete`, fields, { keepalive: true }));
  }

  function showChosen(): void {
    const bar = root.querySelector<HTMLElement>("#chosen-actions");
    if (!bar) return;
    const boxes = listChosen();
    bar.hidden = boxes.length === 0;
    const text = boxes.length > 0 ? `${boxes.length} chosen` : "";
    for (const line of root.querySelectorAll("#chosen-count, .count")) line.textContent = text;
    const project = bar.querySelector<HTMLButtonElement>("button[value=project]");
    if (project) project.disabled = !boxes.some(({ name }) => name === "file");
  }

  root.addEventListener("change", showChosen);
  root.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("#choose-none")) return;
    for (const box of listChosen()) box.checked = false;
    showChosen();
    root.querySelector<HTMLElement>(".file > input")?.focus();
  });
  root.addEventListener("submit", (event) => {
    const { value } = (event.submitter as HTMLButtonElement | null) ?? { value: "" };
    if (value === "move") {
      event.preventDefault();
      const to = root.querySelector<HTMLSelectElement>("#to")?.value || null;
      void move(toFields(listChosen()), source, to);
    } else if (value === "delete") {
      event.preventDefault();
      removeChosen();
    }
  });

  if (list && input) startUploads(list, input);
  showThumbnails(root);
  startDragging(root, moveDragged);
  showChosen();
  // The browser restores what was chosen after the script has run.
  addEventListener("pageshow", showChosen);

  function startUploads(list: HTMLElement, input: HTMLInputElement): void {
    const onStored = async (fileId: string, folderId: string | null) => {
      if (folderId)
        await call("POST /folders/{folderId}/items", { params: { folderId }, body: { item_ids: [fileId] } });
      await refresh();
    };
    const uploads = createUploads({ call, base, list, choose: () => input.click(), onStored });
    const addAll = (files: Iterable<File>, folderId: string | null) => {
      for (const file of files) uploads.add(file, folderId);
    };
    input.addEventListener("change", () => {
      addAll([...(input.files ?? [])], openFolder);
      input.value = "";
    });
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) document.body.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      const folder = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-folder]") : null;
      addAll(event.dataTransfer?.files ?? [], folder?.dataset.folder ?? openFolder);
    });
    addEventListener("beforeunload", (event) => {
      if (uploads.isBusy()) event.preventDefault();
    });
    uploads.showInterrupted();
  }
}

/** The file is deleted when the message ends, so that it can be brought back. */
function startFilePage(root: HTMLElement): void {
  const form = document.querySelector<HTMLFormElement>("#delete-file");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const actions = document.querySelector<HTMLElement>(".heading .actions");
    deleteLater(`${root.dataset.name} deleted.`, actions ? [root, actions] : [root], async () => {
      const response = await fetchPage(form.action, { method: "POST", body: fields, keepalive: true });
      if (!response) throw new Error(LOST);
      if (response.notice?.isProblem) throw new Error(response.notice.text);
      location.assign(response.url);
    });
  });
}
