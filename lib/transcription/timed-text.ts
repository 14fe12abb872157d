// The text of a list of pieces, and when each of its letters is heard.
import { diffArrays } from "diff";
import { UNSPACED_LETTER } from "../shared/scripts.ts";
import type { Piece, Utterance } from "./read-response.ts";
import { SIGNIFICANT } from "./split-words.ts";

/** A letter, digit or symbol; times in seconds, null when no piece has them. */
interface TimedLetter {
  /** Compared without case, width and accents. */
  letter: string;
  /** Its index in the text. */
  index: number;
  start: number | null;
  end: number | null;
}

interface TimedText {
  text: string;
  /** Spaces are the writer's; otherwise they only separate the pieces of a list. */
  isWritten: boolean;
  letters: TimedLetter[];
}

/** A text that shares fewer of its letters with what was heard is another text; fewer in a row are shared by chance. */
const MIN_SHARED = 0.5;
const MIN_SHARED_IN_A_ROW = 3;
const MAX_EDITS = 2_000;
/** Accents and vowel points that writers leave out. Marks of other scripts, such as vowels of India and が, tell words apart. */
const OPTIONAL_MARK = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu;
const SIGN = new RegExp(`\\p{P}|${OPTIONAL_MARK.source}`, "gu");
/** Pieces carry their spaces when at least one in this many begins with one. */
const PIECES_PER_SPACE = 6;

/** The written text with the times of the pieces, or the text of the pieces when there is none that matches them. */
export function timeText({ text, pieces }: Utterance): TimedText {
  const heard = joinPieces(pieces);
  const written = cleanText(text ?? "");
  if (heard.letters.length === 0 || written.trim() === "" || countSigns(heard.text) > countSigns(written)) return heard;
  const letters = alignLetters(heard.letters, listLetters(written));
  return letters ? { text: written, isWritten: true, letters } : heard;
}

function joinPieces(pieces: readonly Piece[]): TimedText {
  const whole = healPairs(pieces)
    .map((piece) => ({ ...piece, text: cleanText(piece.text) }))
    .filter((piece) => piece.text.trim() !== "");
  const isWritten = haveSpaces(whole.map((piece) => piece.text));
  const isUnspaced = whole.some((piece) => UNSPACED_LETTER.test(piece.text));
  let text = "";
  const letters: TimedLetter[] = [];
  for (const [at, piece] of whole.entries()) {
    const own = isWritten ? piece.text : piece.text.trim();
    const before = whole[at - 1]?.text.trim() ?? "";
    const isSplit = isUnspaced && before.length === 1 && own.length === 1;
    const touches = isSplit || [before.slice(-1), own.slice(0, 1)].some((letter) => UNSPACED_LETTER.test(letter));
    if (!isWritten && at > 0 && !touches) text += " ";
    letters.push(...timeLetters(listLetters(own), piece, text.length));
    text += own;
  }
  return { text, isWritten, letters };
}

/** Each letter has an equal share of the time of its piece. */
function timeLetters(letters: TimedLetter[], { start, end }: Piece, offset: number): TimedLetter[] {
  const from = start ?? end;
  const until = Math.max(end ?? start ?? 0, from ?? 0);
  return letters.map((letter, at) => ({
    ...letter,
    index: offset + letter.index,
    start: from === null ? null : Math.max(0, from + ((until - from) * at) / letters.length),
    end: from === null ? null : Math.max(0, from + ((until - from) * (at + 1)) / letters.length),
  }));
}

/** Whether the pieces begin with their spaces, so that one without continues the word before it. */
function haveSpaces(texts: string[]): boolean {
  const spaced = texts.filter(
    (text, at) => (at > 0 && /^\s/.test(text)) || (at < texts.length - 1 && /\s$/.test(text)),
  );
  return spaced.length > 0 && spaced.length * PIECES_PER_SPACE >= texts.length - 1;
}

/** Recognizers that work on bytes return the halves of a surrogate pair in two pieces. */
function healPairs(pieces: readonly Piece[]): Piece[] {
  const healed: Piece[] = [];
  for (const piece of pieces) {
    const before = healed.at(-1);
    if (before && /[\ud800-\udbff]$/.test(before.text) && /^[\udc00-\udfff]/.test(piece.text)) {
      healed[healed.length - 1] = { text: before.text + piece.text, start: before.start, end: piece.end ?? before.end };
    } else healed.push(piece);
  }
  return healed;
}

/** Removes what no text should contain: control characters, half characters, and marks of where a word begins. */
function cleanText(text: string): string {
  const spaces = text.replace(/[\t\n\v\f\r\u0085\u2028\u2029\u2581]/g, " ");
  return spaces
    .toWellFormed()
    .replace(/[\p{Cc}\u200b\u2060\ufeff\ufffd]/gu, "")
    .replace(/(\p{M}{8})\p{M}+/gu, "$1");
}

function listLetters(text: string): TimedLetter[] {
  return [...text.matchAll(new RegExp(SIGNIFICANT, "gu"))]
    .map(({ 0: one, index }) => ({ letter: toBaseLetter(one), index, start: null, end: null }))
    .filter(({ letter }) => letter !== "");
}

/** Empty for an accent that is a character of its own. */
const toBaseLetter = (letter: string): string =>
  letter.normalize("NFKD").replace(OPTIONAL_MARK, "").normalize("NFKC").toLowerCase();

/** The letters of the written text with the times of the heard ones; null when they are too different. */
function alignLetters(heard: TimedLetter[], written: TimedLetter[]): TimedLetter[] | null {
  const toText = ({ letter }: TimedLetter) => letter;
  const changes = diffArrays(heard.map(toText), written.map(toText), { maxEditLength: MAX_EDITS });
  if (!changes) return null;
  const timed: TimedLetter[] = [];
  let shared = 0;
  let replaced: TimedLetter[] = [];
  let [heardAt, writtenAt] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (removed) {
      replaced = heard.slice(heardAt, heardAt + count);
      heardAt += count;
      continue;
    }
    const letters = written.slice(writtenAt, writtenAt + count);
    writtenAt += count;
    if (added) {
      const [start, end] = [replaced[0]?.start ?? null, replaced.at(-1)?.end ?? null];
      timed.push(...timeLetters(letters, { text: "", start, end }, 0));
    } else {
      const times = heard.slice(heardAt, heardAt + count);
      timed.push(
        ...letters.map((letter, at) => ({ ...letter, start: times[at]?.start ?? null, end: times[at]?.end ?? null })),
      );
      heardAt += count;
      if (count >= MIN_SHARED_IN_A_ROW || letters.some(({ letter }) => UNSPACED_LETTER.test(letter))) shared += count;
    }
    replaced = [];
  }
  return shared >= Math.min(heard.length, written.length) * MIN_SHARED ? timed : null;
}

/** Punctuation and accents: the spelling with more of them is the better one. */
const countSigns = (text: string) => text.normalize("NFKD").match(SIGN)?.length ?? 0;
