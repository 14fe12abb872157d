// Builds the renderer's nodes of texts: boxes, outlines and letters of each line, from back to front.
import type { Node } from "@takumi-rs/helpers";
import { isDarkColor } from "./contrast.ts";
import { splitGraphemes } from "./line-breaks.ts";
import { getBlockHeight, getBoxPadding, type LaidOutBlock, type TextLine } from "./text-layout.ts";

type Style = NonNullable<Node["style"]>;

/** Emoji of which every colour has a luminance of at most 0.08, so that they are hard to see where letters are light. */
const DARK_EMOJI = /^(?:[◾⚫⬛➰🐜🐾👣👾📞🔙🔚🔛🔜🔝🖤]\uFE0F?|[◼🕶🕷]\uFE0F)$/u;
/** As a multiple of the font size; the emoji covers half of it. */
const EMOJI_OUTLINE_WIDTH = 0.08;

export function buildTextNodes(block: LaidOutBlock): Node[] {
  const { style, fontSize } = block;
  const { outline, shadow, color } = style;
  const layers: LetterStyles[] = [
    ...(outline ? [{ all: buildStroke(outline.color, outline.width) }] : []),
    ...(isDarkColor(color)
      ? []
      : [{ all: { color: "transparent" }, darkEmoji: buildStroke(color, fontSize * EMOJI_OUTLINE_WIDTH) }]),
    { all: { color, ...(shadow ? { textShadow: shadow } : {}) } },
  ];
  return [
    ...buildBoxNodes(block),
    // The renderer paints an outline over the letters, so the letters are rendered again on top of it.
    ...layers.flatMap((layer) =>
      block.lines.flatMap((line, at) =>
        line.text === "" || (layer.darkEmoji && !splitGraphemes(line.text).some(isDarkEmoji))
          ? []
          : [buildLineNode(block, line, at, layer)],
      ),
    ),
  ];
}

/** The styles of a line in one layer. */
interface LetterStyles {
  all: Style;
  darkEmoji?: Style;
}

function buildStroke(color: string, width: number): Style {
  return { color, WebkitTextStrokeWidth: `${width}px`, WebkitTextStrokeColor: color, strokeLinejoin: "round" };
}

function isDarkEmoji(grapheme: string): boolean {
  return DARK_EMOJI.test(grapheme);
}

/** Splits a text before and after its dark emoji. */
function splitDarkEmoji(text: string): string[] {
  const parts: string[] = [];
  let joins = false;
  for (const grapheme of splitGraphemes(text)) {
    const dark = isDarkEmoji(grapheme);
    if (joins && !dark) parts.push(`${parts.pop() ?? ""}${grapheme}`);
    else parts.push(grapheme);
    joins = !dark;
  }
  return parts;
}

function buildLineNode(block: LaidOutBlock, { text, rightToLeft }: TextLine, at: number, styles: LetterStyles): Node {
  const { width, align, lineHeight, fontSize } = block;
  const padding = getBoxPadding(block);
  // Wider than the line, so that a line which fills its width is not broken again.
  const slack = { left: align === "left" ? 0 : fontSize, right: align === "right" ? 0 : fontSize };
  const style: Style = {
    position: "absolute",
    left: getLeft(block) + padding - slack.left,
    top: getTop(block) + at * lineHeight,
    width: width - 2 * padding + slack.left + slack.right,
    display: "block",
    textAlign: align,
    whiteSpace: "nowrap",
    lineHeight: `${lineHeight}px`,
    fontSize,
    direction: rightToLeft ? "rtl" : "ltr",
  };
  const { all, darkEmoji } = styles;
  const children = (darkEmoji ? splitDarkEmoji(text) : [text]).map((part): Node => {
    const letters = darkEmoji && isDarkEmoji(part) ? darkEmoji : all;
    return { type: "text", text: part, style: { display: "inline", ...letters, fontSize } };
  });
  // Positioned, because positioned nodes are painted over others, in tree order.
  return { type: "container", style, children };
}

function getLeft({ x, width }: LaidOutBlock): number {
  return x - width / 2;
}

function getTop(block: LaidOutBlock): number {
  return Math.round(block.y - getBlockHeight(block) / 2);
}

interface BoxRow {
  left: number;
  right: number;
  from: number;
  to: number;
}

/** Lines whose widths differ by less than this multiple of the font size share one box. */
const MERGE_DIFFERENCE = 0.44;

function buildBoxNodes(block: LaidOutBlock): Node[] {
  const { style, lineHeight, fontSize } = block;
  if (!style.box) return [];
  const { color } = style.box;
  const radius = Math.min(style.box.radius, lineHeight / 2);
  const rows = mergeRows(block, Math.max(2 * radius, fontSize * MERGE_DIFFERENCE));
  return rows.map((row, at) => {
    const [above, below] = [rows[at - 1], rows[at + 1]];
    // A corner is round where no neighbour continues the box.
    const corner = (neighbour: BoxRow | undefined, side: "left" | "right") => {
      if (!neighbour) return radius;
      const outwards = side === "left" ? neighbour.left - row.left : row.right - neighbour.right;
      return outwards > 0 ? Math.min(radius, outwards) : 0;
    };
    const box: Style = {
      position: "absolute",
      left: row.left,
      top: getTop(block) + row.from * lineHeight,
      width: row.right - row.left,
      height: (row.to - row.from) * lineHeight,
      backgroundColor: color,
      borderTopLeftRadius: corner(above, "left"),
      borderTopRightRadius: corner(above, "right"),
      borderBottomLeftRadius: corner(below, "left"),
      borderBottomRightRadius: corner(below, "right"),
    };
    return { type: "container", style: box, children: [] };
  });
}

/** One row per line; neighbours of nearly the same width become one. An empty line has no box. */
function mergeRows(block: LaidOutBlock, mergeDifference: number): BoxRow[] {
  const rows: BoxRow[] = [];
  for (const [at, line] of block.lines.entries()) {
    if (line.text === "") continue;
    const row = { ...getSides(block, line.width), from: at, to: at + 1 };
    rows.push(row);
    for (let last = rows.length - 1; last > 0; last--) {
      const [one, other] = [rows[last - 1], rows[last]];
      if (!one || !other || one.to !== other.from) break;
      if (Math.abs(one.right - one.left - (other.right - other.left)) >= mergeDifference) break;
      rows.splice(last - 1, 2, {
        left: Math.min(one.left, other.left),
        right: Math.max(one.right, other.right),
        from: one.from,
        to: other.to,
      });
    }
  }
  return rows;
}

function getSides(block: LaidOutBlock, textWidth: number): { left: number; right: number } {
  const width = textWidth + 2 * getBoxPadding(block);
  const left = { left: getLeft(block), right: getLeft(block) + block.width - width, center: block.x - width / 2 };
  return { left: left[block.align], right: left[block.align] + width };
}
