// Finds where a line of text may be broken, by the rules of Unicode (UAX #14).
import LineBreaker from "linebreak";

/** A part of a text that stays on one line, unless it is longer than a line. */
export interface Segment {
  text: string;
  /** Followed by a space, which disappears at the end of a line. */
  spaced: boolean;
  /** The next segment continues a word, or a phrase of Chinese or Japanese. */
  insideWord: boolean;
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

/** `keepWords` breaks only at spaces, as Korean does. */
export function splitSegments(paragraph: string, keepWords: boolean): Segment[] {
  const text = paragraph.replace(SPACES, " ").trim();
  const graphemes = new Set(segmentText(text, "grapheme").map(({ index }) => index));
  const offsets = [...listBreaks(text), ...listDictionaryBreaks(text)]
    .filter((offset) => graphemes.has(offset) && (!keepWords || text[offset - 1] === " "))
    .sort((a, b) => a - b);
  const edges = [...new Set([0, ...offsets, text.length])];
  const words = new Set(IDEOGRAPHIC.test(text) ? segmentText(text, "word").map(({ index }) => index) : []);
  return edges.slice(1).flatMap((end, at) => {
    const part = text.slice(edges[at], end);
    const trimmed = part.trimEnd();
    const insideWord = continuesWord(text, end, words);
    return trimmed === "" ? [] : [{ text: trimmed, spaced: part.endsWith(" "), insideWord }];
  });
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

function segmentText(text: string, granularity: "grapheme" | "word"): Intl.SegmentData[] {
  return [...new Intl.Segmenter("th", { granularity }).segment(text)];
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
