// What of a slideshow's settings a picture depends on, with what stands in for a setting that is absent or unknown.

/** Structurally a part of a slideshow's settings; whatever else they hold is not drawn. */
export interface DrawnSettings {
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

export interface Drawing {
  canvas: Size;
  /** Pixels; the first text of a slide is its title. */
  fontSizes: { title: number; body: number };
  /** The look of a text that names none. */
  preset: string;
  /** Percent of the slide that a text may take when it names no width. */
  textWidth: number;
}

const SLIDE_WIDTH = 1080;
const DEFAULT_RATIO = { width: 4, height: 5 };
const FONT_SIZES = { default: { title: 48, body: 40 }, small: { title: 40, body: 33 } };
const TEXT_WIDTHS: Record<string, number> = { narrow: 60, default: 80, wide: 92 };

export function drawingOf(settings: DrawnSettings): Drawing {
  const { font_size, text_preset, text_width } = settings.advanced_settings ?? {};
  return {
    canvas: canvasOf(settings.aspect_ratio ?? ""),
    fontSizes: fontSizesOf(font_size),
    preset: text_preset ?? "tiktok",
    textWidth: TEXT_WIDTHS[text_width ?? "default"] ?? 80,
  };
}

function canvasOf(ratio: string): Size {
  const [, across, down] = /^(\d{1,3}):(\d{1,3})$/.exec(ratio) ?? [];
  const { width, height } = across && down ? { width: Number(across), height: Number(down) } : DEFAULT_RATIO;
  return { width: SLIDE_WIDTH, height: Math.round((SLIDE_WIDTH * height) / width) };
}

function fontSizesOf(size: number | string | null | undefined): Drawing["fontSizes"] {
  if (typeof size === "number") return { title: size, body: size };
  return size === "small" ? FONT_SIZES.small : FONT_SIZES.default;
}
