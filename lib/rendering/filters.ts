// Converts the filters of a background to CSS, in a fixed order.
import type { BackgroundFilters } from "../schemas/slide.ts";

/** All filters except blur, which the scene applies with backdrop-filter. */
export type LayerFilters = Omit<BackgroundFilters, "blur">;

const CSS_FUNCTIONS: {
  [filter in keyof Required<LayerFilters>]: { neutral: number; css: (amount: number) => string };
} = {
  brightness: { neutral: 1, css: (amount) => `brightness(${amount})` },
  contrast: { neutral: 1, css: (amount) => `contrast(${amount})` },
  saturation: { neutral: 1, css: (amount) => `saturate(${amount})` },
  hue: { neutral: 0, css: (degrees) => `hue-rotate(${degrees}deg)` },
  grayscale: { neutral: 0, css: (amount) => `grayscale(${amount})` },
  sepia: { neutral: 0, css: (amount) => `sepia(${amount})` },
  invert: { neutral: 0, css: (amount) => `invert(${amount})` },
  drop_shadow: { neutral: 0, css: (pixels) => `drop-shadow(0px 0px ${pixels}px rgba(0, 0, 0, 0.75))` },
  opacity: { neutral: 1, css: (amount) => `opacity(${amount})` },
};

/** Null when every filter is neutral. */
export function toCssFilter(filters: LayerFilters): string | null {
  const functions = Object.entries(CSS_FUNCTIONS).flatMap(([name, { neutral, css }]) => {
    const amount = filters[name as keyof LayerFilters] ?? neutral;
    return amount === neutral ? [] : [css(amount)];
  });
  return functions.length > 0 ? functions.join(" ") : null;
}
