// A contact sheet of every layout, filter, preset and aspect ratio, for visual inspection.
import { type Node, Renderer } from "@takumi-rs/core";
import type { RenderSettings } from "../../lib/rendering/settings.ts";
import type { BareSlide, TextElement } from "../../lib/schemas/slide.ts";
import type { SCENERIES } from "./photos.ts";

type StylePreset = NonNullable<TextElement["style_preset"]>;

export interface GallerySlide {
  name: string;
  slide: BareSlide;
  settings: RenderSettings;
}

export type Url = (photo: keyof typeof SCENERIES | "sticker") => string;

const TALL = { aspect_ratio: "9:16" };

function createText(content: string, y: number, more: Partial<TextElement> = {}): TextElement {
  return { content, x: 50, y, width: 84, ...more };
}

function createSlide(more: Partial<BareSlide>): BareSlide {
  return { text_elements: [createText("", 50)], image_url: null, ...more };
}

export function buildGallerySlides(url: Url): GallerySlide[] {
  const filtered = (name: string, background_filters: BareSlide["background_filters"]): GallerySlide => ({
    name,
    slide: createSlide({
      image_url: url("morning"),
      background_filters,
      text_elements: [createText(name, 85, { font_size: 72 })],
    }),
    settings: {},
  });
  const collage = (grid_type: NonNullable<BareSlide["grid_type"]>): GallerySlide => ({
    name: `collage ${grid_type}`,
    slide: createSlide({
      grid_images: [url("dusk"), url("morning"), url("desert"), url("night")],
      grid_type,
      text_elements: [
        createText("Where would you\nwake up tomorrow?", 50, { style_preset: "inverted", font_size: 64 }),
      ],
    }),
    settings: {},
  });
  const preset = (style_preset: StylePreset, photo: keyof typeof SCENERIES): GallerySlide => ({
    name: `preset ${style_preset}`,
    slide: createSlide({
      image_url: url(photo),
      text_elements: [
        createText("5 tiny habits that made my mornings calm ☀️", 30, { style_preset, font_size: 92 }),
        createText("number 3 took me ten years to learn 🙈", 72, { style_preset, font_size: 56 }),
      ],
    }),
    settings: TALL,
  });
  const ratio = (aspect_ratio: string): GallerySlide => ({
    name: `ratio ${aspect_ratio}`,
    slide: createSlide({
      image_url: url("dusk"),
      text_elements: [createText("Golden hour, every hour", 50, { font_size: 72 })],
    }),
    settings: { aspect_ratio },
  });
  return [
    preset("tiktok", "dusk"),
    preset("inverted", "morning"),
    preset("shadow", "desert"),
    preset("white", "night"),
    preset("black", "morning"),
    ...buildOverlaySlides(url),
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
      slide: { ...createSlide({}), ...collage("2x2").slide, background_filters: { drop_shadow: 20 } },
      settings: {},
    },
    ...["4:5", "1:1", "16:9", "3:4", "9:16", "2:1"].map(ratio),
    ...buildTextSlides(url),
  ];
}

