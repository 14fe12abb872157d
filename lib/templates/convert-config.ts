// Converts a slideshow to the config of a template, and a config to the slides of a draft. Pure functions.
import type { PackImages } from "../queries/packs.ts";
import { resolveRenderOptions } from "../rendering/settings.ts";
import type { Slide } from "../schemas/slide.ts";
import {
  type ConfigSlide,
  MAX_CONTENT_LENGTH,
  MAX_ELEMENTS,
  MAX_PROMPT_LENGTH,
  type TemplateConfig,
} from "../schemas/template.ts";
import { getFileName } from "../shared/file-name.ts";
import type { IdGenerator } from "../shared/ids.ts";

/** The settings of a slideshow that a template keeps. */
interface SlideshowSettings {
  image_pack_id?: string | null;
  aspect_ratio?: string;
  advanced_settings?: { font_size?: number | string; text_preset?: string; text_width?: string };
  pack_assignments?: Record<string, string> | null;
}

export interface TemplateSource {
  slideshowType: TemplateConfig["content"]["slideshowType"];
  productId: string | null;
  settings: SlideshowSettings;
  slides: Slide[];
  originalPrompt: string | null;
  language: string | null;
}

/** The settings of a draft created from a template. */
export interface DraftSettings {
  image_pack_id: string | null;
  aspect_ratio: string;
  slideshow_type: TemplateConfig["content"]["slideshowType"];
  advanced_settings: { font_size: number | "default" | "small"; text_preset: string; text_width: string };
  pack_assignments: Record<string, string> | null;
}

/**
 * Builds a version 1 config. Lossy: a collage is reduced to its first image; filters, overlays and per-text styles are
 * dropped.
 */
export function buildConfig(source: TemplateSource, ids: IdGenerator, preserveText: boolean): TemplateConfig {
  const { settings, slides, originalPrompt } = source;
  const style = settings.advanced_settings ?? {};
  const { textWidth, fontSizes } = resolveRenderOptions(settings);
  const { title, body } = fontSizes;
  const assigned = Object.entries(settings.pack_assignments ?? {}).filter(([index]) => Number(index) < slides.length);
  return {
    version: 1,
    structure: {
      slides: slides.map((slide, index) => {
        const pack = settings.pack_assignments?.[index] ?? settings.image_pack_id ?? null;
        const textElements = slide.text_elements
          .slice(0, MAX_ELEMENTS)
          .map((element, at) =>
            toConfigElement(element, ids, { size: at === 0 ? title : body, textWidth, preserveText }),
          );
        return { id: ids(), textElements, ...toBackground(slide, pack, ids) };
      }),
      ...(assigned.length > 0 ? { packAssignments: Object.fromEntries(assigned) } : {}),
    },
    content: {
      mode: preserveText ? "manual" : "ai",
      ...(originalPrompt ? { prompt: truncate(originalPrompt, MAX_PROMPT_LENGTH) } : {}),
      productId: source.productId,
      language: source.language ?? "same_as_prompt",
      slideshowType: source.slideshowType,
    },
    visuals: {
      packId: settings.image_pack_id ?? null,
      aspectRatio: settings.aspect_ratio ?? "4:5",
      textSettings: {
        fontSize: String(style.font_size ?? "default"),
        preset: style.text_preset ?? "tiktok",
        width: style.text_width ?? "default",
      },
    },
  };
}

type Background =
  | { type: "pack"; pinnedImageUrl: string | null }
  | { type: "custom"; image: { id: string; url: string; name: string } };

/** With a pack, or without an image, the background is `pack`, with the image (if any) pinned; otherwise it is `custom`. */
function toBackground(slide: Slide, pack: string | null, ids: IdGenerator): Background {
  const url = slide.image_url ?? slide.grid_images?.[0] ?? null;
  if (pack || url === null) return { type: "pack", pinnedImageUrl: url };
  return { type: "custom", image: { id: ids(), url, name: getFileName(url, "image") } };
}

function toConfigElement(
  element: Slide["text_elements"][number],
  ids: IdGenerator,
  { size, textWidth, preserveText }: { size: number; textWidth: number; preserveText: boolean },
): ConfigSlide["textElements"][number] {
  return {
    id: ids(),
    content: preserveText ? truncate(element.content, MAX_CONTENT_LENGTH) : "",
    x: clampPercent(element.x),
    y: clampPercent(element.y),
    fontSize: element.font_size ?? size,
    width: clampPercent(element.width ?? textWidth),
  };
}

/** Does not split a surrogate pair at the end. */
function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}

/** Positions and widths in a config are percentages from 0 to 100. */
function clampPercent(value: number): number {
  return Math.min(100, Math.max(0, value));
}

/**
 * Builds the slides of a draft. Slides that share a pack take its images in order, so that the same config and images
 * give the same draft; a pinned image does not advance the order. A slide whose pack is empty or missing has no image.
 */
export function buildSlides(config: TemplateConfig, packImages: PackImages): Slide[] {
  const used = new Map<string, number>();

  function next(pack: string | null): string | null {
    const images = (pack && packImages.get(pack)) || [];
    if (!pack || images.length === 0) return null;
    const position = used.get(pack) ?? 0;
    used.set(pack, position + 1);
    return images[position % images.length]?.url ?? null;
  }

  return config.structure.slides.map((slide, index) => ({
    text_elements: slide.textElements.length > 0 ? slide.textElements.map(toSlideElement) : [{ ...EMPTY_TEXT }],
    image_url:
      slide.type === "custom" ? slide.image.url : (slide.pinnedImageUrl ?? next(getPack(config, slide, index))),
  }));
}

/** A slide holds at least one text. */
const EMPTY_TEXT = { content: "", x: 50, y: 50 };

function toSlideElement({ id, content, x, y, fontSize, width }: ConfigSlide["textElements"][number]) {
  return {
    ...{ id, content, x, y },
    ...(fontSize === undefined ? {} : { font_size: fontSize }),
    // A config may have width 0; a text element must not.
    ...(width ? { width } : {}),
  };
}

function getPack(config: TemplateConfig, slide: ConfigSlide, index: number): string | null {
  return getAssignedPack(config, slide, index) ?? config.visuals.packId?.toLowerCase() ?? null;
}

/** `packAssignments` is keyed by slide index or slide id. Ids are lowercased to match the keys of `PackImages`. */
function getAssignedPack({ structure }: TemplateConfig, slide: ConfigSlide, index: number): string | null {
  const assigned = structure.packAssignments ?? {};
  return (assigned[index] ?? assigned[slide.id])?.toLowerCase() ?? null;
}

/** Builds the settings of a draft; `buildSlides` builds its slides. */
export function buildDraftSettings(config: TemplateConfig): DraftSettings {
  const { structure, content, visuals } = config;
  const assignments = structure.slides.flatMap((slide, index) => {
    const pack = getAssignedPack(config, slide, index);
    return pack ? [[String(index), pack] as const] : [];
  });
  return {
    image_pack_id: visuals.packId?.toLowerCase() ?? null,
    aspect_ratio: visuals.aspectRatio,
    slideshow_type: content.slideshowType,
    advanced_settings: {
      font_size: parseFontSize(visuals.textSettings.fontSize),
      text_preset: visuals.textSettings.preset,
      text_width: visuals.textSettings.width,
    },
    pack_assignments: assignments.length > 0 ? Object.fromEntries(assignments) : null,
  };
}

function parseFontSize(text: string): number | "default" | "small" {
  if (text === "small") return text;
  const size = text.trim() === "" ? Number.NaN : Number(text);
  return size >= 8 && size <= 200 ? size : "default";
}
