// Renders texts on a plain grey slide.
import type { TextElement } from "../../lib/schemas/slide.ts";
import { FONTS } from "./fonts.ts";
import { buildPlainImage } from "./test-images.ts";
import { buildSlide, buildText, createTestRenderer, getImageUrl, type PixelArea } from "./test-renderer.ts";

export const { render, renderFailing } = createTestRenderer(FONTS);
export const GREY = [128, 128, 128] as const;
export const SETTINGS = { aspect_ratio: "1:1" };

export function renderTexts(...elements: TextElement[]) {
  return render(buildSlide({ image_url: getImageUrl("grey"), text_elements: elements }), SETTINGS, {
    grey: buildPlainImage(GREY),
  });
}

export const renderText = (content: string, more: Partial<TextElement> = {}) =>
  renderTexts(buildText(content, { font_size: 90, ...more }));

const CELLS_PER_ROW = 5;
/** A fifth of the slide, and a multiple of the blocks of a JPEG: equal texts have equal pixels. */
export const CELL = 216;

/** Renders short texts side by side on one slide, which takes as long as one of them. Returns the part of each. */
export async function renderCells(contents: string[], more: Partial<TextElement> = {}): Promise<PixelArea[]> {
  const cells = contents.map((content, at) => {
    return { content, left: (at % CELLS_PER_ROW) * CELL, top: Math.floor(at / CELLS_PER_ROW) * CELL };
  });
  const toPercent = (from: number) => ((from + CELL / 2) * 100) / (CELLS_PER_ROW * CELL);
  const texts = cells.map(({ content, left, top }) =>
    buildText(content, { font_size: 90, ...more, x: toPercent(left), y: toPercent(top) }),
  );
  const image = await renderTexts(...texts);
  return cells.map(({ left, top }) => image.crop(left, top, CELL, CELL));
}
