// Builds the renderer's node tree of a slide: background, overlays and texts, from back to front.
import type { Node } from "@takumi-rs/helpers";
import type { BareSlide, ImageOverlay } from "../schemas/slide.ts";
import { at } from "../shared/at.ts";
import { type Box, computeCells } from "./collage.ts";
import { isDarkColor } from "./contrast.ts";
import { addTransparentBorder } from "./decode/transparent-border.ts";
import { clampFilters, type LayerFilters, toCssFilter } from "./filters.ts";
import { buildFontStyle } from "./font-style.ts";
import { type RenderOptions, type RenderSettings, resolveRenderOptions, type Size } from "./settings.ts";
import { percentOf } from "./text-blocks.ts";
import { resolveTextStyle } from "./text-style.ts";

/** Upright RGBA pixels. */
export interface DecodedImage extends Size {
  data: Uint8Array;
  premultiplied: boolean;
}

/** An image of a slide, and the size in which it is needed. */
export interface ImageRequest extends Size {
  url: string;
  fit: "cover" | "contain";
}

type Style = NonNullable<Node["style"]>;

const COLLAGE_GAP = 8;
const LIGHT_BACKGROUND = "#ffffff";
const DARK_BACKGROUND = "#111114";

/** In the order in which `buildScene` expects them. */
export function listImages(slide: BareSlide, settings: RenderSettings): ImageRequest[] {
  const { canvas } = resolveRenderOptions(settings);
  const cells = resolveBackground(slide, canvas).cells;
  return [
    ...cells.map(({ url, width, height }): ImageRequest => ({ url, width, height, fit: "cover" })),
    ...(slide.image_overlays ?? []).map((overlay): ImageRequest => {
      const { width, height } = getOverlayBox(overlay, canvas);
      return { url: overlay.image_url, width, height, fit: "contain" };
    }),
  ];
}

/** `nodes` are those of the texts. */
export function buildScene(
  slide: BareSlide,
  settings: RenderSettings,
  images: DecodedImage[],
  { families, nodes }: { families: string[]; nodes: Node[] },
): Node {
  const options = resolveRenderOptions(settings);
  const { cells, base } = resolveBackground(slide, options.canvas);
  const { blur, ...filters } = clampFilters(slide.background_filters ?? {});
  const overlays = slide.image_overlays ?? [];
  const all: Box = { left: 0, top: 0, ...options.canvas };
  const background = createContainer(
    { ...buildBoxStyle(all), ...buildFilterStyle(filters) },
    cells.flatMap((cell, at) => buildImageNodes(images[at], buildBoxStyle(cell), "cover")),
  );
  return createContainer(
    {
      width: "100%",
      height: "100%",
      position: "relative",
      overflow: "hidden",
      backgroundColor: base ?? choosePlainColor(slide, options),
      ...buildFontStyle(families),
    },
    [
      background,
      // backdrop-filter, because `filter: blur` fades out at the edges of the slide.
      ...(blur && cells.length > 0
        ? [createContainer({ ...buildBoxStyle(all), backdropFilter: `blur(${blur}px)` }, [])]
        : []),
      ...overlays.flatMap((overlay, at) => buildOverlayNodes(overlay, images[cells.length + at], options.canvas)),
      ...nodes,
    ],
  );
}

interface Background {
  cells: (Box & { url: string })[];
  /** Colour behind the images; null chooses one by the title's colour. */
  base: string | null;
}

/** The cells of the images behind everything, and the colour behind those. */
export function resolveBackground(slide: BareSlide, canvas: Size): Background {
  const grid = slide.grid_images ?? [];
  const urls = grid.length > 0 ? grid : slide.image_url ? [slide.image_url] : [];
  const boxes = urls.length > 0 ? computeCells(slide.grid_type ?? "2x2", urls.length, canvas, COLLAGE_GAP) : [];
  return {
    cells: boxes.map((box, index) => ({ ...box, url: at(urls, index) })),
    base: boxes.length > 1 ? LIGHT_BACKGROUND : null,
  };
}

function buildFilterStyle(filters: LayerFilters): Style {
  const filter = toCssFilter(filters);
  return filter ? { filter } : {};
}

/** The background of a slide without an image contrasts with its title, or with the box of its title. */
export function choosePlainColor(slide: BareSlide, options: RenderOptions): string {
  const [title] = slide.text_elements;
  if (!title) return DARK_BACKGROUND;
  const { color, box } = resolveTextStyle(title, options.preset, options.fontSizes.title);
  return isDarkColor(box?.color ?? color) ? LIGHT_BACKGROUND : DARK_BACKGROUND;
}

/** Centred on x and y. */
export function getOverlayBox({ x, y, width, height }: ImageOverlay, canvas: Size): Box {
  const size = {
    width: Math.max(1, Math.round(percentOf(width, canvas.width))),
    height: Math.max(1, Math.round(percentOf(height, canvas.height))),
  };
  return {
    ...size,
    left: Math.round(percentOf(x, canvas.width) - size.width / 2),
    top: Math.round(percentOf(y, canvas.height) - size.height / 2),
  };
}

function buildOverlayNodes(overlay: ImageOverlay, image: DecodedImage | undefined, canvas: Size): Node[] {
  if (!image) return [];
  const box = getOverlayBox(overlay, canvas);
  const rotated = overlay.rotation % 90 !== 0;
  // The renderer blends pixels with their neighbours, but not the edge of an image with what is behind it.
  const border = rotated ? Math.min(box.width / image.width, box.height / image.height) : 0;
  const style: Style = {
    ...buildBoxStyle({
      left: box.left - border,
      top: box.top - border,
      width: box.width + 2 * border,
      height: box.height + 2 * border,
    }),
    opacity: overlay.opacity,
    transform: `rotate(${overlay.rotation}deg)`,
  };
  return buildImageNodes(rotated ? addTransparentBorder(image) : image, style, "contain");
}

function buildImageNodes(image: DecodedImage | undefined, style: Style, fit: ImageRequest["fit"]): Node[] {
  return image ? [{ type: "image", src: image, style: { ...style, objectFit: fit } }] : [];
}

function buildBoxStyle({ left, top, width, height }: Box): Style {
  return { position: "absolute", left, top, width, height };
}

function createContainer(style: Style, children: Node[]): Node {
  return { type: "container", style, children };
}
