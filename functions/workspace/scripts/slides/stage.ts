// The chosen slide, large: its texts are moved by pointer and arrow keys, and changed in place.
import { createElement } from "../shared/element.ts";
import { showToast } from "../shared/toast.ts";
import { type PreviewedSlide, previewSlide } from "./preview.ts";
import { EMPTY_TEXT, type Selection } from "./selection.ts";
import type { Store } from "./store.ts";

const STEP = 0.5;
const LARGE_STEP = 5;
const CLICK_PX = 4;
/** Percent: a text this near to the middle of the slide is moved there. */
const SNAP = 1.2;
/** Percent: a text cannot be lost outside of the slide. */
const [LEAST, MOST] = [-20, 120];
const ARROWS: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const toPlace = (percent: number) => Math.min(MOST, Math.max(LEAST, Math.round(percent * 100) / 100));

interface StageOptions {
  host: HTMLElement;
  store: Store;
  selection: Selection;
  isEditable: boolean;
  onProblem(text: string): void;
}

export function createStage({ host, store, selection, isEditable, onProblem }: StageOptions) {
  let preview: PreviewedSlide | null = null;
  let editing: { at: number; field: HTMLTextAreaElement } | null = null;
  let isDragging = false;

  async function show(): Promise<void> {
    const slide = selection.getSlide();
    if (!slide) {
      host.replaceChildren();
      return;
    }
    if (isDragging) return;
    const next = await previewSlide(host, slide, store.get().settings).catch((error: Error) => error);
    if (next === null || isDragging) return;
    if (next instanceof Error) return onProblem(next.message);
    preview = next;
    onProblem(
      next.missing.length > 0
        ? `No font of the images has ${next.missing.slice(0, 5).join(" ")}. Replace these characters, or the images cannot be made.`
        : "",
    );
    placeBoxes();
  }

  function placeBoxes(): void {
    if (!preview || !isEditable) return;
    const { texts, options } = preview;
    const { width, height } = options.canvas;
    const boxes = [...host.querySelectorAll<HTMLElement>(".text-box")];
    for (const extra of boxes.slice(texts.length)) extra.remove();
    for (const [at, text] of texts.entries()) {
      const box = boxes[at] ?? buildBox(at);
      const words = selection.getSlide()?.text_elements[at]?.content.trim() ?? "";
      box.ariaLabel = `Text ${at + 1}: ${words || "empty"}`;
      box.classList.toggle("chosen", selection.textAt() === at);
      Object.assign(box.style, {
        left: `${(text.left / width) * 100}%`,
        top: `${(text.top / height) * 100}%`,
        width: `${(text.width / width) * 100}%`,
        height: `${(text.height / height) * 100}%`,
      });
      if (editing?.at === at) placeField(at);
    }
  }

  function buildBox(at: number): HTMLElement {
    const box = createElement("button", { type: "button", className: "text-box" });
    box.setAttribute("aria-describedby", "stage-help");
    box.addEventListener("focus", () => selection.choose(selection.slideAt(), at));
    box.addEventListener("pointerdown", (event) => startDrag(event, box, at));
    box.addEventListener("dblclick", () => edit(at));
    // Enter and Space click without a pointer.
    box.addEventListener("click", ({ detail }) => detail === 0 && edit(at));
    box.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const arrow = ARROWS[event.key];
      if (arrow) {
        event.preventDefault();
        move(at, arrow, event.shiftKey ? LARGE_STEP : STEP);
      } else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        removeText(at);
      }
    });
    host.append(box);
    return box;
  }

  function move(at: number, [x, y]: readonly [number, number], step: number): void {
    const text = selection.getSlide()?.text_elements[at];
    if (text) selection.changeText(at, { x: toPlace(text.x + x * step), y: toPlace(text.y + y * step) }, "move");
  }

  function startDrag(event: PointerEvent, box: HTMLElement, at: number): void {
    const text = selection.getSlide()?.text_elements[at];
    const layer = preview?.texts[at]?.layer;
    if (event.button !== 0 || !text || !layer || editing) return;
    const wasChosen = selection.textAt() === at && document.activeElement === box;
    box.focus({ preventScroll: true });
    box.setPointerCapture(event.pointerId);
    const size = host.getBoundingClientRect();
    const canvas = preview?.options.canvas ?? { width: 1, height: 1 };
    let place = { x: text.x, y: text.y };
    const drag = ({ clientX, clientY }: PointerEvent) => {
      const [dx, dy] = [clientX - event.clientX, clientY - event.clientY];
      if (!isDragging && Math.hypot(dx, dy) < CLICK_PX) return;
      isDragging = true;
      const x = toPlace(text.x + (dx / size.width) * 100);
      const y = toPlace(text.y + (dy / size.height) * 100);
      const isMiddle = Math.abs(x - 50) < SNAP;
      place = { x: isMiddle ? 50 : x, y };
      host.classList.toggle("middle", isMiddle);
      const [left, top] = [place.x - text.x, place.y - text.y];
      layer.style.transform = `translate(${(left * canvas.width) / 100}px, ${(top * canvas.height) / 100}px)`;
      box.style.translate = `${(left * size.width) / 100}px ${(top * size.height) / 100}px`;
    };
    const end = new AbortController();
    const { signal } = end;
    box.addEventListener("pointermove", drag, { signal });
    const drop = (isKept: boolean) => {
      end.abort();
      host.classList.remove("middle");
      box.style.translate = "";
      layer.style.transform = "";
      const wasDragged = isDragging;
      isDragging = false;
      if (wasDragged && isKept) selection.changeText(at, place);
      // A second tap on a chosen text edits it, since a finger has no double click.
      else if (!wasDragged && isKept && wasChosen && event.pointerType === "touch") edit(at);
    };
    box.addEventListener("pointerup", () => drop(true), { signal });
    box.addEventListener("pointercancel", () => drop(false), { signal });
  }

  function edit(at: number): void {
    const text = selection.getSlide()?.text_elements[at];
    if (!text || editing) return;
    const field = createElement("textarea", { className: "text-edit", value: text.content, maxLength: 2000 });
    field.ariaLabel = `Words of text ${at + 1}. Escape ends.`;
    editing = { at, field };
    host.append(field);
    host.dataset.editing = String(at);
    placeField(at);
    field.addEventListener("input", () => selection.changeText(at, { content: field.value }, "words"));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") finish(true);
    });
    field.addEventListener("blur", () => finish(false));
    field.focus();
    field.select();
  }

  function finish(isFocusKept: boolean): void {
    if (!editing) return;
    const { at, field } = editing;
    editing = null;
    field.remove();
    delete host.dataset.editing;
    for (const { layer } of preview?.texts ?? []) layer.hidden = false;
    if (isFocusKept) host.querySelectorAll<HTMLElement>(".text-box")[at]?.focus();
  }

  /** Over the text, in its font and size. */
  function placeField(at: number): void {
    const text = preview?.texts[at];
    const element = selection.getSlide()?.text_elements[at];
    if (!editing || !text || !element || !preview) return;
    text.layer.hidden = true;
    const { width, height } = preview.options.canvas;
    const scale = host.clientWidth / width;
    Object.assign(editing.field.style, {
      left: `${(text.left / width) * 100}%`,
      top: `${(text.top / height) * 100}%`,
      width: `${(text.width / width) * 100}%`,
      minHeight: `${(text.height / height) * 100}%`,
      fontFamily: text.families,
      fontSize: `${text.fontSize * scale}px`,
      lineHeight: `${text.lineHeight * scale}px`,
      textAlign: element.text_align ?? "center",
    });
  }

  function removeText(at: number): void {
    const slide = selection.getSlide();
    const text = slide?.text_elements[at];
    if (!slide || !text) return;
    const slideAt = selection.slideAt();
    const rest = slide.text_elements.filter((_, index) => index !== at);
    selection.choose(slideAt, null);
    selection.changeSlide((one) => ({ ...one, text_elements: rest.length > 0 ? rest : [{ ...EMPTY_TEXT }] }));
    const putBack = () => {
      selection.choose(slideAt, null);
      selection.changeSlide((one) => ({
        ...one,
        text_elements: rest.length > 0 ? one.text_elements.toSpliced(at, 0, text) : [text],
      }));
    };
    showToast("The text is gone.", { undo: putBack });
    host.querySelectorAll<HTMLElement>(".text-box")[Math.max(0, at - 1)]?.focus();
  }

  function addText(): void {
    const slide = selection.getSlide();
    if (!slide) return;
    const at = slide.text_elements.length;
    const added = { content: "", x: 50, y: 75 };
    selection.changeSlide((one) => ({ ...one, text_elements: [...one.text_elements, added] }));
    selection.choose(selection.slideAt(), at);
    void show().then(() => edit(at));
  }

  selection.listen(() => {
    if (editing && editing.at !== selection.textAt()) finish(false);
  });
  return { show, addText, removeText };
}
