// Breaks the texts of a slide into lines of balanced length, by the widths that the renderer measures.

import { at } from "../shared/at.ts";
import { type Segment, splitGraphemes, splitSegments } from "./line-breaks.ts";
import type { TextBlock } from "./text-blocks.ts";

/** Width of each text on one line, as a multiple of the font size. */
export type MeasureTexts = (texts: string[]) => Promise<number[]>;

export interface TextLine {
  text: string;
  /** Pixels. */
  width: number;
  /** Of its paragraph, so that a line which begins with a foreign word reads like the others. */
  rightToLeft: boolean;
}

export interface LaidOutBlock extends TextBlock {
  lines: TextLine[];
  /** Whole pixels, so that the boxes of two lines meet without a seam. */
  lineHeight: number;
  /** A word was longer than a line. */
  wordsBroken: boolean;
}

/** Horizontal padding of a box, as a multiple of the font size. */
const BOX_SIDE_PADDING = 0.36;

export function getBoxPadding({ style, fontSize }: TextBlock): number {
  return style.box ? fontSize * BOX_SIDE_PADDING : 0;
}

export function getBlockHeight({ lines, lineHeight }: LaidOutBlock): number {
  return lines.length * lineHeight;
}

export interface TextLayouter {
  layOut(block: TextBlock): Promise<LaidOutBlock>;
}

/** Widths are remembered, so that laying out the same text in another size measures nothing. */
export function createTextLayouter(measure: MeasureTexts): TextLayouter {
  const widths = new Map<string, number>();

  async function loadWidths(texts: string[]): Promise<void> {
    const missing = [...new Set(texts)].filter((text) => !widths.has(text));
    if (missing.length === 0) return;
    const measured = await measure(missing);
    for (const [index, text] of missing.entries()) widths.set(text, at(measured, index));
  }
  const widthOf = (text: string) => widths.get(text) ?? 0;

  async function breakParagraph(
    paragraph: string,
    block: TextBlock,
  ): Promise<{ lines: string[]; wordsBroken: boolean; rightToLeft: boolean }> {
    const maxWidth = Math.max(0, (block.width - 2 * getBoxPadding(block)) / block.fontSize);
    const segments = splitSegments(paragraph, block.keepWords);
    await loadWidths([...segments.map(({ text }) => text), " ", HYPHEN]);
    const long = segments.filter(({ text }) => widthOf(text) > maxWidth).flatMap(({ text }) => splitGraphemes(text));
    await loadWidths(long);
    const fitting = segments.flatMap((segment) =>
      widthOf(segment.text) > maxWidth ? splitLongSegment(segment, maxWidth, widthOf) : [segment],
    );
    await loadWidths(fitting.map(({ text }) => text));
    const lines = balanceLines(fitting, maxWidth, widthOf);
    return { lines, wordsBroken: long.length > 0, rightToLeft: isRightToLeft(paragraph) };
  }

  return {
    async layOut(block) {
      const paragraphs = [];
      for (const paragraph of block.paragraphs) paragraphs.push(await breakParagraph(paragraph, block));
      await loadWidths(paragraphs.flatMap(({ lines }) => lines));
      return {
        ...block,
        lines: paragraphs.flatMap(({ lines, rightToLeft }) =>
          lines.map((text) => ({ text, width: widthOf(text) * block.fontSize, rightToLeft })),
        ),
        lineHeight: Math.max(1, Math.round(block.fontSize * block.style.lineHeight)),
        wordsBroken: paragraphs.some(({ wordsBroken }) => wordsBroken),
      };
    },
  };
}

/** The first letter decides the direction of a paragraph: https://unicode.org/reports/tr9/#P2, read 2026-11-27. */
const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

function isRightToLeft(paragraph: string): boolean {
  const [letter] = FIRST_LETTER.exec(paragraph) ?? [];
  return letter !== undefined && RIGHT_TO_LEFT.test(letter);
}

type WidthOf = (text: string) => number;

function splitLongSegment({ text, ...end }: Segment, maxWidth: number, widthOf: WidthOf): Segment[] {
  const parts: Segment[] = [];
  let width = 0;
  for (const grapheme of splitGraphemes(text)) {
    const last = parts.at(-1);
    width += widthOf(grapheme);
    if (last && width <= maxWidth) last.text += grapheme;
    else {
      parts.push({ text: grapheme, spaced: false, insideWord: true, hyphenated: false });
      width = widthOf(grapheme);
    }
  }
  const last = parts.at(-1);
  if (last) Object.assign(last, end);
  return parts;
}

