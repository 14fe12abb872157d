// Splits a text into the words that captions are made of. Punctuation belongs to a word, and so do the parts of don't and $5.99.
import { ENDS_UNSPACED, UNSPACED_LETTER, WIDE_SIGN } from "../shared/scripts.ts";
import { endsSentence } from "../shared/sentence-end.ts";

/** Where the word stands in the text; its own text may lack spaces of that range. */
interface WrittenWord {
  text: string;
  from: number;
  until: number;
}

interface Token extends WrittenWord {
  /** Follows the token before it without a space. */
  glued: boolean;
  /** Belongs to the token after it. */
  opens: boolean;
  /** What was joined last. */
  last: string;
}

interface Spacing {
  /** Spaces are as somebody wrote them; otherwise they only separate the pieces of a list. */
  isWritten: boolean;
}

const NO_BREAK_SPACE = "\u00a0";
/** Everything that is heard, which spaces and punctuation are not. */
export const SIGNIFICANT = /[\p{L}\p{N}\p{M}\p{S}&]/u;
const DASH = /^[-‐‑–—―]$/u;
/** A word with its endings in hiragana has up to this many letters, or a little more with a particle of one or two. */
const MAX_HIRAGANA_WORD = 8;
const MAX_WORD_WITH_PARTICLE = 12;
const MAX_MIXED_WORD = 20;
const PHRASE_END = new RegExp(
  `(?<=${UNSPACED_LETTER.source})\\s+(?=[\\p{Ps}\\p{Pi}]|\\p{P}*${UNSPACED_LETTER.source})`,
  "gu",
);
/** The average number of characters of a phrase, at least. */
const MIN_PHRASE_LENGTH = 8;
const ELIDED =
  /(?:^|[^\p{L}'’])(?:[cdjlmnsty]|qu|jusqu|lorsqu|puisqu|quoiqu|aujourd|(?:d|n|s)?[ae]ll|quell|quest|sull|un|o)$/iu;
const CONTRACTED = /^(?:ll|s|t|re|ve|d|m|all|clock|hui)$/iu;
/** Digits, capitals and 9-to take the number after a hyphen: 555-1234, COVID-19. After other words it is negative. */
const TAKES_HYPHENATED_NUMBER = /(?:\d|\d[-‐‑–]\p{L}+|(?:^|[^\p{L}])(?!I$)(?:\p{Lu}+|Covid))$/u;
/** The letters before the sharp of a programming language or of a note: C#, F#. */
const SHARP = /^[A-GJ]$/;
/** A name such as .NET or .com follows these words. */
const ARTICLE = /^(?:an?|the|der|die|das|ein|eine|les?|la|une?|el|los|las)$/iu;
/** These quotation marks close what their partners have opened, and open otherwise. */
const CLOSES: Record<string, string> = { "“": "„", "‘": "‚", "«": "»", "»": "«", "‹": "›", "›": "‹" };
const STANDS_ALONE = /^['’](?:em|cause|cuz|til|tis|twas|bout|round|n)(?!\p{L})/iu;

export function splitWords(text: string, { isWritten }: Spacing): WrittenWord[] {
  const tokens = [...text.matchAll(/(?:[\u00a0\u202f]|\S)+/gu)].flatMap(({ 0: run, index }) => splitRun(run, index));
  const words: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    const previous = words.at(-1);
    const next = tokens[index + 1];
    const before = { text: text.slice(0, token.from), previous: previous?.text ?? "" };
    const opens =
      isOpening(token.text, before, next?.text ?? "") ||
      (!previous && !SIGNIFICANT.test(token.text)) ||
      isDialogueDash(token, previous, next);
    const joint = previous ? findJoint(previous, token, { opens, isWritten }) : null;
    if (previous && joint !== null) {
      previous.text += joint + token.text;
      previous.until = token.until;
      previous.opens = opens;
      previous.last = token.text;
    } else words.push({ ...token, opens });
  }
  const phraseEnds = isWritten ? findPhraseEnds(text) : new Set();
  return words
    .filter((word) => SIGNIFICANT.test(word.text))
    .map(({ text, from, until }) => ({ text: phraseEnds.has(until) ? `${text} ` : text, from, until }));
}

/** Finds where a space ends a phrase of a script that puts none between words. Some recognizers put one between all words. */
function findPhraseEnds(text: string): Set<number> {
  const ends = [...text.matchAll(PHRASE_END)].map(({ index }) => index);
  return new Set(ends.length * MIN_PHRASE_LENGTH <= text.length ? ends : []);
}

/** A run without spaces is one token, or several in a script without spaces. */
function splitRun(run: string, index: number): Token[] {
  const toToken = (text: string, from: number): Token => {
    return { text, from, until: from + text.length, glued: from > index, opens: false, last: text };
  };
  if (!UNSPACED_LETTER.test(run)) return [toToken(run, index)];
  const segments = new Intl.Segmenter(undefined, { granularity: "word" }).segment(run);
  return [...segments].map(({ segment, index: at }) => toToken(segment, index + at));
}

/** Brackets, quotation marks and currency signs belong to what follows; some quotation marks open and close. */
function isOpening(token: string, before: { text: string; previous: string }, next: string): boolean {
  if (SIGNIFICANT.test(token)) return /^\p{Sc}$/u.test(token) && /^\d/.test(next) && !/\d$/.test(before.previous);
  const mark = token.slice(-1);
  const count = (one: string) => before.text.split(one).length - 1;
  if (mark === '"') return count(mark) % 2 === 0;
  const partner = CLOSES[mark];
  if (partner) return count(partner) <= count(mark);
  return /[\p{Ps}¿¡@]/u.test(mark) || (mark === "#" && next !== "" && !SHARP.test(before.previous));
}

/** A dash where a sentence begins is that of the next speaker. */
function isDialogueDash(token: Token, previous: Token | undefined, next: Token | undefined): boolean {
  if (!next || !DASH.test(token.text)) return false;
  return !previous || previous.opens || endsSentence(previous.text, next.text);
}

/** What stands between the token and the word before it when they are one word; null when they are two. */
function findJoint(previous: Token, token: Token, { opens, isWritten }: { opens: boolean } & Spacing): string | null {
  const space = isWritten && !token.glued ? NO_BREAK_SPACE : "";
  const isNegative = !isWritten && /^\d/.test(token.text);
  if (previous.opens && DASH.test(previous.last)) return token.glued || isNegative ? "" : NO_BREAK_SPACE;
  if (previous.opens) return /[«»‹›]$/.test(previous.text) ? space : "";
  if (opens) return null;
  if (/^[.,…)\]}、。]+$/u.test(token.text)) return "";
  if (!SIGNIFICANT.test(token.text)) return space;
  if (/^[\p{Sc}°]$/u.test(token.text)) return /\d$/.test(previous.text) ? space : null;
  if (token.glued) return joinsInRun(previous, token) ? "" : null;
  const isDecimal = /^[.,:]$/.test(previous.last) && /\d[.,:]$/.test(previous.text) && /^\d/.test(token.text);
  return isDecimal || isOneWord(previous.text, token.text, isWritten) ? "" : null;
}

