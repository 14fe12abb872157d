// The document of a project: creation, changes and validation.

import { DAY_MS } from "../shared/durations.ts";
import type { IdGenerator } from "../shared/ids.ts";
import type { ProjectAsset, ProjectClip, ProjectDocument, ProjectTextClip } from "../shared/project-document.ts";

const IMAGE_MS = 3_000;
const [MIN_SPEED, MAX_SPEED] = [0.1, 16];
const MAX_VOLUME = 10;
const TRACK_COUNT = 100;
/** Tolerance of a clip's length: one frame, because editors round to frames. */
const FRAME_MS = 42;

export interface AssetFile {
  id: string;
  url: string;
  kind: "image" | "video";
  durationMs: number | null;
  width: number;
  height: number;
  hasAudio: boolean;
}

/** Places the files end to end; a file that is listed twice becomes one asset and two clips. */
export function createDocument(files: AssetFile[], ids: IdGenerator): ProjectDocument {
  const assets = new Map<string, ProjectAsset>();
  const clips: ProjectClip[] = [];
  let at = 0;
  for (const file of files) {
    const asset = assets.get(file.id) ?? toAsset(file, ids());
    assets.set(file.id, asset);
    const sourceMs = asset.duration_ms ?? IMAGE_MS;
    clips.push({
      clip_id: ids(),
      asset_id: asset.asset_id,
      track: 0,
      start_ms: at,
      end_ms: at + sourceMs,
      source_start_ms: 0,
      source_end_ms: sourceMs,
      speed: 1,
      volume: 1,
      muted: false,
    });
    at += sourceMs;
  }
  const render = { status: "none" as const, url: null, rendered_at: null };
  return { assets: [...assets.values()], clips, text_clips: [], undo: null, render };
}

function toAsset(file: AssetFile, assetId: string): ProjectAsset {
  return {
    asset_id: assetId,
    file_id: file.id,
    type: file.kind,
    url: file.url,
    duration_ms: file.kind === "image" ? null : Math.max(1, file.durationMs ?? 0),
    width: file.width,
    height: file.height,
    has_audio: file.hasAudio,
  };
}

const COMMON_RATIOS = ["9:16", "4:5", "1:1", "4:3", "16:9"];

/** The common aspect ratio that is nearest to that of the file. */
export function pickAspectRatio({ width, height }: Pick<AssetFile, "width" | "height">): string {
  const target = Math.log(width / height);
  const distance = (ratio: string) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - target);
  };
  return COMMON_RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best), "9:16");
}

export function getDuration({ clips, text_clips }: Pick<ProjectDocument, "clips" | "text_clips">): number {
  return [...clips, ...text_clips].reduce((latest, { end_ms }) => Math.max(latest, end_ms), 0);
}

/** Why the files do not fit on a timeline; null when they do. */
export function findLengthError(document: ProjectDocument): string | null {
  if (getDuration(document) <= DAY_MS) return null;
  return "file_ids: the files last over 24 hours together; a timeline may last at most 24 hours. Send fewer files.";
}

export interface DocumentChange {
  title?: string | undefined;
  clips?: ProjectClip[] | undefined;
  text_clips?: ProjectTextClip[] | undefined;
}

/** Applies a change and records the undo step; a current render becomes stale. */
export function applyChange(
  document: ProjectDocument,
  { clips, text_clips }: DocumentChange,
  undo: NonNullable<ProjectDocument["undo"]>,
): ProjectDocument {
  const changed = clips !== undefined || text_clips !== undefined;
  const next = { ...document, clips: clips ?? document.clips, text_clips: text_clips ?? document.text_clips };
  if (!changed) return next;
  const render =
    document.render.status === "current" ? { ...document.render, status: "stale" as const } : document.render;
  return { ...next, undo, render };
}

/** The first problem of the document, naming its clip; null when the document is valid. */
export function findDocumentError({ assets, clips, text_clips }: CheckedDocument): string | null {
  const byId = new Map(assets.map((asset) => [asset.asset_id, asset]));
  for (const clip of clips) {
    const problem = findTimeError(clip) ?? findClipError(clip, byId.get(clip.asset_id));
    if (problem) return `Clip ${clip.clip_id}: ${problem}.`;
  }
  for (const clip of text_clips) {
    const problem = findTimeError(clip);
    if (problem) return `Text clip ${clip.clip_id}: ${problem}.`;
  }
  const duplicate = [clips, text_clips]
    .map((group) => findDuplicate(group.map(({ clip_id }) => clip_id)))
    .find(Boolean);
  return duplicate ? `clip_id must be unique: ${duplicate} is used more than once.` : null;
}

type CheckedDocument = Pick<ProjectDocument, "assets" | "clips" | "text_clips">;

function findTimeError({ start_ms, end_ms }: { start_ms: number; end_ms: number }): string | null {
  if (start_ms < 0) return "start_ms must be at least 0";
  if (end_ms <= start_ms) return "end_ms must be greater than start_ms";
  return end_ms > DAY_MS ? `end_ms must be at most ${DAY_MS} (24 hours)` : null;
}

function findClipError(clip: ProjectClip, asset: ProjectAsset | undefined): string | null {
  const { source_start_ms: from, source_end_ms: until, speed, volume, track } = clip;
  if (!asset) return `asset_id ${clip.asset_id} is not an asset of this project`;
  if (track < 0 || track >= TRACK_COUNT) return `track must be between 0 and ${TRACK_COUNT - 1}`;
  if (!(speed >= MIN_SPEED && speed <= MAX_SPEED)) return `speed must be between ${MIN_SPEED} and ${MAX_SPEED}`;
  if (!(volume >= 0 && volume <= MAX_VOLUME)) return `volume must be between 0 and ${MAX_VOLUME}`;
  if (from < 0 || until <= from) return "source_end_ms must be greater than source_start_ms, which must be at least 0";
  if (asset.duration_ms === null) return null;
  if (until > asset.duration_ms) return `source_end_ms must be at most ${asset.duration_ms}, the duration of its asset`;
  const sourceMs = (until - from) / speed;
  const timelineMs = clip.end_ms - clip.start_ms;
  if (Math.abs(timelineMs - sourceMs) <= FRAME_MS) return null;
  return `its timeline range is ${timelineMs} ms, but its source range at speed ${speed} is ${Math.round(sourceMs)} ms; they must be equal`;
}

function findDuplicate(ids: string[]): string | null {
  const seen = new Set<string>();
  return ids.find((id) => seen.has(id) || !seen.add(id)) ?? null;
}
