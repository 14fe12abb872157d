// How a text looks: the style presets, and the colours of an element over them.
import type { TextElement } from "../schemas/slide.ts";

export interface Look {
  color: string;
  /** Drawn beneath the letters; half of it is covered by them. */
  outline: { color: string; width: number } | null;
  shadow: string | null;
  /** Behind every line. */
  box: { color: string; radius: number } | null;
  /** Of the font size. */
  lineHeight: number;
}

/** The shares are of the font size. */
const OUTLINE = 0.17;
const BOX_RADIUS = 0.22;
const LINE_HEIGHT = 1.28;
/** With this much, and the padding that goes with it, the boxes of two lines touch. */
const BOXED_LINE_HEIGHT = 1.42;

type Preset = (fontSize: number) => Pick<Look, "color" | "outline" | "shadow" | "box">;

const PLAIN = { outline: null, shadow: null, box: null };

const tiktok: Preset = (fontSize) => ({
  ...PLAIN,
  color: "#ffffff",
  outline: { color: "#000000", width: fontSize * OUTLINE },
});

const PRESETS: Record<string, Preset> = {
  tiktok,
  inverted: (fontSize) => ({ ...PLAIN, color: "#000000", box: { color: "#ffffff", radius: fontSize * BOX_RADIUS } }),
  shadow: (fontSize) => ({ ...PLAIN, color: "#ffffff", shadow: shadowOf(fontSize) }),
  white: () => ({ ...PLAIN, color: "#ffffff" }),
  black: () => ({ ...PLAIN, color: "#000000" }),
};

/** An unknown preset looks like tiktok. A background colour of the element's own takes the place of outline and shadow. */
export function lookOf(element: TextElement, usual: string, fontSize: number): Look {
  const name = element.style_preset ?? usual;
  const preset = Object.hasOwn(PRESETS, name) ? (PRESETS[name] ?? tiktok) : tiktok;
  const look = preset(fontSize);
  const radius = element.border_radius ?? fontSize * BOX_RADIUS;
  const box = element.background_color
    ? { color: element.background_color, radius }
    : look.box && { ...look.box, radius };
  return {
    color: element.text_color ?? look.color,
    outline: box ? null : look.outline,
    shadow: box ? null : look.shadow,
    box,
    lineHeight: box ? BOXED_LINE_HEIGHT : LINE_HEIGHT,
  };
}

/** One close to keep the edges, one wide to darken what lies behind. */
function shadowOf(fontSize: number): string {
  const [close, wide] = [fontSize * 0.06, fontSize * 0.3].map((pixels) => pixels.toFixed(2));
  return `0px ${close}px ${close}px rgba(0, 0, 0, 0.7), 0px ${close}px ${wide}px rgba(0, 0, 0, 0.75)`;
}
