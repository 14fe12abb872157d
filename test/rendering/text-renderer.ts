// Renders texts on a plain grey slide.
import type { TextElement } from "../../lib/schemas/slide.ts";
import { FONTS } from "./fonts.ts";
import { buildPlainImage } from "./test-images.ts";
import { buildSlide, buildText, createTestRenderer, getImageUrl } from "./test-renderer.ts";

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