function buildOverlaySlides(url: Url): GallerySlide[] {
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
    createText("朝の習慣を変えた3つのこと", 18, { font_size: 76 }),
    createText("매일 아침 물 한 잔 💧", 38, { style_preset: "inverted" }),
    createText("早睡早起，身体好 🌱", 52, { style_preset: "shadow", font_size: 64 }),
    createText("Доброго ранку · Καλημέρα · Chào buổi sáng", 68, { font_size: 52 }),
    createText("👩🏽‍💻 🇯🇵 👨‍👩‍👧 1️⃣ ❤️‍🔥", 84, { font_size: 90 }),
  ];
  return [
    {
      name: "overlays",
      slide: createSlide({
        image_url: url("night"),
        image_overlays: [sticker(30, 34, -14, 1), sticker(66, 52, 9, 0.85), sticker(36, 72, 4, 0.5)],
        text_elements: [createText("last summer, in three polaroids", 12, { style_preset: "shadow", font_size: 84 })],
      }),
      settings: TALL,
    },
    {
      name: "emoji and scripts",
      slide: createSlide({ image_url: url("night"), text_elements: scripts }),
      settings: TALL,
    },
    {
      name: "custom colors",
      slide: createSlide({
        text_elements: [
          createText("Nothing but words", 38, { style_preset: "white", font_size: 110 }),
          createText("in colours of your own", 58, {
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

const SENTENCES: Record<string, string> = {
  Arabic: "عادات صغيرة تجعل كل صباح أكثر هدوءا، هل جربتها؟",
  Hebrew: "הרגלים קטנים שהופכים כל בוקר לרגוע יותר (באמת!)",
  Hindi: "छोटी आदतें जो हर सुबह को शांत और बेहतर बनाती हैं।",
  Bengali: "ছোট অভ্যাস যা প্রতিটি সকালকে আরও প্রিয় করে তোলে।",
  Tamil: "ஒவ்வொரு காலையையும் அமைதியாக்கும் சிறிய பழக்கங்கள்",
  Thai: "นิสัยเล็กๆที่ทำให้ทุกเช้าสงบและดีขึ้นกว่าเดิม",
  Georgian: "პატარა ჩვევები, რომლებიც დილას უფრო მშვიდს ხდის",
  Armenian: "Փոքր սովորություններ, որոնք առավոտն ավելի հանգիստ են դարձնում",
  Amharic: "ጠዋትን የተረጋጋ የሚያደርጉ ትናንሽ ልማዶች፣ ሞክረዋል?",
  "traditional Chinese": "讓每個早晨都更平靜的小習慣，你試過了嗎？",
};

/** Scripts, alignment, line spacing, hard breaks, plain backgrounds, rotation and symbols. */
function buildTextSlides(url: Url): GallerySlide[] {
  const withText = (name: string, texts: TextElement[], photo?: keyof typeof SCENERIES): GallerySlide => ({
    name,
    slide: createSlide({ image_url: photo ? url(photo) : null, text_elements: texts }),
    settings: {},
  });
  const long = "Three things that I stopped doing, and what happened after a month";
  const sized = (content: string, y: number, more: Partial<TextElement> = {}) =>
    createText(content, y, { font_size: 64, width: 76, ...more });
  const aligned = (text_align: "left" | "right", style_preset: StylePreset) =>
    withText(`${text_align}, ${style_preset}`, [sized(long, 50, { text_align, style_preset })], "desert");
  const plain = (color: string) =>
    withText(`plain, ${color}`, [sized(long, 50, { style_preset: "white", text_color: color })]);
  const rotated = (rotation: number): GallerySlide => ({
    name: `rotated by ${rotation}`,
    slide: createSlide({
      image_url: url("morning"),
      image_overlays: [
        { id: "1", image_url: url("sticker"), x: 50, y: 55, width: 60, height: 50, rotation, opacity: 1 },
      ],
      text_elements: [sized("edges", 12)],
    }),
    settings: {},
  });
  return [
    ...Object.entries(SENTENCES).map(([script, content]) =>
      withText(script, [sized(content, 30), sized(content, 70, { style_preset: "inverted", font_size: 52 })], "dusk"),
    ),
    ...(["tiktok", "inverted"] as const).flatMap((preset) => [aligned("left", preset), aligned("right", preset)]),
    withText("line height 1", [sized(long, 50, { line_height: 1 })], "night"),
    withText("line height 2", [sized(long, 50, { line_height: 2, style_preset: "shadow" })], "night"),
    withText("hard break", [sized("Stop.\nThree things that I do not do before nine", 50)], "dusk"),
    withText(
      "hard break, boxed",
      [sized("Read this:\nthree things that I do not do before nine", 50, { style_preset: "inverted" })],
      "dusk",
    ),
    withText(
      "nearly equal boxes",
      [sized("nearly equal one\nnearly equal two\nand short", 50, { style_preset: "inverted" })],
      "dusk",
    ),
    withText(
      "clear boxes",
      [sized(long, 50, { background_color: "rgba(20, 20, 40, 0.6)", text_color: "white" })],
      "morning",
    ),
    ...["#1b1b1f", "#ffd166", "rgb(10 60 160)", "hotpink"].map(plain),
    ...[7, 45, -20].map(rotated),
    withText("symbols and emoji", [sized("☐ coffee ☕\n☑ energy ⚡\n➜ five stars ⭐ ₾ ₿", 50)], "night"),
    withText("sharp letters", [sized("WAMVK wavy kxz 147", 50, { font_size: 110 })], "desert"),
  ];
}

const THUMB = { width: 200, height: 356 };
const COLUMNS = 5;
const CAPTION = 34;

export interface GalleryPair {
  name: string;
  bytes: Uint8Array;
  /** The browser's rendering, and percent of pixels that differ visibly; null without a browser. */
  browser: { bytes: Uint8Array; difference: number } | null;
}

/** Pairs of slides: ours at the left, the browser's at the right. Returns a PNG. */
export async function renderContactSheet(pairs: GalleryPair[], font: Uint8Array): Promise<Uint8Array> {
  const rows = Math.ceil(pairs.length / COLUMNS);
  const cell = { width: THUMB.width * 2 + 4, height: THUMB.height + CAPTION };
  const size = { width: COLUMNS * (cell.width + 16) + 16, height: rows * (cell.height + 16) + 16 };
  const image = (src: Uint8Array, left: number) => ({
    type: "image",
    src,
    style: { ...THUMB, position: "absolute", left, top: 0, objectFit: "contain", objectPosition: "bottom" },
  });
  const caption = { position: "absolute", left: 0, top: THUMB.height, ...cell, height: CAPTION };
  const cells = pairs.map(({ name, bytes, browser }) => ({
    type: "container",
    style: { ...cell, position: "relative", display: "block" },
    children: [
      image(bytes, 0),
      ...(browser ? [image(browser.bytes, THUMB.width + 4)] : []),
      {
        type: "text",
        text: browser ? `${name}: ${browser.difference.toFixed(2)} %` : name,
        style: { ...caption, fontSize: 20, color: "#44444c", textAlign: "center" },
      },
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
