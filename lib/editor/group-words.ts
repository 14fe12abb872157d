// Groups words into captions: of all ways to break them, the one with the least cost (Knuth and Plass's method).

import { at } from "../shared/at.ts";
import type { ProjectWord } from "../shared/project-document.ts";

const MAX_CHARACTERS = 42;
const MAX_SPEECH_MS = 3_000;
/** Captions break at longer pauses, unless one would then be gone before it is read. */
const PAUSE_MS = 300;
/** No caption bridges a longer pause. */
const MAX_BRIDGED_PAUSE_MS = 1_000;
/** A caption stays for this long, or until the next one. */
const MIN_SHOWN_MS = 1_000;
const MAX_AFTER_SPEECH_MS = 500;
/** A single word of up to this many characters is joined to a neighbour that has room. */
const SHORT_WORD_CHARACTERS = 5;

/** Costs of what is unpleasant to read; only their order matters. */
const COST = {
  shownTooShortly: 60,
  bridgedPause: 25,
  shortWordAlone: 8,
  breakWithinPhrase: 6,
  sentenceEndInside: 7,
  caption: 3,
  emptySpace: 2,
  breakAtClause: 1,
};

export interface WordGroup {
  words: ProjectWord[];
  start_ms: number;
  /** At least a second after the start, or the start of the next group; at most half a second after the last word. */
  end_ms: number;
}

/** `words` must be sorted by start; no group is shown after `endMs`. */
export function groupWords(words: ProjectWord[], endMs: number): WordGroup[] {
  const units = words.flatMap(splitLongWord);
  // costs[i] is the least cost of all words from i on, with ends[i] as the end of the first group.
  const costs = new Array<number>(units.length + 1).fill(Number.POSITIVE_INFINITY);
  const ends = new Array<number>(units.length).fill(0);
  costs[units.length] = 0;
  for (let from = units.length - 1; from >= 0; from--) {
    for (let until = from + 1; until <= units.length; until++) {
      const group = measureGroup(units, from, until, endMs);
      if (!group) break;
      const cost = group.cost + at(costs, until);
      if (cost < at(costs, from)) {
        costs[from] = cost;
        ends[from] = until;
      }
    }
  }
  const groups: WordGroup[] = [];
  for (let from = 0; from < units.length; from = ends[from] ?? units.length) {
    groups.push(toGroup(units, from, ends[from] ?? units.length, endMs));
  }
  return groups;
}

function toGroup(units: ProjectWord[], from: number, until: number, endMs: number): WordGroup {
  const words = units.slice(from, until);
  const start_ms = at(words, 0).start_ms;
  const speechEndMs = Math.max(...words.map(({ end_ms }) => end_ms));
  const stays = Math.max(speechEndMs + MAX_AFTER_SPEECH_MS, start_ms + MIN_SHOWN_MS);
  const end_ms = Math.max(start_ms + 1, Math.min(stays, units[until]?.start_ms ?? endMs, Math.max(endMs, speechEndMs)));
  return { words, start_ms, end_ms };
}

/** Null when the words do not fit into one caption; more words do not fit either. */
function measureGroup(units: ProjectWord[], from: number, until: number, endMs: number): { cost: number } | null {
  const { words, start_ms, end_ms } = toGroup(units, from, until, endMs);
  const characters = joinWords(words).length;
  const speechMs = Math.max(...words.map((word) => word.end_ms)) - start_ms;
  const pauses = words.slice(1).map((word, index) => word.start_ms - at(words, index).end_ms);
  if (words.length > 1 && (characters > MAX_CHARACTERS || speechMs > MAX_SPEECH_MS)) return null;
  if (pauses.some((pause) => pause > MAX_BRIDGED_PAUSE_MS)) return null;
  const [last, next] = [words.at(-1), units[until]];
  const isNaturalEnd = !next || !last || next.start_ms - last.end_ms > PAUSE_MS || endsSentence(last.text);
  const costOfBreak = isNaturalEnd ? 0 : endsClause(last.text) ? COST.breakAtClause : COST.breakWithinPhrase;
  const cost =
    COST.caption +
    costOfBreak +
    (end_ms - start_ms < MIN_SHOWN_MS ? COST.shownTooShortly : 0) +
    pauses.filter((pause) => pause > PAUSE_MS).length * COST.bridgedPause +
    words.slice(0, -1).filter(({ text }) => endsSentence(text)).length * COST.sentenceEndInside +
    (words.length === 1 && characters <= SHORT_WORD_CHARACTERS ? COST.shortWordAlone : 0) +
    COST.emptySpace * (1 - characters / MAX_CHARACTERS) ** 2;
  return { cost };
}

/** Limits a word to MAX_SPEECH_MS and splits it if it has too many characters; the pieces divide its time equally. */
function splitLongWord(word: ProjectWord): ProjectWord[] {
  const end_ms = Math.min(word.end_ms, word.start_ms + MAX_SPEECH_MS);
  if (word.text.length <= MAX_CHARACTERS) return [{ ...word, end_ms }];
  const pieces = splitText(word.text);
  const share = (end_ms - word.start_ms) / pieces.length;
  const startOf = (index: number) => Math.round(word.start_ms + share * index);
  return pieces.map((text, index) => {
    const start_ms = startOf(index);
    return { text, start_ms, end_ms: Math.max(start_ms + 1, startOf(index + 1)) };
  });
}

function splitText(text: string): string[] {
  const pieces = [""];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const last = at(pieces, -1);
    if (last.length + segment.length <= MAX_CHARACTERS) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment.slice(0, MAX_CHARACTERS));
  }
  return pieces.filter((piece) => piece !== "");
}

const endsSentence = (text: string): boolean => /[.!?…。！？।؟]["'”’»)]*$/u.test(text);
export const endsClause = (text: string): boolean => /[.!?…。！？।؟,;:—–、，；：،]["'”’»)]*$/u.test(text);

const SCRIPTS_WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Joins words with spaces, except in scripts that are written without. */
export function joinWords(words: readonly Pick<ProjectWord, "text">[]): string {
  return words.reduce((joined, { text }) => {
    if (joined === "") return text;
    const isOneScript = SCRIPTS_WITHOUT_SPACES.test(joined.slice(-1)) && SCRIPTS_WITHOUT_SPACES.test(text.slice(0, 1));
    return `${joined}${isOneScript ? "" : " "}${text}`;
  }, "");
}