/** A longer paragraph is filled line by line, because the search takes the square of its length. */
const MAX_BALANCED_SEGMENTS = 300;

/** Added to the sum of the squares, in squares of the font size, for a last line of one word: browsers add 10,000 px². */
const SINGLE_WORD_PENALTY = 4;
/** For a line that ends inside of a word: outweighs that of two lines, one is longer by five characters. */
const SPLIT_WORD_PENALTY = 16;

/** Returns as few lines as `maxWidth` allows, of lengths as equal as possible: the least sum of their costs. */
function balanceLines(segments: Segment[], maxWidth: number, widthOf: WidthOf): string[] {
  const filled = fillLines(segments, maxWidth, widthOf);
  if (filled.length < 2 || segments.length > MAX_BALANCED_SEGMENTS) return filled;
  const candidates = segments.map((_, start) => listLines(segments, start, maxWidth, widthOf));
  // Of the first `end` segments in a number of lines: the least sum, and where the last line begins.
  let sums = [0, ...segments.map(() => Number.POSITIVE_INFINITY)];
  const starts: number[][] = [];
  for (let line = 0; line < filled.length; line++) {
    const previous = sums;
    const from = new Array<number>(segments.length + 1).fill(0);
    sums = previous.map(() => Number.POSITIVE_INFINITY);
    for (const [start, lines] of candidates.entries()) {
      for (const { end, cost } of lines) {
        const sum = at(previous, start) + cost;
        if (sum >= at(sums, end) - TOLERANCE) continue;
        sums[end] = sum;
        from[end] = start;
      }
    }
    starts.push(from);
  }
  // A single character is wider than `maxWidth`.
  if (!Number.isFinite(sums[segments.length])) return filled;
  const lines: string[] = [];
  for (let end = segments.length, line = filled.length - 1; line >= 0; line--) {
    const start = at(at(starts, line), end);
    lines.unshift(joinSegments(segments.slice(start, end), end === segments.length));
    end = start;
  }
  return lines;
}

/** The lines that can begin with the segment `start`. The cost is the square of the length, with the penalties. */
function listLines(segments: Segment[], start: number, maxWidth: number, widthOf: WidthOf) {
  const lines: { end: number; cost: number }[] = [];
  let width = 0;
  for (let end = start + 1; end <= segments.length; end++) {
    const last = at(segments, end - 1);
    width += widthOf(last.text);
    if (width > maxWidth + TOLERANCE) break;
    const shown = width + (last.hyphenated && end < segments.length ? widthOf(HYPHEN) : 0);
    const penalty =
      (start === segments.length - 1 ? SINGLE_WORD_PENALTY : 0) + (last.insideWord ? SPLIT_WORD_PENALTY : 0);
    if (shown <= maxWidth + TOLERANCE) lines.push({ end, cost: shown ** 2 + penalty });
    if (last.spaced) width += widthOf(" ");
  }
  return lines;
}

function joinSegments(segments: Segment[], isLast: boolean): string {
  const text = segments.map(({ text, spaced }) => (spaced ? `${text} ` : text)).join("");
  return `${text.trimEnd()}${!isLast && segments.at(-1)?.hyphenated ? HYPHEN : ""}`;
}

/** Always returns at least one line, because empty lines take space too. */
function fillLines(segments: Segment[], maxWidth: number, widthOf: WidthOf): string[] {
  const lines: Segment[][] = [[]];
  let width = 0;
  for (const [index, segment] of segments.entries()) {
    const line = at(lines, -1);
    const gap = line.at(-1)?.spaced ? widthOf(" ") : 0;
    const added = widthOf(segment.text);
    const hyphen = segment.hyphenated && index < segments.length - 1 ? widthOf(HYPHEN) : 0;
    if (line.length > 0 && width + gap + added + hyphen > maxWidth + TOLERANCE) {
      lines.push([segment]);
      width = added;
    } else {
      line.push(segment);
      width += gap + added;
    }
  }
  return lines.map((line, index) => joinSegments(line, index === lines.length - 1));
}

/** What a soft hyphen shows at the end of a line. */
const HYPHEN = "-";
/** Rounding of the measured widths. */
const TOLERANCE = 1e-3;
