// Places transcribed words on the timeline and groups them into captions.

import type { IdGenerator } from "../shared/ids.ts";
import type { ProjectTextClip, ProjectWord, TranscribedWord } from "../shared/project-document.ts";
import type { AudibleClip } from "./audible-clips.ts";

const MAX_CHARACTERS = 42;
const MAX_CAPTION_MS = 3_000;
const PAUSE_MS = 300;
/** A word from the same audio placed twice within this time, such as a video and its detached audio, is captioned once. */
const ECHO_MS = 80;

/** The words of each clip, in the order of the clips. */
export function placeWords(
  clips: AudibleClip[],
  transcripts: Map<string, TranscribedWord[]>,
  getContent: (fileId: string) => string,
): ProjectWord[][] {
  const starts = new Map<string, number[]>();
  return clips.map((clip) => {
    const content = getContent(clip.fileId);
    return (transcripts.get(content) ?? []).flatMap((word) => {
      const placed = placeWord(word, clip);
      if (!placed) return [];
      const name = `${content}:${word.start}:${word.text}`;
      const before = starts.get(name) ?? [];
      if (before.some((start) => Math.abs(start - placed.start_ms) <= ECHO_MS)) return [];
      starts.set(name, [...before, placed.start_ms]);
      return [placed];
    });
  });
}

/** Converts a word to timeline time; null if its midpoint is outside the clip. */
function placeWord({ text, start, end }: TranscribedWord, clip: AudibleClip): ProjectWord | null {
  const middle = (start + end) / 2;
  if (middle < clip.source_start_ms || middle >= clip.source_end_ms) return null;
  const at = (ms: number) => {
    const placed = Math.round(clip.start_ms + (ms - clip.source_start_ms) / clip.speed);
    return Math.min(clip.end_ms, Math.max(clip.start_ms, placed));
  };
  const start_ms = Math.min(at(start), clip.end_ms - 1);
  return { text, start_ms, end_ms: Math.max(start_ms + 1, at(end)) };
}

/** All words, sorted by start time. */
export function sortWords(clips: ProjectWord[][]): ProjectWord[] {
  return clips.flat().sort((a, b) => a.start_ms - b.start_ms);
}

/** Overlapping clips are captioned separately, so that their words are not mixed. */
export function buildCaptions(clips: AudibleClip[], words: ProjectWord[][], ids: IdGenerator): ProjectTextClip[] {
  const captions = assignRows(clips).flatMap((row) =>
    groupWords(row.flatMap((at) => words[at] ?? []).flatMap(splitLongWord)),
  );
  return captions
    .sort((a, b) => a.start_ms - b.start_ms)
    .map(({ text, start_ms, end_ms }) => ({ clip_id: ids(), text, start_ms, end_ms, role: "caption" }));
}

/** Groups clip indexes into the fewest rows without overlap. `clips` must be sorted by start time. */
function assignRows(clips: AudibleClip[]): number[][] {
  const rows: { until: number; clips: number[] }[] = [];
  for (const [at, { start_ms, end_ms }] of clips.entries()) {
    const free = rows.find(({ until }) => until <= start_ms);
    if (free) {
      free.clips.push(at);
      free.until = end_ms;
    } else {
      rows.push({ until: end_ms, clips: [at] });
    }
  }
  return rows.map((row) => row.clips);
}

function groupWords(words: ProjectWord[]): ProjectWord[] {
  const captions: ProjectWord[] = [];
  let last: ProjectWord | null = null;
  for (const word of words) {
    const text: string = last ? `${last.text}${getSeparator(last.text, word.text)}${word.text}` : word.text;
    const pause = word.start_ms - (last?.end_ms ?? 0);
    const long = word.end_ms - (last?.start_ms ?? 0) > MAX_CAPTION_MS || text.length > MAX_CHARACTERS;
    if (last && pause <= PAUSE_MS && !long) {
      last.text = text;
      last.end_ms = Math.max(last.end_ms, word.end_ms);
    } else {
      last = { ...word };
      captions.push(last);
    }
  }
  return captions;
}

/** Limits a word to MAX_CAPTION_MS and splits it if it has too many characters; the pieces divide its time equally. */
function splitLongWord(word: ProjectWord): ProjectWord[] {
  const end_ms = Math.min(word.end_ms, word.start_ms + MAX_CAPTION_MS);
  if (word.text.length <= MAX_CHARACTERS) return [{ ...word, end_ms }];
  const pieces = splitText(word.text);
  const share = (end_ms - word.start_ms) / pieces.length;
  const at = (index: number) => Math.round(word.start_ms + share * index);
  return pieces.map((text, index) => ({ text, start_ms: at(index), end_ms: Math.max(at(index) + 1, at(index + 1)) }));
}

function splitText(text: string): string[] {
  const pieces = [""];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const last = pieces.at(-1) ?? "";
    if (last.length + segment.length <= MAX_CHARACTERS) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment.slice(0, MAX_CHARACTERS));
  }
  return pieces.filter((piece) => piece !== "");
}

const SCRIPTS_WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The separator of two words: none in scripts that are written without spaces. */
function getSeparator(left: string, right: string): string {
  return SCRIPTS_WITHOUT_SPACES.test(left.slice(-1)) && SCRIPTS_WITHOUT_SPACES.test(right.slice(0, 1)) ? "" : " ";
}
