// Slides of every layout, filter, preset and script in a few, and the hash that each has to come out as.
import type { DrawnSettings } from "../../lib/drawing/settings.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { type Images, slide, text, urlOf } from "./drawn.ts";
import { BLUE, GREEN, picture, plain, quarters, RED, YELLOW } from "./images.ts";

export interface Golden {
  slide: BareSlide;
  settings: DrawnSettings;
  /** Of the JPEG. When it changes on purpose, so does DRAWING in lib/drawing/print.ts. */
  sha256: string;
}

/** The sky at dusk, near enough: something that filters have to work on. */
const dusk = picture(360, 640, (x, y) => [40 + 200 * y, 60 + 90 * x * y, 140 - 60 * y + 40 * x]);

export const IMAGES: Images = {
  dusk,
  red: plain(RED),
  green: plain(GREEN),
  blue: plain(BLUE),
  yellow: plain(YELLOW),
  quarters: quarters(120, 80),
};

const sticker = {
  id: "1",
  image_url: urlOf("quarters"),
  x: 70,
  y: 75,
  width: 40,
  height: 20,
  rotation: -12,
  opacity: 0.8,
};
const four = ["red", "green", "blue", "yellow"].map(urlOf);

export const GOLDENS: Record<string, Golden> = {
  title: {
    slide: slide({
      image_url: urlOf("dusk"),
      text_elements: [
        text("5 things nobody tells you about mornings ☀️", { y: 30, font_size: 84 }),
        text("Save this for later 👩🏽‍💻", { y: 85, style_preset: "inverted" }),
      ],
      background_filters: { brightness: 0.9, contrast: 1.1, saturation: 1.2, hue: 10, grayscale: 0.1, sepia: 0.1 },
    }),
    settings: { aspect_ratio: "9:16" },
    sha256: "6d1ce4641f93a50f83a75ec2fe36af538f98218d77014941ff80d0f2952c9d2d",
  },
  scripts: {
    slide: slide({
      image_url: urlOf("dusk"),
      text_elements: [
        text("今日のコツ：早起き", { y: 20, style_preset: "shadow", font_size: 72 }),
        text("매일 아침 물 한 잔", { y: 45, style_preset: "white" }),
        text("早睡早起身体好", { y: 60, style_preset: "tiktok" }),
        text("Ранок, πρωί, sáng", { y: 75, style_preset: "black", background_color: "#ffd166", border_radius: 20 }),
      ],
      background_filters: { blur: 9, opacity: 0.8 },
    }),
    settings: {},
    sha256: "03a320c9bebbcbb1631090060cb8f9a4d71dabaf083e29cda2365124c84e34df",
  },
  collage: {
    slide: slide({
      text_elements: [text("Which one?", { style_preset: "inverted", font_size: 90 })],
      grid_images: four,
      grid_type: "2x2",
      image_overlays: [sticker],
      background_filters: { drop_shadow: 10, invert: 0.1 },
    }),
    settings: { aspect_ratio: "1:1", advanced_settings: { font_size: "small", text_width: "narrow" } },
    sha256: "f72b3a9df24f333e5e53c799f3138c74a5302bf99650482961bfa8f41976a17c",
  },
  symbols: {
    slide: slide({ text_elements: [text("✓ yes ✗ no\n➜ next ► play ☐ to do", { style_preset: "white" })] }),
    settings: { aspect_ratio: "1:1" },
    sha256: "cc87afff36d2bde9b33be062bc1359c63a7cb129e08f3db02c3615e656f44092",
  },
  plain: {
    slide: slide({ text_elements: [text("Nothing but words", { style_preset: "white" })] }),
    settings: { aspect_ratio: "3:4" },
    sha256: "f242cbcaf41ec693f6d9155b148ddb6033cd25bad80edba5408afffd26ff09db",
  },
};
