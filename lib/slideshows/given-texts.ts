// The texts of a generated slideshow that its owner wrote.
import type { SlideLayout } from "../rendering/slide-layout.ts";
import type { BareSlide } from "../schemas/slide.ts";
import type { SlideConfig } from "../schemas/slide-config.ts";
import type { TextCapacity } from "./text-capacity.ts";

type GivenTexts = Pick<SlideConfig, "slide_texts" | "slide_text_elements">;

/** Enough for a model to see what a slide is about. */
const MAX_EXCERPT = 300;

/** The beginning of the text of each slide that has one, by index. */
export function listGivenTexts({ slide_texts, slide_text_elements }: GivenTexts): Record<string, string> {
  const placed = Object.entries(slide_text_elements).map(([index, elements]) => [
    index,
    elements.map(({ content }) => content).join("\n"),
  ]);
  const texts: Record<string, string> = { ...slide_texts, ...Object.fromEntries(placed) };
  return Object.fromEntries(Object.entries(texts).map(([index, text]) => [index, text.slice(0, MAX_EXCERPT)]));
}

/** A text alone on its slide has the size of a heading, unless it is longer than two of them. */
export function toSlideTexts(text: string, capacity: TextCapacity): { heading: string; body: string } {
  return text.length <= 2 * capacity.heading_characters ? { heading: text, body: "" } : { heading: "", body: text };
}

/** A given text stands as it was written: one that no size fits is placed in the middle of the slide. */
export function placeGivenText(text: string, layout: SlideLayout): BareSlide["text_elements"] {
  return layout.length === 1 && layout[0]?.content === text ? layout : [{ content: text, x: 50, y: 50 }];
}
