// What sounds in a cut: the clips that can be heard, and which parts of which files that takes.
import type { ProjectClip, ProjectDocument } from "../../drizzle/schema/editor.ts";
import { sha256Hex } from "../secrets.ts";
import type { Range } from "../speech/hear.ts";

export interface AudibleClip extends ProjectClip {
  fileId: string;
}

/** In the order of the timeline; clips that begin together are in the order of their tracks. */
export function audibleClips({ assets, clips }: ProjectDocument): AudibleClip[] {
  const sounding = new Map(
    assets.filter(({ has_audio, type }) => has_audio && type !== "image").map((asset) => [asset.asset_id, asset]),
  );
  return clips
    .flatMap((clip) => {
      const asset = sounding.get(clip.asset_id);
      return asset && !clip.muted && clip.volume > 0 ? [{ ...clip, fileId: asset.file_id }] : [];
    })
    .sort((a, b) => a.start_ms - b.start_ms || a.track - b.track);
}

/** Names what sounds where: a change that nobody hears leaves it as it is. */
export function printOf(clips: AudibleClip[]): string {
  const heard = clips.map(({ fileId, start_ms, end_ms, source_start_ms, source_end_ms, speed }) =>
    [fileId, start_ms, end_ms, source_start_ms, source_end_ms, speed].join(),
  );
  return sha256Hex(heard.join("\n"));
}

/** The ranges of each file by its content, those that touch made one. */
export function rangesOf(clips: AudibleClip[], contentOf: (fileId: string) => string): Map<string, Range[]> {
  const ranges = new Map<string, Range[]>();
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
