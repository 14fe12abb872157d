// The chosen slide and text, and the changes that apply to them.
import type { BareSlide, TextElement } from "../../../../lib/schemas/slide.ts";
import type { Store } from "./store.ts";

/** A slide holds at least one text. */
export const EMPTY_TEXT = { content: "", x: 50, y: 50 };

export type Selection = ReturnType<typeof createSelection>;

export function createSelection(store: Store) {
  let slideAt = 0;
  let textAt: number | null = null;
  const listeners = new Set<() => void>();
  const getSlide = (): BareSlide | undefined => store.get().slides[slideAt];

  /** After an undo the chosen slide or text may be gone. */
  function clamp(): void {
    slideAt = Math.max(0, Math.min(slideAt, store.get().slides.length - 1));
    if (textAt !== null && !getSlide()?.text_elements[textAt]) textAt = null;
  }

  function choose(slide: number, text: number | null): void {
    if (slide === slideAt && text === textAt) return;
    [slideAt, textAt] = [slide, text];
    clamp();
    for (const listener of listeners) listener();
  }

  function changeSlide(change: (slide: BareSlide) => BareSlide, kind = ""): void {
    const slides = store.get().slides.map((slide, at) => (at === slideAt ? change(slide) : slide));
    store.change({ slides }, kind && `${kind} ${slideAt}`);
  }

  return {
    clamp,
    choose,
    changeSlide,
    getSlide,
    getText: (): TextElement | undefined => (textAt === null ? undefined : getSlide()?.text_elements[textAt]),
    slideAt: () => slideAt,
    textAt: () => textAt,
    listen: (listener: () => void) => void listeners.add(listener),

    /** An undefined field is left out: the slideshow's own value applies then. */
    changeText(at: number, fields: { [Name in keyof TextElement]?: TextElement[Name] | undefined }, kind = ""): void {
      const change = (slide: BareSlide) => ({
        ...slide,
        text_elements: slide.text_elements.map((text, index) => {
          if (index !== at) return text;
          const entries = Object.entries({ ...text, ...fields }).filter(([, value]) => value !== undefined);
          return Object.fromEntries(entries) as TextElement;
        }),
      });
      changeSlide(change, kind && `${kind} ${at}`);
    },
  };
}
