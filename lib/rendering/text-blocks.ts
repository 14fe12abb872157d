// The texts of a slide as blocks: their styles, sizes and places, before they are broken into lines.
import type { BareSlide, TextElement } from "../schemas/slide.ts";
import { at } from "../shared/at.ts";
import type { FontSelection } from "./font-selection.ts";
import type { RenderOptions } from "./settings.ts";
import { resolveTextStyle, type TextStyle } from "./text-style.ts";

export interface TextBlock {
  paragraphs: string[];
  fontSize: number;
  style: TextStyle;
  align: NonNullable<TextElement["text_align"]>;
  /** Pixels: the width that lines have to fit, and the centre of the block. */
  width: number;
  x: number;
  y: number;
  /** Korean lines break only at the spaces between words. */
  keepWords: boolean;
}

const MAX_PERCENT = 100_000;

/** Clamped: anything further away is invisible anyway. */
export function percentOf(percent: number, of: number): number {
  return (of * Math.max(-MAX_PERCENT, Math.min(MAX_PERCENT, percent))) / 100;
}

export function buildTextBlocks(
  { text_elements }: Pick<BareSlide, "text_elements">,
  { canvas, fontSizes, preset, textWidth }: RenderOptions,
  { texts, language }: Pick<FontSelection, "texts" | "language">,
): TextBlock[] {
  return text_elements.flatMap((element, index) => {
    const text = at(texts, index);
    if (text === "") return [];
    const fontSize = element.font_size ?? (index === 0 ? fontSizes.title : fontSizes.body);
    return {
      paragraphs: text.split("\n").map((line) => line.trim()),
      fontSize,
      style: resolveTextStyle(element, preset, fontSize),
      align: element.text_align ?? "center",
      width: percentOf(element.width ?? textWidth, canvas.width),
      x: percentOf(element.x, canvas.width),
      y: percentOf(element.y, canvas.height),
      keepWords: language === "ko",
    };
  });
}
