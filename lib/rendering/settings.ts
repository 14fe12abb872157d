// Resolves the settings of a slideshow that affect rendering, with defaults for absent and unknown ones.

/** The part of a slideshow's settings that affects rendering. */
export interface RenderSettings {
  aspect_ratio?: string | null | undefined;
  advanced_settings?:
    | {
        font_size?: number | string | null | undefined;
        text_preset?: string | null | undefined;
        text_width?: string | null | undefined;
      }
    | null
    | undefined;
}

export interface Size {
  width: number;
  height: number;
}

export interface RenderOptions {
  canvas: Size;
  /** Pixels; the first text of a slide is its title. */
  fontSizes: { title: number; body: number };
  /** Style preset of a text without its own. */
  preset: string;
  /** Width of a text without its own, in percent of the slide. */
  textWidth: number;
}

const SLIDE_WIDTH = 1080;
const DEFAULT_RATIO = { width: 4, height: 5 };
const FONT_SIZES = { default: { title: 48, body: 40 }, small: { title: 40, body: 33 } };
const TEXT_WIDTHS: Record<string, number> = { narrow: 60, default: 80, wide: 92 };

export function resolveRenderOptions(settings: RenderSettings): RenderOptions {
  const { font_size, text_preset, text_width } = settings.advanced_settings ?? {};
  return {
    canvas: getCanvasSize(settings.aspect_ratio ?? ""),
    fontSizes: getFontSizes(font_size),
    preset: text_preset ?? "tiktok",
    textWidth: TEXT_WIDTHS[text_width ?? "default"] ?? 80,
  };
}

function getCanvasSize(ratio: string): Size {
  const [, across, down] = /^(\d{1,3}):(\d{1,3})$/.exec(ratio) ?? [];
  const { width, height } = across && down ? { width: Number(across), height: Number(down) } : DEFAULT_RATIO;
  return { width: SLIDE_WIDTH, height: Math.round((SLIDE_WIDTH * height) / width) };
}

function getFontSizes(size: number | string | null | undefined): RenderOptions["fontSizes"] {
  if (typeof size === "number") return { title: size, body: size };
  return size === "small" ? FONT_SIZES.small : FONT_SIZES.default;
}
