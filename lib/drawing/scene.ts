// A slide as the renderer's tree of nodes: background, overlays, texts, from back to front.
import type { Node } from "@takumi-rs/helpers";
import type { BareSlide, ImageOverlay, TextElement } from "../schemas/slide.ts";
import { type Box, cellsOf } from "./collage.ts";
import { filterOf, type LayerFilters } from "./filters.ts";
import { type Look, lookOf } from "./look.ts";
import { type Drawing, type DrawnSettings, drawingOf, type Size } from "./settings.ts";
import type { Typeset } from "./text.ts";

/** Upright pixels; colours are multiplied by their alpha when told so. */
export interface Picture extends Size {
  data: Uint8Array;
  premultiplied: boolean;
}

/** A picture that a slide shows, and how large it needs to be. */
export interface Wanted extends Size {
  url: string;
  fit: "cover" | "contain";
}

type Style = NonNullable<Node["style"]>;

const COLLAGE_GAP = 8;
const PERCENT_AT_MOST = 100_000;
const PAPER = "#ffffff";
const INK = "#111114";

/** In the order in which `sceneOf` takes them. */
export function picturesOf(slide: BareSlide, settings: DrawnSettings): Wanted[] {
  const { canvas } = drawingOf(settings);
  const cells = backgroundOf(slide, canvas).cells;
  return [
    ...cells.map(({ url, width, height }): Wanted => ({ url, width, height, fit: "cover" })),
    ...(slide.image_overlays ?? []).map((overlay): Wanted => {
      const { width, height } = boxOf(overlay, canvas);
      return { url: overlay.image_url, width, height, fit: "contain" };
    }),
  ];
}

export function sceneOf(
  slide: BareSlide,
  settings: DrawnSettings,
  pictures: Picture[],
  { texts, families, language }: Pick<Typeset, "texts" | "families" | "language">,
): Node {
  const drawing = drawingOf(settings);
  const { cells, base } = backgroundOf(slide, drawing.canvas);
  const { blur, ...filters } = slide.background_filters ?? {};
  const overlays = slide.image_overlays ?? [];
  const all: Box = { left: 0, top: 0, ...drawing.canvas };
  const background = container(
    { ...placed(all), ...filtered(filters) },
    cells.flatMap((cell, at) => shown(pictures[at], placed(cell), "cover")),
  );
  return container(
    {
      width: "100%",
      height: "100%",
      position: "relative",
      overflow: "hidden",
      backgroundColor: base ?? plainFor(slide, drawing),
      fontFamily: families.map((family) => `"${family}"`).join(", "),
      fontWeight: 700,
    },
    [
      background,
      // A layer that is blurred itself fades out along the edges of the slide; what lies behind a layer does not.
      ...(blur && cells.length > 0 ? [container({ ...placed(all), backdropFilter: `blur(${blur}px)` }, [])] : []),
      ...overlays.flatMap((overlay, at) =>
        shown(pictures[cells.length + at], overlaid(overlay, drawing.canvas), "contain"),
      ),
      ...slide.text_elements.flatMap((element, at) => written(element, at, texts[at] ?? "", language, drawing)),
    ],
  );
}

interface Background {
  cells: (Box & { url: string })[];
  /** What shows where no picture is; null leaves it to the texts. */
  base: string | null;
}

function backgroundOf(slide: BareSlide, canvas: Size): Background {
  const grid = slide.grid_images ?? [];
  const urls = grid.length > 0 ? grid : slide.image_url ? [slide.image_url] : [];
  const boxes = urls.length > 0 ? cellsOf(slide.grid_type ?? "2x2", urls.length, canvas, COLLAGE_GAP) : [];
  return { cells: boxes.map((box, at) => ({ ...box, url: urls[at] ?? "" })), base: boxes.length > 1 ? PAPER : null };
}

function filtered(filters: LayerFilters): Style {
  const filter = filterOf(filters);
  return filter ? { filter } : {};
}

