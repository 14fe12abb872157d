// Slides as they are stored: what was sent without what only answers say, and texts laid out on them.
import type { BareSlide, Slide } from "../schemas/slide.ts";
import type { SlideWords } from "../writing/slideshow.ts";

export function bareSlides(slides: Slide[]): BareSlide[] {
  return slides.map(({ rendered_image_url: _, index: __, ...slide }) => slide);
}

type TextElements = BareSlide["text_elements"];

/** Where texts stand that nobody has placed yet. Their sizes and widths are the settings' to say. */
export function laidOut({ heading, body }: SlideWords): TextElements {
  const at = (id: string, content: string, y: number) => ({ id, content, x: 50, y });
  return body === "" ? [at("heading", heading, 50)] : [at("heading", heading, 30), at("body", body, 58)];
}

/** A slide holds at least one text. */
export const EMPTY_TEXT = { content: "", x: 50, y: 50 };

/** New words as the old ones looked and where they stood, or laid out anew where there are more texts than before. */
export function reworded(slide: BareSlide, words: SlideWords): BareSlide {
  const fresh = laidOut(words);
  const kept = slide.text_elements;
  const text_elements = fresh.map((text, at) => {
    const place = fresh.length > kept.length ? { x: text.x, y: text.y } : {};
    return { ...text, ...kept[at], content: text.content, ...place };
  });
  return { ...slide, text_elements };
}
