// Changes of single clips and text clips, as a person makes them in the web editor. Each returns the new list, or a
// sentence that says which entry is wrong.
import type { ProjectClip, ProjectDocument, ProjectTextClip } from "../shared/project-document.ts";

/** Absent fields stay as they are. The end of a clip follows from its start, its part and its speed. */
export type ClipChange = Partial<
  Pick<ProjectClip, "start_ms" | "source_start_ms" | "source_end_ms" | "track" | "volume" | "muted" | "speed">
>;

/** A sentence for the person who made the entry. */
export interface Mistake {
  mistake: string;
}

/** A shorter clip cannot be seen or heard. */
const MIN_CLIP_MS = 100;

const NO_CLIP: Mistake = { mistake: "This clip is no longer in the project." };
const findClip = ({ clips }: ProjectDocument, clipId: string) => clips.find(({ clip_id }) => clip_id === clipId);

export function changeClip(document: ProjectDocument, clipId: string, change: ClipChange): ProjectClip[] | Mistake {
  const { clips, assets } = document;
  const clip = findClip(document, clipId);
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

/** The place in the file that is shown at a time of the timeline. */
const toSourceMs = (clip: ProjectClip, atMs: number) =>
  Math.round(clip.source_start_ms + (atMs - clip.start_ms) * clip.speed);

const isInside = ({ start_ms, end_ms }: ProjectClip, atMs: number) =>
  atMs - start_ms >= MIN_CLIP_MS && end_ms - atMs >= MIN_CLIP_MS;

function describeOutside({ start_ms, end_ms }: ProjectClip): Mistake {
  return {
    mistake: `Choose a time within the clip, at least 0.1 seconds from its ends: it is shown from ${start_ms / 1000} to ${end_ms / 1000} seconds.`,
  };
}

/** Makes two clips of one, which together show the same. */
export function splitClip(
  document: ProjectDocument,
  clipId: string,
  atMs: number,
  newId: string,
): ProjectClip[] | Mistake {
  const clip = findClip(document, clipId);
  if (!clip) return NO_CLIP;
  if (!isInside(clip, atMs)) return describeOutside(clip);
  const source = toSourceMs(clip, atMs);
  const first = { ...clip, end_ms: atMs, source_end_ms: source };
  const second = { ...clip, clip_id: newId, start_ms: atMs, source_start_ms: source };
  return document.clips.flatMap((one) => (one === clip ? [first, second] : [one]));
}

/** Moves the beginning or the end of a clip to a time within it. */
export function trimClip(
  document: ProjectDocument,
  clipId: string,
  edge: "start" | "end",
  atMs: number,
): ProjectClip[] | Mistake {
  const clip = findClip(document, clipId);
  if (!clip) return NO_CLIP;
  if (!isInside(clip, atMs)) return describeOutside(clip);
  const source = toSourceMs(clip, atMs);
  const trimmed =
    edge === "start"
      ? { ...clip, start_ms: atMs, source_start_ms: source }
      : { ...clip, end_ms: atMs, source_end_ms: source };
  return document.clips.map((one) => (one === clip ? trimmed : one));
}

/** Changes places with the clip before or after it on its track; what lies between them stays as long as it is. */
export function reorderClip(document: ProjectDocument, clipId: string, by: -1 | 1): ProjectClip[] | Mistake {
  const clip = findClip(document, clipId);
  if (!clip) return NO_CLIP;
  const track = document.clips
    .filter((one) => one.track === clip.track)
    .sort((one, other) => one.start_ms - other.start_ms);
  const neighbor = track[track.indexOf(clip) + by];
  if (!neighbor)
    return { mistake: by < 0 ? "This is the first clip of its track." : "This is the last clip of its track." };
  const [first, second] = by < 0 ? [neighbor, clip] : [clip, neighbor];
  const end = second.end_ms;
  const placeAt = (one: ProjectClip, start_ms: number) => ({
    ...one,
    start_ms,
    end_ms: start_ms + one.end_ms - one.start_ms,
  });
  return document.clips.map((one) => {
    if (one === second) return placeAt(one, first.start_ms);
    return one === first ? placeAt(one, end - (one.end_ms - one.start_ms)) : one;
  });
}

/**
 * Removes a clip, and what follows on its track moves up. Texts move too where the project has one track, because then they
 * belong to what is shown; those of the removed part go with it.
 */
export function removeClipAndCloseGap(
  { clips, text_clips }: ProjectDocument,
  clipId: string,
): Pick<ProjectDocument, "clips" | "text_clips"> | Mistake {
  const clip = clips.find(({ clip_id }) => clip_id === clipId);
  if (!clip) return NO_CLIP;
  const { start_ms: from, end_ms: until, track } = clip;
  const moveUp = <Of extends { start_ms: number; end_ms: number }>(one: Of): Of =>
    one.start_ms >= until ? { ...one, start_ms: one.start_ms - until + from, end_ms: one.end_ms - until + from } : one;
  const rest = clips.filter((one) => one !== clip);
  const hasOneTrack = clips.every((one) => one.track === track);
  const texts = text_clips.filter((one) => one.start_ms < from || one.end_ms > until);
  return {
    clips: rest.map((one) => (one.track === track ? moveUp(one) : one)),
    text_clips: hasOneTrack ? texts.map(moveUp) : text_clips,
  };
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