/** Letters, digits and signs of other scripts stay with what they touch, endings in hiragana with their word. */
function joinsInRun(previous: Token, token: Token): boolean {
  if (WIDE_SIGN.test(previous.text.slice(-1))) return false;
  const length = previous.text.length + token.text.length;
  const [ends, begins] = [ENDS_UNSPACED.test(previous.text), UNSPACED_LETTER.test(token.text.slice(0, 1))];
  if (!ends || !begins) return length <= MAX_MIXED_WORD || ends === begins;
  return (
    UNSPACED_LETTER.test(previous.text.slice(-1)) &&
    /^\p{Script=Hiragana}+$/u.test(token.text) &&
    length <= (token.text.length <= 2 ? MAX_WORD_WITH_PARTICLE : MAX_HIRAGANA_WORD)
  );
}

/** Parts that recognizers return apart: I 'll, l 'école, e -mail, 5 . 99. */
function isOneWord(previous: string, token: string, isWritten: boolean): boolean {
  if (/^\p{M}/u.test(token)) return true;
  const [, stem, apostrophe] = /^(.*?)(['’])?$/su.exec(previous) ?? [];
  if (apostrophe) return ELIDED.test(stem ?? "") || (/\p{L}$/u.test(stem ?? "") && CONTRACTED.test(token));
  const suffix = /^['’](\p{L}+)['’]?/u.exec(token)?.[1];
  if (suffix && /\p{L}$/u.test(previous) && !STANDS_ALONE.test(token)) {
    return CONTRACTED.test(suffix) || ELIDED.test(previous) || (!isWritten && !/['’]$/u.test(token));
  }
  if (/^n['’]t$/iu.test(token)) return true;
  if (/^[-‐‑]\p{L}/u.test(token)) return /[\p{L}\p{N}]$/u.test(previous);
  if (isWritten) return false;
  return (/[\p{L}\p{N}][-‐‑/]$/u.test(previous) && /^[\p{L}\p{N}]/u.test(token)) || continuesWord(previous, token);
}

/**
 * Recognizers such as openai/whisper begin a piece at each punctuation mark of ASCII: $5 .99, 10 :30, Node .js, 555 -1234.
 * https://github.com/openai/whisper/blob/main/whisper/tokenizer.py (split_tokens_on_spaces), read 2026-11-29.
 */
function continuesWord(previous: string, token: string): boolean {
  if (/^[.,:]\d/.test(token)) return /\d$/.test(previous);
  if (/^\.\p{L}/u.test(token)) return /[\p{L}\p{N}]$/u.test(previous) && !isDottedName(previous, token);
  if (/^[&/_][\p{L}\p{N}]/u.test(token)) return /[\p{L}\p{N}]$/u.test(previous);
  if (/^\++$/.test(token)) return /[\p{L}+]$/u.test(previous);
  return /^[-‐‑–]\d/u.test(token) && TAKES_HYPHENATED_NUMBER.test(previous);
}

/** A word of its own that begins with a full stop: the .com boom, a .NET developer; not a .m or ASP .NET. */
function isDottedName(previous: string, token: string): boolean {
  if (!/^\.\p{L}{2}/u.test(token)) return false;
  return ARTICLE.test(previous) || (/^\.\p{Lu}{2}/u.test(token) && /\p{Ll}$/u.test(previous));
}
