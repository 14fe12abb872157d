// Groups words into captions: of all ways to break them, the one with the least cost (Knuth and Plass's method).

import { at } from "../shared/at.ts";
import type { ProjectWord } from "../shared/project-document.ts";
import { endsClause, endsSentence, isAbbreviated } from "../shared/sentence-end.ts";
import { fitsLines, joinWords, MAX_WIDTH, measureWidth, splitToFit } from "./caption-text.ts";

const MAX_SHOWN_MS = 3_000;
/** No caption bridges a longer pause. */
const MAX_PAUSE_MS = 300;
/** A caption stays for this long, or until the next one. */
const MIN_SHOWN_MS = 1_000;
const MAX_AFTER_SPEECH_MS = 500;
/** A single word of up to this width is joined to a neighbour that has room. */
const SHORT_WORD_WIDTH = 5;

/** Costs of what is unpleasant to read; only their order matters. */
const COST = {
  shownTooShortly: 60,
  shortWordAlone: 8,
  breakAfterAbbreviation: 9,
  breakWithinPhrase: 6,
  sentenceEndInside: 7,
  caption: 3,
  emptySpace: 2,
  breakAtClause: 1,
};

export interface WordGroup {
  words: ProjectWord[];
  start_ms: number;
  /**
   * At least a second after the start, or the start of the next group; at most half a second after the last word, and three
   * seconds after the start.
   */
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
  const wanted = Math.max(speechEndMs + MAX_AFTER_SPEECH_MS, start_ms + MIN_SHOWN_MS);
  const stays = Math.min(wanted, start_ms + MAX_SHOWN_MS);
  const end_ms = Math.max(start_ms + 1, Math.min(stays, units[until]?.start_ms ?? endMs, Math.max(endMs, speechEndMs)));
  return { words, start_ms, end_ms };
}

/** Null when the words do not fit into one caption; more words do not fit either. */
function measureGroup(units: ProjectWord[], from: number, until: number, endMs: number): { cost: number } | null {
  const { words, start_ms, end_ms } = toGroup(units, from, until, endMs);
  const width = measureWidth(joinWords(words));
  const speechMs = Math.max(...words.map((word) => word.end_ms)) - start_ms;
  const pauses = words.slice(1).map((word, index) => word.start_ms - at(words, index).end_ms);
  if (words.length > 1 && (speechMs > MAX_SHOWN_MS || !fitsLines(words, width))) return null;
  if (pauses.some((pause) => pause > MAX_PAUSE_MS)) return null;
  const cost =
    COST.caption +
    measureBreak(words.at(-1), units[until]) +
    (end_ms - start_ms < MIN_SHOWN_MS ? COST.shownTooShortly : 0) +
    words.slice(1).filter(({ text }, index) => endsSentence(at(words, index).text, text)).length *
      COST.sentenceEndInside +
    (words.length === 1 && width <= SHORT_WORD_WIDTH ? COST.shortWordAlone : 0) +
    COST.emptySpace * (1 - width / MAX_WIDTH) ** 2;
  return { cost };
}

function measureBreak(last: ProjectWord | undefined, next: ProjectWord | undefined): number {
  if (!next || !last || next.start_ms - last.end_ms > MAX_PAUSE_MS || endsSentence(last.text, next.text)) return 0;
  if (isAbbreviated(last.text, next.text)) return COST.breakAfterAbbreviation;
  return endsClause(last.text, next.text) ? COST.breakAtClause : COST.breakWithinPhrase;
}

/** Limits a word to MAX_SHOWN_MS, and splits it if it does not fit into two lines; the pieces share its time. */
function splitLongWord(word: ProjectWord): ProjectWord[] {
  const end_ms = Math.min(word.end_ms, word.start_ms + MAX_SHOWN_MS);
  const pieces = splitToFit(word.text);
  const share = (end_ms - word.start_ms) / pieces.length;
  const startOf = (index: number) => Math.round(word.start_ms + share * index);
  return pieces.map((text, index) => {
    const start_ms = startOf(index);
    return { text, start_ms, end_ms: Math.max(start_ms + 1, startOf(index + 1)) };
  });
}
