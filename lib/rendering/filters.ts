// Converts the filters of a background to CSS, in a fixed order.
import type { BackgroundFilters } from "../schemas/slide.ts";

/** Values outside of these ranges are rendered as the nearest of them. */
const RANGES: { [filter in keyof Required<BackgroundFilters>]: readonly [least: number, most: number] } = {
  brightness: [0, 10],
  contrast: [0, 10],
  saturation: [0, 10],
  hue: [-360, 360],
  blur: [0, 100],
  grayscale: [0, 1],
  sepia: [0, 1],
  invert: [0, 1],
  drop_shadow: [0, 100],
  opacity: [0, 1],
};

/** Moves each value into its range. */
export function clampFilters(filters: BackgroundFilters): BackgroundFilters {
  const clamped = Object.entries(filters).map(([name, amount]) => {
    const [least, most] = RANGES[name as keyof BackgroundFilters];
    return [name, amount === undefined ? amount : Math.min(most, Math.max(least, amount))];
  });
  return Object.fromEntries(clamped);
}

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
