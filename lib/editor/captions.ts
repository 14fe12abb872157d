// Turns placed words into captions that can be read: how long each stays, and where its lines break.

import { at } from "../shared/at.ts";
import type { IdGenerator } from "../shared/ids.ts";
import type { ProjectTextClip, ProjectWord } from "../shared/project-document.ts";
import type { AudibleClip } from "./audible-clips.ts";
import { toCaptionText } from "./caption-text.ts";
import { groupWords } from "./group-words.ts";

/** Overlapping clips are captioned separately, so that their words are not mixed. */
export function buildCaptions(clips: AudibleClip[], words: ProjectWord[][], ids: IdGenerator): ProjectTextClip[] {
  const captions = assignRows(clips).flatMap((row) => {
    const rowEndMs = Math.max(...row.map((index) => at(clips, index).end_ms));
    const grouped = groupWords(
      row.flatMap((index) => words[index] ?? []),
      rowEndMs,
    );
    return grouped.map(({ words, start_ms, end_ms }) => ({ text: toCaptionText(words), start_ms, end_ms }));
  });
  return captions
    .sort((a, b) => a.start_ms - b.start_ms)
    .map((caption) => ({ clip_id: ids(), ...caption, role: "caption" }));
}

/** Groups clip indexes into the fewest rows without overlap. `clips` must be sorted by start time. */
function assignRows(clips: AudibleClip[]): number[][] {
  const rows: { until: number; clips: number[] }[] = [];
  for (const [index, { start_ms, end_ms }] of clips.entries()) {
    const free = rows.find(({ until }) => until <= start_ms);
    if (free) {
      free.clips.push(index);
      free.until = end_ms;
    } else {
      rows.push({ until: end_ms, clips: [index] });
    }
  }
  return rows.map((row) => row.clips);
}
