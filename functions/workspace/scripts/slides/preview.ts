// Shows a slide as the renderer renders it: with its numbers, its lines and its fonts, as elements of the page.
import { clampFilters, toCssFilter } from "../../../../lib/rendering/filters.ts";
import { choosePlainColor, getOverlayBox, resolveBackground } from "../../../../lib/rendering/scene.ts";
import { type RenderOptions, type RenderSettings, resolveRenderOptions } from "../../../../lib/rendering/settings.ts";
import { buildTextBlocks } from "../../../../lib/rendering/text-blocks.ts";
import { getBlockHeight, type LaidOutBlock } from "../../../../lib/rendering/text-layout.ts";
import { buildTextNodes } from "../../../../lib/rendering/text-nodes.ts";
import type { BareSlide } from "../../../../lib/schemas/slide.ts";
import { createElement } from "../shared/element.ts";
import { loadFonts } from "./fonts.ts";

/** A text in pixels of the slide. */
export interface PreviewedText {
  layer: HTMLElement;
  left: number;
  top: number;
  width: number;
  height: number;
  fontSize: number;
  lineHeight: number;
  families: string;
}

export interface PreviewedSlide {
  texts: PreviewedText[];
  options: RenderOptions;
  /** Characters that no font has. */
  missing: string[];
}

type Style = Record<string, string | number | undefined>;

const scaled = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    if (target instanceof HTMLElement) target.style.setProperty("--scale", String(contentRect.width / 1080));
  }
});
/** The newest preview of each host: an older one that is still being laid out is dropped. */
const newest = new WeakMap<HTMLElement, object>();

/** Fills `host`, which is as wide as its place; null if a newer preview has begun meanwhile. */
export async function previewSlide(
  host: HTMLElement,
  slide: BareSlide,
  settings: RenderSettings,
): Promise<PreviewedSlide | null> {
  const token = {};
  newest.set(host, token);
  const options = resolveRenderOptions(settings);
  const { width, height } = options.canvas;
  host.style.aspectRatio = `${width} / ${height}`;
  // A text without content is shown where its first words will be.
  const isEmpty = (content: string) => content.trim() === "";
  const fonts = await loadFonts(slide.text_elements.map(({ content }) => (isEmpty(content) ? EMPTY : content)));
  const texts: PreviewedText[] = [];
  for (const [index, element] of slide.text_elements.entries()) {
    // Characters that no font has leave nothing of a text.
    const shown = fonts.texts[index] || " ";
    const font_size = element.font_size ?? (index === 0 ? options.fontSizes.title : options.fontSizes.body);
    const sized = { text_elements: [{ ...element, font_size }] };
    const [block] = buildTextBlocks(sized, options, { texts: [shown], language: fonts.language });
    if (!block) continue;
    texts.push(buildText(await fonts.layouter.layOut(block), fonts.families, isEmpty(element.content)));
  }
  if (newest.get(host) !== token) return null;
  const canvas = createElement("div", { className: "slide-canvas" });
  applyStyle(canvas, { width, height });
  canvas.append(...buildBackground(slide, options), ...texts.map(({ layer }) => layer));
  canvas.lang = fonts.language;
  const old = host.querySelector(".slide-canvas");
  if (old) keepImages(old, canvas);
  if (old) old.replaceWith(canvas);
  else host.prepend(canvas);
  scaled.observe(host);
  return { texts, options, missing: fonts.missing };
}

const EMPTY = "Text";

function buildText(block: LaidOutBlock, families: string, isEmpty: boolean): PreviewedText {
  const layer = createElement("div", { className: isEmpty ? "slide-text empty" : "slide-text" });
  applyStyle(layer, { fontFamily: families, fontWeight: "700" });
  for (const node of buildTextNodes(block)) {
    const line = createElement("div", {});
    applyStyle(line, node.style as Style);
    for (const child of "children" in node ? (node.children ?? []) : []) {
      const letters = createElement("span", {}, "text" in child ? child.text : "");
      applyStyle(letters, toShadowOutline(child.style as Style));
      line.append(letters);
    }
    layer.append(line);
  }
  const height = getBlockHeight(block);
  const { width, fontSize, lineHeight } = block;
  return {
    ...{ layer, width, height, fontSize, lineHeight, families },
    left: block.x - width / 2,
    top: block.y - height / 2,
  };
}

