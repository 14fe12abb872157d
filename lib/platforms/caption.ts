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

/** Threads: a grapheme with an emoji counts its UTF-8 bytes, any other its code points. */
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

export interface CaptionLength {
  length: number;
  /** False when `length` is a lower bound. */
  isExact: boolean;
}

/** In UTF-16 units. Texts of at most this length are always measured whole. */
const PREFIX_LENGTH = 5_000;

/** By how much a prefix may count more than the text: a domain name of 253 characters counts 23, but not when it is cut. */
const CUT_MARGIN = 300;

/** Caches the last result of each unit, because all accounts of a post have the same caption. */
const lastMeasured = new Map<CaptionUnit, { text: string; limit: number; result: CaptionLength }>();

/** Measures a caption. If its prefix already exceeds the limit, returns a lower bound and does not measure the rest. */
export function measureWithinLimit(text: string, unit: CaptionUnit, limit: number): CaptionLength {
  const last = lastMeasured.get(unit);
  if (last?.limit === limit && last.text === text) return last.result;
  const lowerBound = isCheapToMeasure(unit, text) ? 0 : measureCaption(text.slice(0, PREFIX_LENGTH), unit) - CUT_MARGIN;
  const isExact = lowerBound <= limit;
  const result = { length: isExact ? measureCaption(text, unit) : lowerBound, isExact };
  lastMeasured.set(unit, { text, limit, result });
  return result;
}

function isCheapToMeasure(unit: CaptionUnit, text: string): boolean {
  return unit === "utf16" || unit === "utf8_bytes" || text.length <= PREFIX_LENGTH;
}

/** Compares normalized texts, because networks trim and collapse white space. */
export function isSameText(a: string, b: string): boolean {
  const plain = (text: string) => text.normalize("NFC").replace(/\s+/gu, " ").trim();
  return plain(a) === plain(b);
}
