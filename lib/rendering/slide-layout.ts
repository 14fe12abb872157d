// Lays out the heading and body of generated slides: inside the safe area, without overlap, as large as they fit.
import type { TextElement } from "../schemas/slide.ts";
import type { FontSelection } from "./font-selection.ts";
import { getGeneratedTextSizes, MIN_FONT_SIZE, type TextSizes } from "./generated-text-sizes.ts";
import { listWordEnds, splitGraphemes } from "./line-breaks.ts";
import { computeSafeArea } from "./safe-area.ts";
import { type RenderOptions, type RenderSettings, resolveRenderOptions } from "./settings.ts";
import { buildTextBlocks } from "./text-blocks.ts";
import { getBlockHeight, type LaidOutBlock, type TextLayouter } from "./text-layout.ts";

export interface SlideTexts {
  heading: string;
  /** May be empty. */
  body: string;
}

export type SlideLayout = Pick<TextElement, "id" | "content" | "x" | "y" | "width" | "font_size">[];

/** Room between heading and body, as a multiple of the heading's font size. */
const GAP = 0.5;
const SHRINK_STEP = 0.94;

/** A body that does not fit at the smallest size is shortened, and so is a heading. */
export async function layOutSlide(
  texts: SlideTexts,
  settings: RenderSettings,
  language: FontSelection["language"],
  layouter: TextLayouter,
): Promise<SlideLayout> {
  const options = resolveRenderOptions(settings);
  const area = computeSafeArea(options.canvas);
  const fitTexts = (attempt: SlideTexts) => shrinkToFit(attempt, settings, { options, language, layouter, area });
  const fitting =
    (await fitTexts(texts)) ??
    (await shorten(texts.body, (body) => fitTexts({ ...texts, body }))) ??
    (await shorten(texts.heading, (heading) => fitTexts({ heading, body: "" })));
  return fitting ?? [];
}

interface LayoutContext {
  options: RenderOptions;
  language: FontSelection["language"];
  layouter: TextLayouter;
  area: ReturnType<typeof computeSafeArea>;
}

/** Null when the texts do not fit even at the smallest size. */
async function shrinkToFit(
  texts: SlideTexts,
  settings: RenderSettings,
  context: LayoutContext,
): Promise<SlideLayout | null> {
  const wanted = getGeneratedTextSizes(settings);
  for (let scale = 1; ; scale *= SHRINK_STEP) {
    const shrink = (size: number) => Math.max(Math.min(size, MIN_FONT_SIZE), Math.round(size * scale));
    const sizes = { heading: shrink(wanted.heading), body: shrink(wanted.body) };
    const smallest = sizes.heading <= MIN_FONT_SIZE && sizes.body <= MIN_FONT_SIZE;
    const blocks = await layOutBlocks(texts, sizes, context);
    const gap = blocks.length > 1 ? Math.round(sizes.heading * GAP) : 0;
    const height = blocks.reduce((sum, block) => sum + getBlockHeight(block), gap);
    // A word is broken only at the smallest size.
    if (height <= context.area.height && (smallest || blocks.every(({ wordsBroken }) => !wordsBroken))) {
      return placeBlocks(texts, blocks, gap, height, context);
    }
    if (smallest) return null;
  }
}

async function layOutBlocks(
  { heading, body }: SlideTexts,
  sizes: TextSizes,
  { options, language, layouter, area }: LayoutContext,
): Promise<LaidOutBlock[]> {
  const width = Math.min(options.textWidth, (area.width * 100) / options.canvas.width);
  const elements = [
    { content: heading, x: 50, y: 50, width, font_size: sizes.heading },
    { content: body, x: 50, y: 50, width, font_size: sizes.body },
  ].filter(({ content }) => content !== "");
  const contents = elements.map(({ content }) => content);
  const laidOut: LaidOutBlock[] = [];
  for (const block of buildTextBlocks({ text_elements: elements }, options, { texts: contents, language })) {
    laidOut.push(await layouter.layOut(block));
  }
  return laidOut;
}

function placeBlocks(
  { heading, body }: SlideTexts,
  blocks: LaidOutBlock[],
  gap: number,
  height: number,
  { options: { canvas }, area }: LayoutContext,
): SlideLayout {
  const texts = [
    { id: "heading", content: heading },
    { id: "body", content: body },
  ].filter(({ content }) => content !== "");
  let top = area.top + (area.height - height) / 2;
  return blocks.map((block, at) => {
    const center = top + getBlockHeight(block) / 2;
    top += getBlockHeight(block) + gap;
    const { id, content } = texts[at] ?? { id: "body", content: "" };
    const percent = (value: number) => Number(value.toFixed(3));
    return {
      ...{ id, content, x: 50, y: percent((center * 100) / canvas.height) },
      ...{ width: percent((block.width * 100) / canvas.width), font_size: block.fontSize },
    };
  });
}

/** The longest beginning of whole words that fits, and an ellipsis. */
async function shorten(
  text: string,
  tryLayout: (text: string) => Promise<SlideLayout | null>,
): Promise<SlideLayout | null> {
  const graphemes = splitGraphemes(text);
  const wordEnds = listWordEnds(text);
  const cut = (length: number) => {
    const start = graphemes.slice(0, length).join("");
    // A first word that does not fit is cut.
    const end = wordEnds.findLast((offset) => offset <= start.length);
    return length === 0 ? "" : `${start.slice(0, end)}…`;
  };
  let [low, high] = [0, graphemes.length];
  let best = await tryLayout(cut(0));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const fitting = await tryLayout(cut(middle));
    if (fitting) {
      best = fitting;
      low = middle;
    } else high = middle - 1;
  }
  return best;
}