const OUTLINE_POINTS = 16;

/** Browsers draw no stroke around letters with colours of their own, so that a ring of shadows takes its place. */
function toShadowOutline({ WebkitTextStrokeWidth: width, WebkitTextStrokeColor: color, ...style }: Style): Style {
  if (width === undefined) return style;
  const radius = Number.parseFloat(String(width)) / 2;
  const shadows = Array.from({ length: OUTLINE_POINTS }, (_, at) => {
    const angle = (at / OUTLINE_POINTS) * 2 * Math.PI;
    return `${radius * Math.cos(angle)}px ${radius * Math.sin(angle)}px ${color}`;
  });
  return { ...style, textShadow: shadows.join(", ") };
}

function buildBackground(slide: BareSlide, options: RenderOptions): HTMLElement[] {
  const { canvas } = options;
  const { cells, base } = resolveBackground(slide, canvas);
  const { blur, ...filters } = clampFilters(slide.background_filters ?? {});
  const ground = createElement("div", { className: "slide-layer" });
  applyStyle(ground, { backgroundColor: base ?? choosePlainColor(slide, options) });
  const buildLayer = (filter: string | null) => {
    const layer = createElement("div", { className: "slide-layer" });
    applyStyle(layer, { filter: filter ?? "none" });
    const lost = "This picture cannot be loaded.";
    layer.append(...cells.map(({ url, ...box }) => buildImage(url, { ...box, objectFit: "cover" }, lost)));
    return layer;
  };
  const filter = toCssFilter(filters);
  // A blur fades out at the edges of the slide, where the layer below shows. The renderer's backdrop-filter has no such
  // edges, but Chromium repeats the backdrop of an element that is scaled.
  const blurred = blur && cells.length > 0 ? [buildLayer(`${filter ?? ""} blur(${blur}px)`)] : [];
  const isTransparent = (filters.opacity ?? 1) < 1;
  const layers = [...(blurred.length > 0 && isTransparent ? [] : [buildLayer(filter)]), ...blurred];
  const overlays = (slide.image_overlays ?? []).map((overlay) => {
    const { opacity, rotation } = overlay;
    const style = { objectFit: "contain", opacity: String(opacity), transform: `rotate(${rotation}deg)` };
    return buildImage(overlay.image_url, { ...getOverlayBox(overlay, canvas), ...style }, "");
  });
  return [ground, ...layers, ...overlays];
}

function buildImage(src: string, style: Style, lost: string): HTMLImageElement {
  const image = createElement("img", { src, alt: "", draggable: false, decoding: "async" });
  applyStyle(image, { position: "absolute", ...style });
  if (lost) image.addEventListener("error", () => Object.assign(image, { alt: lost }));
  return image;
}

/** An image that has been loaded stays, so that a new preview does not flicker. */
function keepImages(old: Element, next: HTMLElement): void {
  const loaded = new Map([...old.querySelectorAll("img")].map((image) => [image.src, image]));
  for (const image of next.querySelectorAll("img")) {
    const same = loaded.get(image.src);
    if (!same?.complete) continue;
    same.style.cssText = image.style.cssText;
    image.replaceWith(same);
    loaded.delete(same.src);
  }
}

/** Numbers are pixels, as in the renderer's nodes. */
function applyStyle(element: HTMLElement, style: Style): void {
  for (const [name, value] of Object.entries(style)) {
    if (value === undefined) continue;
    const property = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    element.style.setProperty(property, typeof value === "number" ? `${value}px` : value);
  }
}
