// Words of files become words on the timeline, and those become captions that can be read.
import type { HeardWord, ProjectTextClip, ProjectWord } from "../../drizzle/schema/editor.ts";
import type { Ids } from "../ids.ts";
import type { AudibleClip } from "./cut.ts";

const CHARACTERS_AT_MOST = 42;
const CAPTION_MS_AT_MOST = 3_000;
const PAUSE_MS = 300;
/** The same sound on two tracks, such as a video and its detached sound, is heard once. */
const ECHO_MS = 80;

/** The words of each clip in their order, clips in the order of the timeline. */
export function wordsOfClips(
  clips: AudibleClip[],
  heard: Map<string, HeardWord[]>,
  contentOf: (fileId: string) => string,
): ProjectWord[][] {
  const sounded = new Map<string, number[]>();
  return clips.map((clip) => {
    const content = contentOf(clip.fileId);
    return (heard.get(content) ?? []).flatMap((word) => {
      const placed = onTimeline(word, clip);
      if (!placed) return [];
      const name = `${content}:${word.start}:${word.text}`;
      const before = sounded.get(name) ?? [];
      if (before.some((start) => Math.abs(start - placed.start_ms) <= ECHO_MS)) return [];
      sounded.set(name, [...before, placed.start_ms]);
      return [placed];
    });
  });
}

/** Null for a word that is cut away, mostly or whole. */
function onTimeline({ text, start, end }: HeardWord, clip: AudibleClip): ProjectWord | null {
  const middle = (start + end) / 2;
  if (middle < clip.source_start_ms || middle >= clip.source_end_ms) return null;
  const at = (ms: number) => {
    const placed = Math.round(clip.start_ms + (ms - clip.source_start_ms) / clip.speed);
    return Math.min(clip.end_ms, Math.max(clip.start_ms, placed));
  };
  const start_ms = Math.min(at(start), clip.end_ms - 1);
  return { text, start_ms, end_ms: Math.max(start_ms + 1, at(end)) };
}

/** All words in the order in which they begin. */
export function inOrder(clips: ProjectWord[][]): ProjectWord[] {
  return clips.flat().sort((a, b) => a.start_ms - b.start_ms);
}

/** Two clips that sound at once are captioned each for itself, so that their words are not mixed. */
export function captionsOf(clips: AudibleClip[], words: ProjectWord[][], ids: Ids): ProjectTextClip[] {
  const captions = voicesOf(clips).flatMap((voice) => grouped(voice.flatMap((at) => words[at] ?? []).flatMap(fitting)));
  return captions
    .sort((a, b) => a.start_ms - b.start_ms)
    .map(({ text, start_ms, end_ms }) => ({ clip_id: ids(), text, start_ms, end_ms, role: "caption" }));
}

/** The clips, by their index, in as few rows as it takes for none to overlap another in its row. */
function voicesOf(clips: AudibleClip[]): number[][] {
  const voices: { until: number; clips: number[] }[] = [];
  for (const [at, { start_ms, end_ms }] of clips.entries()) {
    const free = voices.find(({ until }) => until <= start_ms);
    if (free) {
      free.clips.push(at);
      free.until = end_ms;
    } else {
      voices.push({ until: end_ms, clips: [at] });
    }
  }
  return voices.map((voice) => voice.clips);
}

function grouped(words: ProjectWord[]): ProjectWord[] {
  const captions: ProjectWord[] = [];
  let last: ProjectWord | null = null;
  for (const word of words) {
    const text: string = last ? `${last.text}${spaceBetween(last.text, word.text)}${word.text}` : word.text;
    const pause = word.start_ms - (last?.end_ms ?? 0);
    const long = word.end_ms - (last?.start_ms ?? 0) > CAPTION_MS_AT_MOST || text.length > CHARACTERS_AT_MOST;
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

/** A word that alone is too long or lasts too long, in pieces that share its time. */
function fitting(word: ProjectWord): ProjectWord[] {
  const end_ms = Math.min(word.end_ms, word.start_ms + CAPTION_MS_AT_MOST);
  if (word.text.length <= CHARACTERS_AT_MOST) return [{ ...word, end_ms }];
  const pieces = piecesOf(word.text);
  const share = (end_ms - word.start_ms) / pieces.length;
  const at = (index: number) => Math.round(word.start_ms + share * index);
  return pieces.map((text, index) => ({ text, start_ms: at(index), end_ms: Math.max(at(index) + 1, at(index + 1)) }));
}

function piecesOf(text: string): string[] {
  const pieces = [""];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const last = pieces.at(-1) ?? "";
    if (last.length + segment.length <= CHARACTERS_AT_MOST) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment.slice(0, CHARACTERS_AT_MOST));
  }
  return pieces.filter((piece) => piece !== "");
}

const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Some scripts put no space between words. */
function spaceBetween(left: string, right: string): string {
  return WITHOUT_SPACES.test(left.slice(-1)) && WITHOUT_SPACES.test(right.slice(0, 1)) ? "" : " ";
}
