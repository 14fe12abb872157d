// Changes of single clips and text clips, as a person makes them in the web editor. Each returns the new list, or a
// sentence that says which entry is wrong.
import type { ProjectClip, ProjectDocument, ProjectTextClip } from "../shared/project-document.ts";

/** Absent fields stay as they are. The end of a clip follows from its start, its part and its speed. */
export type ClipChange = Partial<
  Pick<ProjectClip, "start_ms" | "source_start_ms" | "source_end_ms" | "track" | "volume" | "muted">
>;

/** A sentence for the person who made the entry. */
export interface Mistake {
  mistake: string;
}

const NO_CLIP: Mistake = { mistake: "This clip is no longer in the project." };

export function changeClip({ clips, assets }: ProjectDocument, clipId: string, change: ClipChange) {
  const clip = clips.find(({ clip_id }) => clip_id === clipId);
  if (!clip) return NO_CLIP;
  const next = { ...clip, ...change };
  const { start_ms, source_start_ms: from, source_end_ms: until, speed } = next;
  const fileMs = assets.find(({ asset_id }) => asset_id === clip.asset_id)?.duration_ms ?? null;
  if (start_ms < 0) return { mistake: "A clip starts at 0 seconds or later." };
  if (from < 0) return { mistake: "The part of the file begins at 0 seconds or later." };
  if (until <= from) return { mistake: "The part of the file must end after it begins." };
  if (fileMs !== null && until > fileMs) {
    return { mistake: `The part of the file must end by ${fileMs / 1000} seconds: the file is no longer than that.` };
  }
  const end_ms = start_ms + Math.max(1, Math.round((until - from) / speed));
  return clips.map((one) => (one === clip ? { ...next, end_ms } : one));
}

/** Changes the text clip of that id, or adds it. Text clips stay in the order in which they are shown. */
export function putTextClip({ text_clips }: ProjectDocument, clip: ProjectTextClip): ProjectTextClip[] | Mistake {
  if (clip.text.trim() === "") return { mistake: "Write the text, or remove the text clip." };
  if (clip.start_ms < 0) return { mistake: "A text clip starts at 0 seconds or later." };
  if (clip.end_ms <= clip.start_ms) return { mistake: "A text clip must end after it starts." };
  const others = text_clips.filter(({ clip_id }) => clip_id !== clip.clip_id);
  return [...others, clip].sort((a, b) => a.start_ms - b.start_ms);
}

export function removeClip<Clip extends { clip_id: string }>(clips: Clip[], clipId: string): Clip[] | Mistake {
  const rest = clips.filter(({ clip_id }) => clip_id !== clipId);
  return rest.length === clips.length ? NO_CLIP : rest;
}