/** Without a picture the slide is as dark or as light as its title can be read on. */
function plainFor(slide: BareSlide, drawing: Drawing): string {
  const [title] = slide.text_elements;
  if (!title) return INK;
  const look = lookOf(title, drawing.preset, drawing.fontSizes.title);
  const dark = /^(#000(000)?|black)$/i.test(look.color);
  return dark && !look.box ? PAPER : INK;
}

/** So many percent; what is further away than this is not seen, whatever the number. */
function share(percent: number, of: number): number {
  return (of * Math.max(-PERCENT_AT_MOST, Math.min(PERCENT_AT_MOST, percent))) / 100;
}

/** Centred on its x and y. */
function boxOf({ x, y, width, height }: ImageOverlay, canvas: Size): Box {
  const size = {
    width: Math.max(1, Math.round(share(width, canvas.width))),
    height: Math.max(1, Math.round(share(height, canvas.height))),
  };
  return {
    ...size,
    left: Math.round(share(x, canvas.width) - size.width / 2),
    top: Math.round(share(y, canvas.height) - size.height / 2),
  };
}

function overlaid(overlay: ImageOverlay, canvas: Size): Style {
  return {
    ...placed(boxOf(overlay, canvas)),
    opacity: overlay.opacity,
    transform: `rotate(${overlay.rotation}deg)`,
  };
}

function written(
  element: TextElement,
  at: number,
  text: string,
  language: Typeset["language"],
  { canvas, fontSizes, preset, textWidth }: Drawing,
): Node[] {
  if (text === "") return [];
  const fontSize = element.font_size ?? (at === 0 ? fontSizes.title : fontSizes.body);
  const look = lookOf(element, preset, fontSize);
  const width = share(element.width ?? textWidth, canvas.width);
  const block: Style = {
    position: "absolute",
    left: share(element.x, canvas.width) - width / 2,
    top: share(element.y, canvas.height),
    width,
    transform: "translate(0, -50%)",
    display: "block",
    textAlign: "center",
    fontSize,
    lineHeight: look.lineHeight,
    whiteSpace: "pre-line",
    overflowWrap: "anywhere",
    textWrap: "balance",
    // Korean puts spaces between words, and its lines break there alone.
    ...(language === "ko" ? { wordBreak: "keep-all" } : {}),
  };
  const letters = line(text, lettersOf(look, fontSize));
  // What is positioned is painted over what is not, in the order of the tree.
  return [
    container(block, [...outlined(text, look), container({ position: "relative", display: "block" }, [letters])]),
  ];
}

/** The renderer draws an outline over the letters, so the letters are drawn once more on top of it. */
function outlined(text: string, { outline }: Look): Node[] {
  if (!outline) return [];
  const under: Style = { position: "absolute", left: 0, top: 0, width: "100%", display: "block" };
  const style = {
    color: outline.color,
    WebkitTextStrokeWidth: `${outline.width}px`,
    WebkitTextStrokeColor: outline.color,
  };
  return [container(under, [line(text, { ...style, display: "inline" })])];
}

function lettersOf({ color, shadow, box, lineHeight }: Look, fontSize: number): Style {
  const style: Style = { display: "inline", color, ...(shadow ? { textShadow: shadow } : {}) };
  if (!box) return style;
  // A pixel more than it takes to touch: the boxes of two lines show no seam.
  const padding = ((lineHeight - INTER_HEIGHT) / 2) * fontSize + 0.5;
  return {
    ...style,
    backgroundColor: box.color,
    borderRadius: box.radius,
    padding: `${padding.toFixed(2)}px ${(fontSize * BOX_SIDE).toFixed(2)}px`,
    boxDecorationBreak: "clone",
  };
}

/** Ascent and descent of Inter together, and the room beside the letters in a box, of the font size. */
const INTER_HEIGHT = 1.21;
const BOX_SIDE = 0.36;

function shown(picture: Picture | undefined, style: Style, fit: Wanted["fit"]): Node[] {
  return picture ? [{ type: "image", src: picture, style: { ...style, objectFit: fit } }] : [];
}

function placed({ left, top, width, height }: Box): Style {
  return { position: "absolute", left, top, width, height };
}

function container(style: Style, children: Node[]): Node {
  return { type: "container", style, children };
}

function line(text: string, style: Style): Node {
  return { type: "text", text, style };
}
