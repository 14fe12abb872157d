// Slides that cover layouts, filters, presets and scripts, with the expected hash of each.
import type { RenderSettings } from "../../lib/rendering/settings.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { BLUE, buildImage, buildPlainImage, buildQuartersImage, GREEN, RED, YELLOW } from "./test-images.ts";
import { buildSlide, buildText, getImageUrl, type Images } from "./test-renderer.ts";

export interface Golden {
  slide: BareSlide;
  settings: RenderSettings;
  /** Hash of the JPEG. When it changes on purpose, increment RENDER_VERSION in lib/rendering/render-hash.ts. */
  sha256: string;
}

/** A gradient like the sky at dusk, as input for filters. */
const dusk = buildImage(360, 640, (x, y) => [40 + 200 * y, 60 + 90 * x * y, 140 - 60 * y + 40 * x]);

export const IMAGES: Images = {
  dusk,
  red: buildPlainImage(RED),
  green: buildPlainImage(GREEN),
  blue: buildPlainImage(BLUE),
  yellow: buildPlainImage(YELLOW),
  quarters: buildQuartersImage(120, 80),
};

const sticker = {
  id: "1",
  image_url: getImageUrl("quarters"),
  x: 70,
  y: 75,
  width: 40,
  height: 20,
  rotation: -12,
  opacity: 0.8,
};
const four = ["red", "green", "blue", "yellow"].map(getImageUrl);

export const GOLDENS: Record<string, Golden> = {
  title: {
    slide: buildSlide({
      image_url: getImageUrl("dusk"),
      text_elements: [
        buildText("5 things nobody tells you about mornings ☀️", { y: 30, font_size: 84 }),
        buildText("Save this for later 👩🏽‍💻", { y: 85, style_preset: "inverted" }),
      ],
      background_filters: { brightness: 0.9, contrast: 1.1, saturation: 1.2, hue: 10, grayscale: 0.1, sepia: 0.1 },
    }),
    settings: { aspect_ratio: "9:16" },
    sha256: "c9497b80472d3c023969901d1dfb27d7170b1d9ca6ad7d5f49725386e00fa9f5",
  },
  scripts: {
    slide: buildSlide({
      image_url: getImageUrl("dusk"),
      text_elements: [
        buildText("今日のコツ：早起き", { y: 20, style_preset: "shadow", font_size: 72 }),
        buildText("매일 아침 물 한 잔", { y: 45, style_preset: "white" }),
        buildText("早睡早起身体好", { y: 60, style_preset: "tiktok" }),
        buildText("Ранок, πρωί, sáng", {
          y: 75,
          style_preset: "black",
          background_color: "#ffd166",
          border_radius: 20,
        }),
      ],
      background_filters: { blur: 9, opacity: 0.8 },
    }),
    settings: {},
    sha256: "2039d55d54f96ac825fbf4e9eedbca0d0e3cd5e3d12d391369f584aa39011dff",
  },
  collage: {
    slide: buildSlide({
      text_elements: [buildText("Which one?", { style_preset: "inverted", font_size: 90 })],
      grid_images: four,
      grid_type: "2x2",
      image_overlays: [sticker],
      background_filters: { drop_shadow: 10, invert: 0.1 },
    }),
    settings: { aspect_ratio: "1:1", advanced_settings: { font_size: "small", text_width: "narrow" } },
    sha256: "bf856423780a87fbbf6292f84231e166edd1b8c7d074b20e0a803a37492899f0",
  },
  symbols: {
    slide: buildSlide({ text_elements: [buildText("✓ yes ✗ no\n➜ next ► play ☐ to do", { style_preset: "white" })] }),
    settings: { aspect_ratio: "1:1" },
    sha256: "cc87afff36d2bde9b33be062bc1359c63a7cb129e08f3db02c3615e656f44092",
  },
  plain: {
    slide: buildSlide({ text_elements: [buildText("Nothing but words", { style_preset: "white" })] }),
    settings: { aspect_ratio: "3:4" },
    sha256: "0e24fdd3dc97ce887656e464fbed74c1a5316e294a49b5d6f3e5d27bc51b78bc",
  },
};
