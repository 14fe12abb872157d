// The slides in their order: one is chosen, and moved by dragging, by Alt with an arrow key, or by buttons.
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import type { BareSlide } from "../../../../lib/schemas/slide.ts";
import { createElement } from "../shared/element.ts";
import { previewSlide } from "./preview.ts";
import type { Selection } from "./selection.ts";
import type { Store } from "./store.ts";

interface StripOptions {
  list: HTMLElement;
  store: Store;
  selection: Selection;
  isEditable: boolean;
  announce(text: string): void;
}

export function createStrip({ list, store, selection, isEditable, announce }: StripOptions) {
  let shown: { slide: BareSlide; settings: unknown }[] = [];
  list.replaceChildren();

  function show(): void {
    const { slides, settings } = store.get();
    const items = [...list.children] as HTMLElement[];
    for (const extra of items.slice(slides.length)) extra.remove();
    for (const [at, slide] of slides.entries()) {
      const item = items[at] ?? buildItem(at);
      const button = item.querySelector("button");
      const words = slide.text_elements.map(({ content }) => content).join(" ");
      if (button) {
        button.ariaLabel = `Slide ${at + 1} of ${slides.length}: ${words.trim().slice(0, 80) || "no words"}`;
        button.ariaCurrent = selection.slideAt() === at ? "true" : null;
      }
      const host = item.querySelector<HTMLElement>(".slide");
      const before = shown[at];
      if (host && (before?.slide !== slide || before.settings !== settings))
        previewSlide(host, slide, settings).catch(() => undefined);
    }
    shown = slides.map((slide) => ({ slide, settings }));
  }

  function buildItem(at: number): HTMLElement {
    const preview = createElement("span", { className: "slide", ariaHidden: "true" });
    // Beside the preview, not around it: its name is a sentence, not the lines of the slide.
    const button = createElement("button", { type: "button" });
    const number = createElement("span", { className: "number", ariaHidden: "true" }, String(at + 1));
    const item = createElement("li", {}, preview, number, button);
    button.addEventListener("click", () => selection.choose(at, null));
    list.append(item);
    if (!isEditable) return item;
    button.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!by || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (event.altKey) move(at, at + by);
      else focus(at + by);
    });
    draggable({ element: item, getInitialData: () => ({ at }) });
    dropTargetForElements({
      element: item,
      onDragEnter: () => item.classList.add("over"),
      onDragLeave: () => item.classList.remove("over"),
      onDrop: ({ source }) => {
        item.classList.remove("over");
        move(Number(source.data.at), at);
      },
    });
    return item;
  }

  function focus(at: number): void {
    list.querySelectorAll<HTMLElement>("button")[at]?.focus();
  }

  /** The moved slide stays chosen. */
  function move(from: number, to: number): void {
    const slides = [...store.get().slides];
    const [slide] = slides.splice(from, 1);
    if (!slide || to < 0 || to > slides.length) return;
    slides.splice(to, 0, slide);
    store.change({ slides });
    selection.choose(to, null);
    if (list.contains(document.activeElement)) focus(to);
    announce(`The slide is number ${to + 1} now.`);
  }

  return { show, move, focus };
}
