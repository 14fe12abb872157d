// Stored slides, and the replacement of their texts.
import type { SlideLayout } from "../rendering/slide-layout.ts";
import type { BareSlide, Slide } from "../schemas/slide.ts";

/** Omits the index and the URL of the rendered image. */
export function toBareSlides(slides: Slide[]): BareSlide[] {
  return slides.map(({ rendered_image_url: _, index: __, ...slide }) => slide);
}

/** A slide holds at least one text. */
export const EMPTY_TEXT = { content: "", x: 50, y: 50 };

/** Replaces the texts but keeps their style; places and sizes are those of the layout where it laid out the old texts too. */
export function replaceTexts(slide: BareSlide, layout: SlideLayout, previousLayout: SlideLayout): BareSlide {
  const existing = slide.text_elements;
  const laidOut =
    previousLayout.length === existing.length && previousLayout.every((text, at) => isAt(existing[at], text));
  const text_elements = layout.map((text, at) => {
    const { content, x, y, width, font_size } = text;
    const place = laidOut || layout.length > existing.length ? { x, y, width, font_size } : {};
    return { ...text, ...existing[at], content, ...place };
  });
  return { ...slide, text_elements };
}

function isAt(
  element: BareSlide["text_elements"][number] | undefined,
  { x, y, width, font_size }: SlideLayout[number],
) {
  return element?.x === x && element.y === y && element.width === width && element.font_size === font_size;
}

/** The texts of a slide as heading and body. */
export function readTexts({ text_elements }: BareSlide): { heading: string; body: string } {
  const [heading = "", body = ""] = text_elements.map(({ content }) => content);
  return { heading, body };
}
