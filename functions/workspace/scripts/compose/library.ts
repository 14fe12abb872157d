// Files of the workspace, newest first, to choose from.
import type { Call, Data } from "../shared/api.ts";
import { createElement, createFinder } from "../shared/element.ts";
import type { Media } from "./media-body.ts";

type File = Data<"GET /files">["files"][number];

const PAGE_SIZE = 24;

/** Returns false if the file does not fit beside the others. */
type Add = (media: Media) => boolean;
export type Library = ReturnType<typeof createLibrary>;

export function createLibrary(form: HTMLFormElement, call: Call) {
  const find = createFinder(form, "#library");
  const dialog = find<HTMLDialogElement>("");
  const list = find("-list");
  const more = find<HTMLButtonElement>("-more");
  let offset = 0;
  let add: Add = () => false;

  async function load(): Promise<void> {
    more.hidden = true;
    const places = Array.from({ length: 6 }, () => createElement("span", { className: "skeleton" }));
    list.append(...places);
    try {
      const { files, total } = await call("GET /files", { query: { limit: PAGE_SIZE, offset } });
      offset += files.length;
      list.append(...files.map(buildFile));
      if (total === 0) list.append(createElement("p", {}, "There are no files yet. Add one from this device."));
      more.hidden = offset >= total || files.length === 0;
    } catch (error) {
      list.append(createElement("p", { className: "problem" }, (error as Error).message));
      more.hidden = false;
    } finally {
      for (const place of places) place.remove();
    }
  }

  function buildFile({ filename: name, contentType: type, url }: File): HTMLElement {
    const button = createElement(
      "button",
      { type: "button" },
      buildPicture(type, url),
      createElement("span", {}, name),
    );
    button.addEventListener("click", () => {
      if (!add({ name, type, url })) return dialog.close();
      if (type.startsWith("video/")) return dialog.close();
      button.setAttribute("aria-pressed", "true");
    });
    return button;
  }

  function buildPicture(type: string, url: string): HTMLElement {
    if (type.startsWith("image/")) return createElement("img", { src: url, alt: "", loading: "lazy" });
    return createElement("b", { ariaHidden: "true" }, "▶");
  }

  more.addEventListener("click", () => void load());
  find("-close").addEventListener("click", () => dialog.close());

  return {
    open(taker: Add): void {
      add = taker;
      list.replaceChildren();
      offset = 0;
      dialog.showModal();
      void load();
    },
  };
}
