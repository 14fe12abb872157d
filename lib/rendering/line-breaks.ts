// Finds where a line of text may be broken, by the rules of Unicode (UAX #14).
import LineBreaker from "linebreak";

/** A part of a text that stays on one line, unless it is longer than a line. */
export interface Segment {
  text: string;
  /** Followed by a space, which disappears at the end of a line. */
  spaced: boolean;
  /** The next segment continues a word, or a phrase of Chinese or Japanese. */
  insideWord: boolean;
  /** A hyphen appears if the line ends here. */
  hyphenated: boolean;
}

/** Scripts without spaces between words, which need a dictionary. */
const DICTIONARY_SCRIPT = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Scripts that break between any two characters, but read better when broken between words. */
const IDEOGRAPHIC = /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u;
/** Begins an ending or a particle, which belong to what is before them. */
const PARTICLE = /[\p{Script=Hiragana}的了嗎吗呢吧們们]/u;
/** Numbers with their counters, and words in katakana, which the dictionary splits. */
const UNIT = /^(\p{Nd}.|\p{Script_Extensions=Katakana}{2})$/u;
const SPACES = /[^\S\u00a0\u202f]+/g;
const SOFT_HYPHEN = "\u00ad";
/** Codes of ISO 4217, which are before or after the amount. */
const CURRENCY_CODES =
  "EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|HUF|RON|BGN|TRY|UAH|RUB|JPY|CNY|KRW|INR|BRL|MXN|CAD|AUD|NZD|SGD|HKD|TWD|ZAR|AED|SAR|ILS|EGP|NGN|KES|THB|IDR|MYR|PHP|VND";
const CURRENCY_WORDS = "zł|Kč|kr|Ft|lei|Rs|лв|руб|грн";
const LARGE_NUMBERS = "Tsd|Mio|Mrd|tys|mln|mld|mil|тыс|млн|млрд";
const UNITS = [
  "[kcmdµμn]?m[²³]?|ha|[kmµμ]?g|t|[mcdh]?[lL]|ms|s|min|Min|h|Std|Uhr|[ap]m|[AP]M",
  "[kKMGT]B|[kMG]?Hz|[kM]?Wh?|m?Ah|k?V|kcal|kJ|km/h|m/s|mph|fps|px|dB",
  "ft|lbs?|oz|[кмсд]?м[²³]?|[км]?г|м?л|ч|мин|сек",
].join("|");
const AMOUNT = `[kM]?\\p{Sc}|(?:${CURRENCY_CODES}|${CURRENCY_WORDS})(?![\\p{L}\\p{Nd}])`;
/** What a space does not part: 5 €, $ 5, 100 %, 10 000, « Bonjour ! ». Writers rarely type the no-break space that belongs there. */
const KEPT_TOGETHER = [
  {
    before: /\p{Nd}$/u,
    after: new RegExp(
      `^(?:${AMOUNT}|[%％٪‰°℃℉]|\\p{Nd}{3}(?!\\p{Nd})|(?:${UNITS}|${LARGE_NUMBERS})(?![\\p{L}\\p{Nd}'’]))`,
      "u",
    ),
  },
  { before: new RegExp(`\\p{Nd} (?:${LARGE_NUMBERS})\\.?$`, "u"), after: new RegExp(`^(?:${AMOUNT})`, "u") },
  {
    before: new RegExp(`(?:\\p{Sc}|(?<!\\p{L})(?:${CURRENCY_CODES}|kr|Rs)\\.?)$`, "u"),
    after: /^\p{Nd}/u,
  },
  { before: /[«‹„¿¡([{]$/u, after: /^/u },
  { before: /^/u, after: /^(?:[»›!?;:%％٪)\]}।॥۔]|…(?![\p{L}\p{Nd}]))/u },
];
/** Characters on each side of a space that these rules see. */
const KEPT_CONTEXT = 8;

/** `keepWords` breaks only at spaces, as Korean does. */
export function splitSegments(paragraph: string, keepWords: boolean): Segment[] {
  const text = paragraph.replace(SPACES, " ").trim();
  const graphemes = new Set(segmentText(text, "grapheme").map(({ index }) => index));
  const offsets = [...listBreaks(text), ...listDictionaryBreaks(text)]
    .filter((offset) => graphemes.has(offset) && (!keepWords || text[offset - 1] === " ") && !isKept(text, offset))
    .sort((a, b) => a - b);
  const edges = [...new Set([0, ...offsets, text.length])];
  const words = new Set(IDEOGRAPHIC.test(text) ? segmentText(text, "word").map(({ index }) => index) : []);
  return edges.slice(1).flatMap((end, at) => {
    const part = text.slice(edges[at], end);
    const trimmed = part.trimEnd().replaceAll(SOFT_HYPHEN, "");
    const hyphenated = part.endsWith(SOFT_HYPHEN);
    const insideWord = hyphenated || continuesWord(text, end, words);
    return trimmed === "" ? [] : [{ text: trimmed, spaced: part.endsWith(" "), insideWord, hyphenated }];
  });
}

function isKept(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - KEPT_CONTEXT), offset);
  const after = text.slice(offset, offset + KEPT_CONTEXT);
  return (
    before.endsWith(" ") && KEPT_TOGETHER.some((kept) => kept.before.test(before.trimEnd()) && kept.after.test(after))
  );
}

function continuesWord(text: string, offset: number, words: Set<number>): boolean {
  const [before = "", after = ""] = [text[offset - 1], text[offset]];
  if (!LETTER_OR_DIGIT.test(before) || !LETTER_OR_DIGIT.test(after) || !IDEOGRAPHIC.test(after)) return false;
  return PARTICLE.test(after) || UNIT.test(before + after) || !words.has(offset);
}

export function splitGraphemes(text: string): string[] {
  return segmentText(text, "grapheme").map(({ segment }) => segment);
}

/** Offsets of the ends of words, without punctuation. */
export function listWordEnds(text: string): number[] {
  return segmentText(text, "word").flatMap(({ index, segment, isWordLike }) =>
    isWordLike ? [index + segment.length] : [],
  );
}

const SEGMENTERS = {
  grapheme: new Intl.Segmenter("th", { granularity: "grapheme" }),
  word: new Intl.Segmenter("th", { granularity: "word" }),
};

function segmentText(text: string, granularity: "grapheme" | "word"): Intl.SegmentData[] {
  return [...SEGMENTERS[granularity].segment(text)];
}

function listBreaks(text: string): number[] {
  const breaker = new LineBreaker(text);
  const offsets: number[] = [];
  for (let found = breaker.nextBreak(); found; found = breaker.nextBreak()) offsets.push(found.position);
  return offsets;
}

function listDictionaryBreaks(text: string): number[] {
  if (!DICTIONARY_SCRIPT.test(text)) return [];
  return segmentText(text, "word").flatMap(({ index, segment, isWordLike }) => {
    const inside = isWordLike && DICTIONARY_SCRIPT.test(segment) && DICTIONARY_SCRIPT.test(text[index - 1] ?? "");
    return inside ? [index] : [];
  });
}
