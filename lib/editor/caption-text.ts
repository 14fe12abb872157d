// The text of a caption: how words are joined, how wide they are, and where the lines break. Full-width characters count two.
import { eastAsianWidth } from "get-east-asian-width";
import type { ProjectWord } from "../shared/project-document.ts";
import { ENDS_UNSPACED, UNSPACED_LETTER, WIDE_SIGN } from "../shared/scripts.ts";
import { endsClause, isAbbreviated } from "../shared/sentence-end.ts";

type Words = readonly Pick<ProjectWord, "text">[];

export const MAX_WIDTH = 42;
/** A wider caption has two lines: the width of a phone takes about as much of a usual font. */
const MAX_WIDTH_OF_ONE_LINE = 24;
/**
 * 13 characters a line in Japanese, 16 in Chinese and Korean, counted twice. They are those of Netflix, read 2026-11-28:
 * https://partnerhelp.netflixstudios.com/hc/en-us/articles/215994807-Chinese-Traditional-Timed-Text-Style-Guide for Chinese,
 * https://sublingo.cc/guides/subtitle-specs-by-language, which quotes the guides, for the others.
 */
const LINE_WIDTHS = [
  { script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, width: 26 },
  { script: /[\p{Script=Han}\p{Script=Hangul}]/u, width: 32 },
];
/** A line break at the end of a clause outweighs this many characters of unequal length. */
const CLAUSE_BONUS = 6;
/** A line break between Dr. and the name is as bad as this many. */
const ABBREVIATION_PENALTY = 12;

/** Joins words with spaces, except in scripts that are written without. */
export function joinWords(words: Words): string {
  const [first, ...others] = words;
  const joined = others.reduce(
    (before, { text }) => `${before}${isUnspaced(before, text) ? "" : " "}${text}`,
    first?.text ?? "",
  );
  return joined.trimEnd();
}

const BEGINS_UNSPACED = new RegExp(`^(?:[\\p{Ps}\\p{Pi}]|[\\p{P}\\p{Z}]*${UNSPACED_LETTER.source})`, "u");

/** Punctuation takes the side of its letter; brackets and quotation marks open without a space, unless the word before it keeps one. */
const isUnspaced = (before: string, after: string): boolean =>
  (ENDS_UNSPACED.test(before) && BEGINS_UNSPACED.test(after)) ||
  WIDE_SIGN.test(before.slice(-1)) ||
  WIDE_SIGN.test(after.slice(0, 1));

const graphemes = new Intl.Segmenter();
/** Letters of one column each, most of what is measured. */
const NARROW = /^[\x20-\u02ff\u0370-\u0482\u2010-\u2027]*$/;

export function measureWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + measureCharacter(segment), 0);
}

const measureCharacter = (character: string): number => eastAsianWidth(character.codePointAt(0) ?? 0);

/** A caption of one line, or of two of nearly equal length. A single word that is too long for a line is broken. */
export function toCaptionText(words: Words): string {
  return breakLines(words) ?? joinWords(words);
}

/** Returns true if a caption of these words has at most two lines, each within the limit. */
export function fitsLines(words: Words, width: number): boolean {
  return width <= MAX_WIDTH && (width <= getLineWidth(joinWords(words)) || breakLines(words) !== null);
}

/** Null when no break between words makes two lines that fit. */
function breakLines(words: Words): string | null {
  const text = joinWords(words);
  const width = measureWidth(text);
  if (words.length === 1) return width <= getLineWidth(text) ? text : breakWord(text);
  if (width <= MAX_WIDTH_OF_ONE_LINE) return text;
  let best: { lines: string; cost: number } | null = null;
  for (let index = 1; index < words.length; index++) {
    const [first, second] = [joinWords(words.slice(0, index)), joinWords(words.slice(index))];
    const [a, b] = [measureWidth(first), measureWidth(second)];
    const penalty = isAbbreviated(first, second) ? ABBREVIATION_PENALTY : 0;
    const cost = Math.abs(a - b) + penalty - (endsClause(first, second) ? CLAUSE_BONUS : 0);
    if (Math.max(a, b) <= getLineWidth(text) && (!best || cost < best.cost))
      best = { lines: `${first}\n${second}`, cost };
  }
  return best?.lines ?? null;
}

const getLineWidth = (text: string): number => LINE_WIDTHS.find(({ script }) => script.test(text))?.width ?? MAX_WIDTH;

/** Two lines of about the same width. */
function breakWord(text: string): string {
  const [first = "", second = ""] = cutIntoParts(text, 2);
  return `${first}\n${second}`;
}

/** The word itself, or parts of it that fit into two lines each. */
export function splitToFit(text: string): string[] {
  const count = Math.ceil(measureWidth(text) / (2 * getLineWidth(text)));
  return count > 1 ? cutIntoParts(text, count) : [text];
}

/** Parts of about the same width, without breaking a character. */
function cutIntoParts(text: string, count: number): string[] {
  const width = measureWidth(text) / count;
  const parts = Array.from({ length: count }, () => "");
  let reached = 0;
  for (const { segment } of graphemes.segment(text)) {
    parts[Math.min(count - 1, Math.floor(reached / width))] += segment;
    reached += measureCharacter(segment);
  }
  return parts;
}
