// Measures a caption in the unit of its network.
import { segmentGraphemes } from "./graphemes.ts";
import type { CaptionUnit } from "./rules.ts";
import { measureWeightedLength } from "./weighted-length.ts";

const utf8 = new TextEncoder();

const COUNTERS: Record<CaptionUnit, (text: string) => number> = {
  utf16: (text) => text.length,
  graphemes: (text) => [...segmentGraphemes(text)].length,
  utf8_bytes: (text) => utf8.encode(text).length,
  emoji_as_bytes: countEmojiAsBytes,
  weighted: measureWeightedLength,
};

/** Any emoji: pictographs, flags, keycaps, skin tones, and characters with an emoji variation selector. */
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Presentation}|\p{Regional_Indicator}|\u{FE0F}|\u{20E3}/u;

/** Threads: an emoji counts all its UTF-8 bytes, any other character counts 1. */
function countEmojiAsBytes(text: string): number {
  let length = 0;
  for (const { segment } of segmentGraphemes(text)) {
    length += EMOJI.test(segment) ? utf8.encode(segment).length : [...segment].length;
  }
  return length;
}

export function measureCaption(text: string, unit: CaptionUnit): number {
  return COUNTERS[unit](text);
}

export interface LimitedLength {
  length: number;
  /** False when only the head was measured: the text has at least `length`. */
  isExact: boolean;
}

/** In UTF-16 units. A text up to it is always measured whole. */
const HEAD_LENGTH = 5_000;

/** More than the length of a head can exceed that of the whole: a domain name of 253 characters that it cuts counts 23. */
const CUT_LENGTH = 300;

/** The last result of each unit: the accounts of a post have the same caption. */
const lastMeasured = new Map<CaptionUnit, { text: string; limit: number; result: LimitedLength }>();

/** Measures a text that may be too long: of a long one only its head, when that cannot fit. */
export function measureUpTo(limit: number, text: string, unit: CaptionUnit): LimitedLength {
  const last = lastMeasured.get(unit);
  if (last?.limit === limit && last.text === text) return last.result;
  const atLeast = isCheap(unit, text) ? 0 : measureCaption(text.slice(0, HEAD_LENGTH), unit) - CUT_LENGTH;
  const isExact = atLeast <= limit;
  const result = { length: isExact ? measureCaption(text, unit) : atLeast, isExact };
  lastMeasured.set(unit, { text, limit, result });
  return result;
}

function isCheap(unit: CaptionUnit, text: string): boolean {
  return unit === "utf16" || unit === "utf8_bytes" || text.length <= HEAD_LENGTH;
}
