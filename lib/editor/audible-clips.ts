// The audible clips of a timeline, and the ranges of files that they play.

import { sha256Hex } from "../shared/crypto.ts";
import type { ProjectClip, ProjectDocument, TimeRange } from "../shared/project-document.ts";

export interface AudibleClip extends ProjectClip {
  fileId: string;
}

/** Sorted by start time, then by track. */
export function findAudibleClips({ assets, clips }: ProjectDocument): AudibleClip[] {
  const audible = new Map(
    assets.filter(({ has_audio, type }) => has_audio && type !== "image").map((asset) => [asset.asset_id, asset]),
  );
  return clips
    .flatMap((clip) => {
      const asset = audible.get(clip.asset_id);
      return asset && !clip.muted && clip.volume > 0 ? [{ ...clip, fileId: asset.file_id }] : [];
    })
    .sort((a, b) => a.start_ms - b.start_ms || a.track - b.track);
}

/** Identifies what is audible when: a change that is not audible keeps the fingerprint. */
export function fingerprintClips(clips: AudibleClip[]): string {
  const parts = clips.map(({ fileId, start_ms, end_ms, source_start_ms, source_end_ms, speed }) =>
    [fileId, start_ms, end_ms, source_start_ms, source_end_ms, speed].join(),
  );
  return sha256Hex(parts.join("\n"));
}

/** The played ranges by content hash of the file, with adjacent and overlapping ranges merged. */
export function collectRanges(clips: AudibleClip[], contentOf: (fileId: string) => string): Map<string, TimeRange[]> {
  const ranges = new Map<string, TimeRange[]>();
  const ordered = clips.toSorted((a, b) => a.source_start_ms - b.source_start_ms);
  for (const { fileId, source_start_ms: startMs, source_end_ms: endMs } of ordered) {
    const content = contentOf(fileId);
    const known = ranges.get(content) ?? [];
    const last = known.at(-1);
    if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else known.push({ startMs, endMs });
    ranges.set(content, known);
  }
  return ranges;
}
