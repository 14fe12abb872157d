// Every layout, filter, preset and ratio on one sheet, for a person to look at.
import { type Node, Renderer } from "@takumi-rs/core";
import type { DrawnSettings } from "../../lib/drawing/settings.ts";
import type { BareSlide, TextElement } from "../../lib/schemas/slide.ts";
import type { SCENERIES } from "./photos.ts";

export interface Shot {
  name: string;
  slide: BareSlide;
  settings: DrawnSettings;
}

export type Url = (photo: keyof typeof SCENERIES | "sticker") => string;

const TALL = { aspect_ratio: "9:16" };

function text(content: string, y: number, more: Partial<TextElement> = {}): TextElement {
  return { content, x: 50, y, width: 84, ...more };
}

function bare(more: Partial<BareSlide>): BareSlide {
  return { text_elements: [text("", 50)], image_url: null, ...more };
}

export function shots(url: Url): Shot[] {
  const filtered = (name: string, background_filters: BareSlide["background_filters"]): Shot => ({
    name,
    slide: bare({
      image_url: url("morning"),
      background_filters,
      text_elements: [text(name, 85, { font_size: 72 })],
    }),
    settings: {},
  });
  const collage = (grid_type: NonNullable<BareSlide["grid_type"]>): Shot => ({
    name: `collage ${grid_type}`,
    slide: bare({
      grid_images: [url("dusk"), url("morning"), url("desert"), url("night")],
      grid_type,
      text_elements: [text("Where would you\nwake up tomorrow?", 50, { style_preset: "inverted", font_size: 64 })],
    }),
    settings: {},
  });
  const preset = (style_preset: string, photo: keyof typeof SCENERIES): Shot => ({
    name: `preset ${style_preset}`,
    slide: bare({
      image_url: url(photo),
      text_elements: [
        text("5 tiny habits that made my mornings calm ☀️", 30, { style_preset, font_size: 92 }),
        text("number 3 took me ten years to learn 🙈", 72, { style_preset, font_size: 56 }),
      ],
    }),
    settings: TALL,
  });
  const ratio = (aspect_ratio: string): Shot => ({
    name: `ratio ${aspect_ratio}`,
    slide: bare({ image_url: url("dusk"), text_elements: [text("Golden hour, every hour", 50, { font_size: 72 })] }),
    settings: { aspect_ratio },
  });
  return [
    preset("tiktok", "dusk"),
    preset("inverted", "morning"),
    preset("shadow", "desert"),
    preset("white", "night"),
    preset("black", "morning"),
    ...overlaid(url),
    ...(["2x2", "1+2", "vertical", "horizontal"] as const).map(collage),
    filtered("no filter", {}),
    filtered("brightness 1.3", { brightness: 1.3 }),
    filtered("contrast 1.5", { contrast: 1.5 }),
    filtered("saturation 2", { saturation: 2 }),
    filtered("hue 120", { hue: 120 }),
    filtered("blur 16", { blur: 16 }),
    filtered("grayscale 1", { grayscale: 1 }),
    filtered("sepia 1", { sepia: 1 }),
    filtered("invert 1", { invert: 1 }),
    filtered("opacity 0.4", { opacity: 0.4 }),
    {
      name: "drop_shadow 20",
      slide: { ...bare({}), ...collage("2x2").slide, background_filters: { drop_shadow: 20 } },
      settings: {},
    },
    ...["4:5", "1:1", "16:9", "3:4", "9:16", "2:1"].map(ratio),
  ];
}

function overlaid(url: Url): Shot[] {
  const sticker = (x: number, y: number, rotation: number, opacity: number) => ({
    id: `${x}-${y}`,
    image_url: url("sticker"),
    x,
    y,
    width: 44,
    height: 24,
    rotation,
    opacity,
  });
  const scripts = [
    text("朝の習慣を変えた3つのこと", 18, { font_size: 76 }),
    text("매일 아침 물 한 잔 💧", 38, { style_preset: "inverted" }),
    text("早睡早起，身体好 🌱", 52, { style_preset: "shadow", font_size: 64 }),
    text("Доброго ранку · Καλημέρα · Chào buổi sáng", 68, { font_size: 52 }),
    text("👩🏽‍💻 🇯🇵 👨‍👩‍👧 1️⃣ ❤️‍🔥", 84, { font_size: 90 }),
  ];
  return [
    {
      name: "overlays",
      slide: bare({
        image_url: url("night"),
        image_overlays: [sticker(30, 34, -14, 1), sticker(66, 52, 9, 0.85), sticker(36, 72, 4, 0.5)],
        text_elements: [text("last summer, in three polaroids", 12, { style_preset: "shadow", font_size: 84 })],
      }),
      settings: TALL,
    },
    { name: "emoji and scripts", slide: bare({ image_url: url("night"), text_elements: scripts }), settings: TALL },
    {
      name: "own colours",
      slide: bare({
        text_elements: [
          text("Nothing but words", 38, { style_preset: "white", font_size: 110 }),
          text("in colours of your own", 58, {
            text_color: "#1b1b1f",
            background_color: "#ffd166",
            border_radius: 28,
            font_size: 60,
          }),
        ],
      }),
      settings: TALL,
    },
  ];
}

const THUMB = { width: 250, height: 445 };
const COLUMNS = 8;
const CAPTION = 34;

/** PNG. */
export async function contactSheet(
  pictures: { name: string; bytes: Uint8Array }[],
  font: Uint8Array,
): Promise<Uint8Array> {
  const rows = Math.ceil(pictures.length / COLUMNS);
  const size = { width: COLUMNS * (THUMB.width + 16) + 16, height: rows * (THUMB.height + CAPTION + 16) + 16 };
  const cells = pictures.map(({ name, bytes }) => ({
    type: "container",
    style: { display: "flex", flexDirection: "column", width: THUMB.width, height: THUMB.height + CAPTION },
    children: [
      { type: "image", src: bytes, style: { ...THUMB, objectFit: "contain", objectPosition: "bottom" } },
      { type: "text", text: name, style: { height: CAPTION, fontSize: 20, color: "#44444c", textAlign: "center" } },
    ],
  }));
  const root = {
    type: "container",
    style: { ...size, display: "flex", flexWrap: "wrap", gap: 16, padding: 16, backgroundColor: "#f2f2f4" },
    children: cells,
  };
  const fonts = [{ name: "Inter", data: font, weight: 700 }];
  return new Renderer().render(root as Node, { ...size, format: "png", fonts });
}
