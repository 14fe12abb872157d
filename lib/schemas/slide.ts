// One slide: its content, and the numbers for rendering it.
import * as z from "zod";
import { cleanText } from "../shared/post-text.ts";
import { WebUrl, WebUrlOrNull } from "./common.ts";

const STYLE_PRESETS = ["tiktok", "inverted", "shadow", "white", "black"] as const;
const TEXT_ALIGNMENTS = ["left", "center", "right"] as const;
const GRID_TYPES = ["2x2", "1+2", "vertical", "horizontal"] as const;

/** Percent of the slide; values outside 0..100 are beyond the edge. */
const Percent = z.number();
/** A CSS colour: hex, rgb(), hsl() or a name. */
const Colour = z
  .string()
  .max(64)
  .regex(
    /^(#[0-9a-f]{3,8}|[a-z]+|(rgb|hsl)a?\([\d\s.,%/]+\))$/i,
    "Must be a CSS colour such as #ff0000 or rgb(255 0 0).",
  );

export const TextElement = z.strictObject({
  id: z.string().max(64).optional(),
  content: z.string().overwrite(cleanText).max(2000),
  x: Percent,
  y: Percent,
  width: Percent.positive().optional(),
  height: Percent.positive().optional(),
  font_size: z.number().min(8).max(200).optional(),
  editable: z.boolean().optional(),
  style_preset: z.enum(STYLE_PRESETS).optional(),
  font_family: z.string().min(1).max(64).optional(),
  background_color: Colour.optional(),
  text_color: Colour.optional(),
  border_radius: z.number().min(0).max(540).optional(),
  text_align: z.enum(TEXT_ALIGNMENTS).optional(),
  line_height: z.number().min(0.8).max(3).optional(),
});

/** CSS filter amounts: 1 is neutral for brightness, contrast, saturation and opacity, 0 for the rest. Clamped when drawn. */
export const BackgroundFilters = z.strictObject({
  brightness: z.number().optional(),
  contrast: z.number().optional(),
  saturation: z.number().optional(),
  hue: z.number().optional(),
  blur: z.number().optional(),
  grayscale: z.number().optional(),
  sepia: z.number().optional(),
  invert: z.number().optional(),
  drop_shadow: z.number().optional(),
  opacity: z.number().optional(),
});

export const ImageOverlay = z.strictObject({
  id: z.string().min(1).max(64),
  image_url: WebUrl,
  x: Percent,
  y: Percent,
  width: Percent.positive(),
  height: Percent.positive(),
  rotation: z.number().min(-360).max(360),
  opacity: z.number().min(0).max(1),
});

export const Slide = z
  .strictObject({
    text_elements: z.array(TextElement).min(1).max(20),
    image_url: WebUrlOrNull,
    grid_images: z.array(WebUrl).max(4).nullish(),
    grid_type: z.enum(GRID_TYPES).nullish(),
    background_filters: BackgroundFilters.optional(),
    image_overlays: z.array(ImageOverlay).max(20).optional(),
    /** Response fields; accepted so that clients can send back what they read. */
    rendered_image_url: z.string().max(2_048).nullish(),
    index: z.number().optional(),
  })
  .meta({ id: "Slide" });

export type TextElement = z.output<typeof TextElement>;
export type BackgroundFilters = z.output<typeof BackgroundFilters>;
export type ImageOverlay = z.output<typeof ImageOverlay>;
export type Slide = z.output<typeof Slide>;
/** A slide as stored. */
export type BareSlide = Omit<Slide, "rendered_image_url" | "index">;

/** `<width>:<height>`, whole numbers of 1..100, between 1:4 and 4:1. */
export const AspectRatio = z
  .string()
  .regex(/^([1-9]\d?|100):([1-9]\d?|100)$/, "Must be <width>:<height>, whole numbers from 1 to 100, such as 4:5.")
  .refine((ratio) => {
    const [width = 1, height = 1] = ratio.split(":").map(Number);
    return width * 4 >= height && height * 4 >= width;
  }, "Must be between 1:4 and 4:1.");

export const SlideRewrite = z
  .strictObject({ instruction: z.string().trim().min(1).max(500).optional() })
  .meta({ id: "SlideRewrite" });
