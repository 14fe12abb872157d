// The editor of a slideshow: everything is changed on the slides and stored while somebody works.
import type { BareSlide } from "../../../lib/schemas/slide.ts";
import { createCaller, type Data } from "./shared/api.ts";
import { createFinder } from "./shared/element.ts";
import { showToast } from "./shared/toast.ts";
import { toContent } from "./slides/content.ts";
import { createFields } from "./slides/fields.ts";
import { startFinish } from "./slides/finish.ts";
import { createSaver } from "./slides/saver.ts";
import { createSelection, EMPTY_TEXT } from "./slides/selection.ts";
import { createStage } from "./slides/stage.ts";
import { createStore } from "./slides/store.ts";
import { createStrip } from "./slides/strip.ts";

const MAX_SLIDES = 35;
const root = document.querySelector<HTMLElement>("#slide-editor");
if (root) startEditor(root);

function startEditor(root: HTMLElement): void {
  const slideshow = JSON.parse(root.dataset.slideshow ?? "{}") as Data<"GET /slideshows/{slideshowId}">;
  const { base = "", api = "" } = root.dataset;
  const isEditable = root.dataset.editable === "true";
  const find = createFinder(root, "#");
  const call = createCaller(api);
  const store = createStore(toContent(slideshow));
  const selection = createSelection(store);
  const place = `slide ${slideshow.id}`;
  selection.choose(Number(sessionStorage.getItem(place) ?? 0), null);

  const showProblem = (text: string) => {
    const line = root.querySelector("#stage-problem");
    if (line && line.textContent !== text) line.textContent = text;
  };
  const announce = (text: string) => {
    find("render-state").textContent = text;
  };
  const stage = createStage({
    host: find("stage"),
    ...{ store, selection, isEditable, onProblem: showProblem },
  });
  const strip = createStrip({ list: find("strip"), store, selection, isEditable, announce });

  function show(): void {
    selection.clamp();
    const { slides, title } = store.get();
    const at = selection.slideAt();
    sessionStorage.setItem(place, String(at));
    find("stage-title").textContent = slides.length > 0 ? `Slide ${at + 1} of ${slides.length}` : "No slides yet";
    const pageTitle = document.querySelector("h1");
    if (pageTitle && title.trim()) pageTitle.textContent = title;
    strip.show();
    void stage.show();
  }

  store.listen(show);
  selection.listen(show);
  if (isEditable) startChanges();
  show();

  function startChanges(): void {
    const fields = createFields({ root, store, selection, removeText: stage.removeText });
    const saver = createSaver({
      ...{ call, base, slideshow, store },
      showState: (text, isProblem = false) => {
        const line = find("save-state");
        line.textContent = text;
        line.classList.toggle("problem", isProblem);
        if (isProblem) line.role = "alert";
        else line.removeAttribute("role");
      },
      onStored: () => finish.onStored(),
    });
    const finish = startFinish({ root, store, selection, saver });
    const showButtons = () => {
      const { slides } = store.get();
      const hasSlide = selection.getSlide() !== undefined;
      const texts = selection.getSlide()?.text_elements.length ?? 0;
      const enabled: Record<string, boolean> = {
        undo: store.canUndo(),
        redo: store.canRedo(),
        "add-slide": slides.length < MAX_SLIDES,
        "add-text": hasSlide && texts < 20,
        "change-picture": hasSlide,
        "duplicate-slide": hasSlide && slides.length < MAX_SLIDES,
        "delete-slide": hasSlide,
        "move-earlier": selection.slideAt() > 0,
        "move-later": selection.slideAt() < slides.length - 1,
      };
      for (const [id, isEnabled] of Object.entries(enabled)) find<HTMLButtonElement>(id).disabled = !isEnabled;
    };
    store.listen(() => {
      saver.schedule();
      fields.show();
      showButtons();
    });
    selection.listen(() => {
      fields.show();
      showButtons();
    });

    function insertSlide(at: number, slide: BareSlide = { image_url: null, text_elements: [{ ...EMPTY_TEXT }] }): void {
      const slides = [...store.get().slides];
      slides.splice(at, 0, slide);
      store.change({ slides });
      selection.choose(at, null);
    }

    function deleteSlide(): void {
      const [at, slide] = [selection.slideAt(), selection.getSlide()];
      store.change({ slides: store.get().slides.filter((_, index) => index !== at) });
      // Other changes may have been made since, so the slide is put back rather than the last change undone.
      showToast(`Slide ${at + 1} is deleted.`, { undo: () => insertSlide(at, slide) });
      strip.focus(selection.slideAt());
    }

    async function changePicture(): Promise<void> {
      const { pickImages } = await import("./slides/image-picker.ts");
      const [image] = await pickImages({ call, base, isMultiple: false });
      if (image)
        selection.changeSlide(({ grid_images: _, grid_type: __, ...slide }) => ({ ...slide, image_url: image.url }));
      find("change-picture").focus();
    }

    const actions: Record<string, () => void> = {
      undo: () => store.undo(),
      redo: () => store.redo(),
      "add-slide": () => insertSlide(store.get().slides.length),
      "add-text": () => stage.addText(),
      "change-picture": () => void changePicture(),
      "duplicate-slide": () => insertSlide(selection.slideAt() + 1, selection.getSlide()),
      "delete-slide": deleteSlide,
      "move-earlier": () => strip.move(selection.slideAt(), selection.slideAt() - 1),
      "move-later": () => strip.move(selection.slideAt(), selection.slideAt() + 1),
    };
    for (const [id, run] of Object.entries(actions)) find(id).addEventListener("click", run);

    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
      if (isTyping || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      const run = key === "y" || (key === "z" && event.shiftKey) ? store.redo : key === "z" ? store.undo : null;
      if (!run) return;
      event.preventDefault();
      run();
    });

    saver.restore();
    saver.schedule();
    fields.show();
    showButtons();
  }
}
