// From a slideshow to the config of a template, and back to the slides of a draft. Nothing here reads or writes.
import { drawingOf } from "../drawing/settings.ts";
import { fileNameIn } from "../file-name.ts";
import type { Ids } from "../ids.ts";
import type { Slide } from "../schemas/slide.ts";
import {
  CONTENT_AT_MOST,
  type ConfigSlide,
  ELEMENTS_AT_MOST,
  PROMPT_AT_MOST,
  type TemplateConfig,
} from "../schemas/template.ts";

/** What a template takes over of a slideshow's settings. */
interface Settings {
  image_pack_id?: string | null;
  aspect_ratio?: string;
  advanced_settings?: { font_size?: number | string; text_preset?: string; text_width?: string };
  pack_assignments?: Record<string, string> | null;
}

export interface Source {
  slideshowType: TemplateConfig["content"]["slideshowType"];
  productId: string | null;
  settings: Settings;
  slides: Slide[];
  originalPrompt: string | null;
  language: string | null;
}

/** The settings of a draft made from a template. */
export interface DraftSettings {
  image_pack_id: string | null;
  aspect_ratio: string;
  slideshow_type: TemplateConfig["content"]["slideshowType"];
  advanced_settings: { font_size: number | "default" | "small"; text_preset: string; text_width: string };
  pack_assignments: Record<string, string> | null;
}

/** The pictures of a pack, in its order, by the pack's id. */
export type PackImages = ReadonlyMap<string, readonly { url: string }[]>;

/**
 * What config v1 can hold of a slideshow. A collage keeps its first picture; filters, overlays and the looks of single
 * texts are left behind.
 */
export function configFrom(source: Source, ids: Ids, preserveText: boolean): TemplateConfig {
  const { settings, slides, originalPrompt } = source;
  const looks = settings.advanced_settings ?? {};
  const { textWidth, fontSizes } = drawingOf(settings);
  const { title, body } = fontSizes;
  const assigned = Object.entries(settings.pack_assignments ?? {}).filter(([index]) => Number(index) < slides.length);
  return {
    version: 1,
    structure: {
      slides: slides.map((slide, index) => {
        const pack = settings.pack_assignments?.[index] ?? settings.image_pack_id ?? null;
        const textElements = slide.text_elements
          .slice(0, ELEMENTS_AT_MOST)
          .map((element, at) =>
            configElement(element, ids, { size: at === 0 ? title : body, textWidth, preserveText }),
          );
        return { id: ids(), textElements, ...background(slide, pack, ids) };
      }),
      ...(assigned.length > 0 ? { packAssignments: Object.fromEntries(assigned) } : {}),
    },
    content: {
      mode: preserveText ? "manual" : "ai",
      ...(originalPrompt ? { prompt: cut(originalPrompt, PROMPT_AT_MOST) } : {}),
      productId: source.productId,
      language: source.language ?? "same_as_prompt",
      slideshowType: source.slideshowType,
    },
    visuals: {
      packId: settings.image_pack_id ?? null,
      aspectRatio: settings.aspect_ratio ?? "4:5",
      textSettings: {
        fontSize: String(looks.font_size ?? "default"),
        preset: looks.text_preset ?? "tiktok",
        width: looks.text_width ?? "default",
      },
    },
  };
}

type Background =
  | { type: "pack"; pinnedImageUrl: string | null }
  | { type: "custom"; image: { id: string; url: string; name: string } };

/** A picture on a slide that has a pack is pinned; without a pack it is the slide's own. */
function background(slide: Slide, pack: string | null, ids: Ids): Background {
  const url = slide.image_url ?? slide.grid_images?.[0] ?? null;
  if (pack || url === null) return { type: "pack", pinnedImageUrl: url };
  return { type: "custom", image: { id: ids(), url, name: fileNameIn(url, "image") } };
}

function configElement(
  element: Slide["text_elements"][number],
  ids: Ids,
  { size, textWidth, preserveText }: { size: number; textWidth: number; preserveText: boolean },
): ConfigSlide["textElements"][number] {
  return {
    id: ids(),
    content: preserveText ? cut(element.content, CONTENT_AT_MOST) : "",
    x: percent(element.x),
    y: percent(element.y),
    fontSize: element.font_size ?? size,
    width: percent(element.width ?? textWidth),
  };
}

/** Never leaves half of a character at the end. */
function cut(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

/** A config keeps to the slide; what lay off its edge moves to the edge. */
function percent(value: number): number {
  return Math.min(100, Math.max(0, value));
}

/**
 * The slides of a draft. Slides that share a pack take its pictures in turn, so that the same config and pictures make
 * the same draft; a slide whose pack is empty, or not in the map, is plain.
 */
export function slidesFrom(config: TemplateConfig, packImages: PackImages): Slide[] {
  const taken = new Map<string, number>();

  function next(pack: string | null): string | null {
    const images = (pack && packImages.get(pack)) || [];
    if (!pack || images.length === 0) return null;
    const turn = taken.get(pack) ?? 0;
    taken.set(pack, turn + 1);
    return images[turn % images.length]?.url ?? null;
  }

  return config.structure.slides.map((slide, index) => ({
    text_elements: slide.textElements.length > 0 ? slide.textElements.map(slideElement) : [{ ...EMPTY_TEXT }],
    image_url: slide.type === "custom" ? slide.image.url : (slide.pinnedImageUrl ?? next(packOf(config, slide, index))),
  }));
}

/** A slide holds at least one text. */
const EMPTY_TEXT = { content: "", x: 50, y: 50 };

function slideElement({ id, content, x, y, fontSize, width }: ConfigSlide["textElements"][number]) {
  // A text must have some width; a config may say 0.
  return { id, content, x, y, font_size: fontSize, ...(width > 0 ? { width } : {}) };
}

function packOf({ structure, visuals }: TemplateConfig, slide: ConfigSlide, index: number): string | null {
  const assigned = structure.packAssignments ?? {};
  return (assigned[index] ?? assigned[slide.id] ?? visuals.packId)?.toLowerCase() ?? null;
}

/** The settings of a draft, as `slidesFrom` makes its slides. */
export function settingsFrom(config: TemplateConfig): DraftSettings {
  const { structure, content, visuals } = config;
  const assignments = structure.slides.flatMap((slide, index) => {
    const pack = structure.packAssignments?.[index] ?? structure.packAssignments?.[slide.id];
    return pack ? [[String(index), pack.toLowerCase()] as const] : [];
  });
  return {
    image_pack_id: visuals.packId?.toLowerCase() ?? null,
    aspect_ratio: visuals.aspectRatio,
    slideshow_type: content.slideshowType,
    advanced_settings: {
      font_size: fontSizeFrom(visuals.textSettings.fontSize),
      text_preset: visuals.textSettings.preset,
      text_width: visuals.textSettings.width,
    },
    pack_assignments: assignments.length > 0 ? Object.fromEntries(assignments) : null,
  };
}

function fontSizeFrom(text: string): number | "default" | "small" {
  if (text === "small") return text;
  const size = text.trim() === "" ? Number.NaN : Number(text);
  return size >= 8 && size <= 200 ? size : "default";
}
