// Places transcribed words on the timeline.
import type { ProjectWord, TranscribedWord } from "../shared/project-document.ts";
import type { AudibleClip } from "./audible-clips.ts";

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
  const toTimeline = (ms: number) => {
    const placed = Math.round(clip.start_ms + (ms - clip.source_start_ms) / clip.speed);
    return Math.min(clip.end_ms, Math.max(clip.start_ms, placed));
  };
  const start_ms = Math.min(toTimeline(start), clip.end_ms - 1);
  return { text, start_ms, end_ms: Math.max(start_ms + 1, toTimeline(end)) };
}

/** All words, sorted by start time. */
export function sortWords(clips: ProjectWord[][]): ProjectWord[] {
  return clips.flat().sort((a, b) => a.start_ms - b.start_ms);
}
