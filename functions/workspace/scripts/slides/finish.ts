// Renders the slideshow, writes one slide again, deletes with an undo: what asks the server for more than storing.
import { type Call, type CallError, createCaller } from "../shared/api.ts";
import { createElement, createFinder } from "../shared/element.ts";
import { refreshParts } from "../shared/page-parts.ts";
import { describeError } from "../shared/slideshow-words.ts";
import { toContent } from "./content.ts";
import type { Saver } from "./saver.ts";
import type { Selection } from "./selection.ts";
import type { Store } from "./store.ts";
import { buildWaitingSlides } from "./waiting-slides.ts";

interface FinishOptions {
  root: HTMLElement;
  store: Store;
  selection: Selection;
  saver: Saver;
}

export function startFinish({ root, store, selection, saver }: FinishOptions) {
  const { id = "", base = "", api = "" } = root.dataset;
  const call: Call = createCaller(api);
  const params = { slideshowId: id };
  const find = createFinder(root);
  const state = find("#render-state");
  const say = (text: string, isProblem = false) => {
    state.textContent = text;
    state.classList.toggle("problem", isProblem);
  };
  /** The part of the page that depends on the images. */
  const getPart = () => find("[data-part=rendered]");

  async function render(): Promise<void> {
    const button = find<HTMLButtonElement>("#render button");
    button.disabled = true;
    const count = store.get().slides.length;
    say(`Making ${count} ${count === 1 ? "image" : "images"}…`);
    const places = buildWaitingSlides("Making the images", count, store.get().settings.aspect_ratio);
    getPart().append(places);
    try {
      if (!(await saver.save())) throw new Error("Your changes are not saved yet, so no images were made.");
      saver.take(await call("POST /slideshows/{slideshowId}/render", { params }));
      await refreshParts(root);
      say("The images are ready.");
      getPart().querySelector<HTMLElement>("a.primary")?.focus();
    } catch (error) {
      places.remove();
      button.disabled = false;
      say(describeError(error as CallError), true);
    }
  }

  async function rewrite(): Promise<void> {
    const [note, button] = [find("#rewrite-state"), find<HTMLButtonElement>("#rewrite button")];
    const at = selection.slideAt();
    button.disabled = true;
    note.textContent = `Writing slide ${at + 1} again…`;
    find("#stage").classList.add("waiting");
    try {
      if (!(await saver.save())) throw new Error("Your changes are not saved yet, so nothing was written.");
      // Only a draft is written again; its images are made anew afterwards.
      if (getPart().dataset.rendered) {
        const body = { status: "draft" as const, expected_updated_at: saver.getVersion() };
        const drafted = await call("PATCH /slideshows/{slideshowId}", { params, body });
        saver.setVersion(drafted.updated_at ?? saver.getVersion());
      }
      const instruction = find<HTMLTextAreaElement>("#instruction").value.trim();
      const response = await call("POST /slideshows/{slideshowId}/slides/{index}/regenerate", {
        params: { ...params, index: String(at) },
        body: instruction ? { instruction } : {},
      });
      saver.take(response);
      store.change(toContent(response));
      await refreshParts(root);
      note.textContent = `Slide ${at + 1} is written again. Undo brings the old words back.`;
    } catch (error) {
      note.textContent = describeError(error as CallError);
    } finally {
      find("#stage").classList.remove("waiting");
      button.disabled = false;
    }
  }

  root.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (form.id === "render") {
      event.preventDefault();
      void render();
    } else if (form.id === "rewrite") {
      event.preventDefault();
      void rewrite();
    } else if (/\/(duplicate|template)$/.test(form.action)) {
      // The last change belongs to the copy and to the template.
      event.preventDefault();
      void saver.save().then((isSaved) => isSaved && form.submit());
    }
  });

  const place = root.querySelector<HTMLElement>("[data-delete]");
  if (place) {
    const button = createElement("button", { type: "button", className: "danger" }, "Delete");
    // The list deletes it, because its toast takes it back.
    button.addEventListener("click", () => location.assign(`${base}/slideshows#delete-${id}`));
    place.replaceChildren(button);
  }

  return {
    /** Changed slides have no images any more. */
    onStored: () => {
      if (getPart().dataset.rendered) void refreshParts(root);
    },
  };
}
