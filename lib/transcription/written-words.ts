// The words of speech as they are written, each with its time.
import { at } from "../shared/at.ts";
import type { Utterance } from "./read-response.ts";
import { findSounds, isSoundOnly } from "./sounds.ts";
import type { TranscriptWord } from "./speech-to-text.ts";
import { splitWords } from "./split-words.ts";
import { timeText } from "./timed-text.ts";

/** A word whose time is not known takes this long a letter, if there is room. */
const SECONDS_PER_LETTER = 0.06;

export function toWrittenWords(utterance: Utterance): TranscriptWord[] {
  const { text, isWritten, letters } = timeText(utterance);
  if (isSoundOnly(text)) return [];
  const sounds = findSounds(text);
  let next = 0;
  const words = splitWords(text, { isWritten }).map((word) => {
    while (next < letters.length && at(letters, next).index < word.from) next++;
    const from = next;
    while (next < letters.length && at(letters, next).index < word.until) next++;
    const own = letters.slice(from, next);
    const timed = own.filter(({ start }) => start !== null);
    const start = timed[0]?.start ?? null;
    return {
      text: word.text,
      start,
      end: start === null ? null : Math.max(start, ...timed.map(({ end }) => end ?? 0)),
      isSound: own.every(({ index }) => sounds.some((sound) => index >= sound.from && index < sound.until)),
    };
  });
  return placeUntimed(words).filter((_, index) => !at(words, index).isSound);
}

interface MaybeTimed {
  text: string;
  start: number | null;
  end: number | null;
}

/** Words without a time, and those that end when they begin, share the time up to the next word. */
function placeUntimed(words: MaybeTimed[]): TranscriptWord[] {
  const placed: TranscriptWord[] = [];
  while (placed.length < words.length) {
    const { text, start, end } = at(words, placed.length);
    if (start !== null && end !== null && end > start) placed.push({ text, start, end });
    else placed.push(...shareTime(takeRun(words, placed.length), placed.at(-1)?.end ?? 0));
  }
  return placed;
}

/** The words from an index on that have no time or the same instant, and when the word after them begins. */
function takeRun(words: MaybeTimed[], from: number) {
  const instant = words[from]?.start ?? null;
  const isSame = ({ start, end }: MaybeTimed) => start === null || (start === end && start === instant);
  const length = words.slice(from).findIndex((word) => !isSame(word));
  const run = length < 0 ? words.slice(from) : words.slice(from, from + length);
  return { run, instant, next: words[from + run.length]?.start ?? Number.POSITIVE_INFINITY };
}

function shareTime({ run, instant, next }: ReturnType<typeof takeRun>, after: number): TranscriptWord[] {
  const start = Math.max(instant ?? 0, after);
  const wanted = run.reduce((sum, { text }) => sum + text.length * SECONDS_PER_LETTER, 0);
  const stretch = Math.max(0, Math.min(wanted, next - start)) / wanted;
  let reached = start;
  return run.map(({ text }) => {
    const word = { text, start: reached, end: reached + text.length * SECONDS_PER_LETTER * stretch };
    reached = word.end;
    return word;
  });
}
