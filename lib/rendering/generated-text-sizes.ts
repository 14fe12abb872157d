// Sizes of the texts of generated slides.
import type { RenderSettings } from "./settings.ts";

export interface TextSizes {
  heading: number;
  body: number;
}

/** Pixels on a slide 1080 wide: about 30 and 20 points on a phone that is 390 points wide. */
const SIZES: Record<string, TextSizes> = { default: { heading: 84, body: 54 }, small: { heading: 64, body: 42 } };

/** Texts do not shrink below this, unless a smaller size is requested. */
export const MIN_FONT_SIZE = 32;

export function getGeneratedTextSizes({ advanced_settings }: RenderSettings): TextSizes {
  const size = advanced_settings?.font_size;
  if (typeof size === "number") return { heading: size, body: size };
  return SIZES[size ?? "default"] ?? { heading: 84, body: 54 };
}
