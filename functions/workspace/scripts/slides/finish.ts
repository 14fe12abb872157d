// Renders the slideshow, writes one slide again, deletes with an undo: what asks the server for more than storing.
import { type Call, type CallError, createCaller } from "../shared/api.ts";
import { createElement } from "../shared/element.ts";
import { fetchPage, replaceParts } from "../shared/page-parts.ts";
import { describeError } from "../shared/slideshow-words.ts";
import { toContent } from "./content.ts";
import type { Saver } from "./saver.ts";
import type { Selection } from "./selection.ts";
import type { Store } from "./store.ts";

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
  const state = root.querySelector<HTMLElement>("#render-state");
  const say = (text: string, isProblem = false) => {
    if (!state) return;
    state.textContent = text;
    state.classList.toggle("problem", isProblem);
  };
  const getPart = () => root.querySelector<HTMLElement>("[data-part=rendered]");

  /** The part of the page that depends on the images, as the server writes it. */
  async function refreshPart(): Promise<void> {
    const fetched = await fetchPage(location.pathname);
    if (fetched) replaceParts(root, fetched.page);
  }

  async function render(): Promise<void> {
    const button = getPart()?.querySelector("button");
    if (button) button.disabled = true;
    const count = store.get().slides.length;
    say(`Making ${count} ${count === 1 ? "image" : "images"}…`);
    const places = showPlaces(count, store.get().settings.aspect_ratio);
    getPart()?.append(places);
    try {
      if (!(await saver.save())) throw new Error("Your changes are not saved yet, so no images were made.");
      saver.take(await call("POST /slideshows/{slideshowId}/render", { params }));
      await refreshPart();
      say("The images are ready.");
      getPart()?.querySelector<HTMLElement>("a.primary")?.focus();
    } catch (error) {
      places.remove();
      if (button) button.disabled = false;
      say(describeError(error as CallError), true);
    }
  }

  async function rewrite(form: HTMLFormElement): Promise<void> {
    const note = form.querySelector<HTMLElement>("#rewrite-state");
    const button = form.querySelector("button");
    const field = form.querySelector("textarea");
    const at = selection.slideAt();
    if (button) button.disabled = true;
    if (note) note.textContent = `Writing slide ${at + 1} again…`;
    root.querySelector("#stage")?.classList.add("waiting");
    try {
      if (!(await saver.save())) throw new Error("Your changes are not saved yet, so nothing was written.");
      // Only a draft is written again; its images are made anew afterwards.
      if (getPart()?.dataset.rendered) {
        const body = { status: "draft" as const, expected_updated_at: saver.getVersion() };
        const drafted = await call("PATCH /slideshows/{slideshowId}", { params, body });
        saver.setVersion(drafted.updated_at ?? saver.getVersion());
      }
      const instruction = field?.value.trim();
      const response = await call("POST /slideshows/{slideshowId}/slides/{index}/regenerate", {
        params: { ...params, index: String(at) },
        body: instruction ? { instruction } : {},
      });
      saver.take(response);
      store.change(toContent(response));
      await refreshPart();
      if (note) note.textContent = `Slide ${at + 1} is written again. Undo brings the old words back.`;
    } catch (error) {
      if (note) note.textContent = describeError(error as CallError);
    } finally {
      root.querySelector("#stage")?.classList.remove("waiting");
      if (button) button.disabled = false;
    }
  }

  root.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (form.id === "render") {
      event.preventDefault();
      void render();
    } else if (form.id === "rewrite") {
      event.preventDefault();
      void rewrite(form);
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
      if (getPart()?.dataset.rendered) void refreshPart();
    },
  };
}

function showPlaces(count: number, shape: string): HTMLElement {
  const bar = createElement("progress", { ariaLabel: "Making the images" });
  const places = createElement("ol", { className: "gallery", ariaHidden: "true" });
  for (let at = 0; at < count; at++) {
    const place = createElement("div", { className: "skeleton slide" });
    place.style.aspectRatio = shape.replace(":", " / ");
    places.append(createElement("li", {}, place));
  }
  return createElement("div", { className: "writing" }, bar, places);
}
