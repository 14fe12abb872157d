// Resolves the style of a text: a preset, overridden by the colours of the element.
import type { TextElement } from "../schemas/slide.ts";

export interface TextStyle {
  color: string;
  /** Rendered beneath the letters, which cover half of its width. */
  outline: { color: string; width: number } | null;
  shadow: string | null;
  /** Background of every line. */
  box: { color: string; radius: number } | null;
  /** As a multiple of the font size. */
  lineHeight: number;
}

/** As multiples of the font size. */
const OUTLINE_WIDTH = 0.17;
const BOX_RADIUS = 0.22;
const LINE_HEIGHT = 1.28;
/** Leaves room between the letters and the edges of their box. */
const BOXED_LINE_HEIGHT = 1.42;

type StylePreset = (fontSize: number) => Pick<TextStyle, "color" | "outline" | "shadow" | "box">;

const PLAIN = { outline: null, shadow: null, box: null };

const tiktok: StylePreset = (fontSize) => ({
  ...PLAIN,
  color: "#ffffff",
  outline: { color: "#000000", width: fontSize * OUTLINE_WIDTH },
});

const PRESETS: Record<string, StylePreset> = {
  tiktok,
  inverted: (fontSize) => ({ ...PLAIN, color: "#000000", box: { color: "#ffffff", radius: fontSize * BOX_RADIUS } }),
  shadow: (fontSize) => ({ ...PLAIN, color: "#ffffff", shadow: buildShadow(fontSize) }),
  white: () => ({ ...PLAIN, color: "#ffffff" }),
  black: () => ({ ...PLAIN, color: "#000000" }),
};

/** An unknown preset falls back to tiktok. A background colour of the element replaces outline and shadow. */
export function resolveTextStyle(element: TextElement, defaultPreset: string, fontSize: number): TextStyle {
  const name = element.style_preset ?? defaultPreset;
  const preset = Object.hasOwn(PRESETS, name) ? (PRESETS[name] ?? tiktok) : tiktok;
  const style = preset(fontSize);
  const radius = element.border_radius ?? fontSize * BOX_RADIUS;
  const box = element.background_color
    ? { color: element.background_color, radius }
    : style.box && { ...style.box, radius };
  return {
    color: element.text_color ?? style.color,
    outline: box ? null : style.outline,
    shadow: box ? null : style.shadow,
    box,
    lineHeight: element.line_height ?? (box ? BOXED_LINE_HEIGHT : LINE_HEIGHT),
  };
}

/** A narrow shadow for sharp edges, and a wide one to darken the background. */
function buildShadow(fontSize: number): string {
  const [close, wide] = [fontSize * 0.06, fontSize * 0.3].map((pixels) => pixels.toFixed(2));
  return `0px ${close}px ${close}px rgba(0, 0, 0, 0.7), 0px ${close}px ${wide}px rgba(0, 0, 0, 0.75)`;
}
