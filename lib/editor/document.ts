// The document of a project: how it begins, how long it is, and what a change must not do to it.
import type { ProjectAsset, ProjectClip, ProjectDocument, ProjectTextClip } from "../../drizzle/schema/editor.ts";
import type { Ids } from "../ids.ts";

const IMAGE_MS = 3_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const [SLOWEST, FASTEST] = [0.1, 16];
const LOUDEST = 10;
const TRACKS = 100;
/** A clip may be off its speed by a frame, because editors round to frames. */
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

/** The files end to end; one that is named twice is one asset and two clips. */
export function laidOut(files: AssetFile[], ids: Ids): ProjectDocument {
  const assets = new Map<string, ProjectAsset>();
  const clips: ProjectClip[] = [];
  let at = 0;
  for (const file of files) {
    const asset = assets.get(file.id) ?? assetOf(file, ids());
    assets.set(file.id, asset);
    const length = asset.duration_ms ?? IMAGE_MS;
    clips.push({
      clip_id: ids(),
      asset_id: asset.asset_id,
      track: 0,
      start_ms: at,
      end_ms: at + length,
      source_start_ms: 0,
      source_end_ms: length,
      speed: 1,
      volume: 1,
      muted: false,
    });
    at += length;
  }
  const render = { status: "none" as const, url: null, rendered_at: null };
  return { assets: [...assets.values()], clips, text_clips: [], undo: null, render };
}

function assetOf(file: AssetFile, assetId: string): ProjectAsset {
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

const USUAL_RATIOS = ["9:16", "4:5", "1:1", "4:3", "16:9"];

/** The usual ratio that is nearest to a picture's. */
export function ratioOf({ width, height }: Pick<AssetFile, "width" | "height">): string {
  const shape = Math.log(width / height);
  const away = (ratio: string) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - shape);
  };
  return USUAL_RATIOS.reduce((best, ratio) => (away(ratio) < away(best) ? ratio : best), "9:16");
}

export function durationOf({ clips, text_clips }: Pick<ProjectDocument, "clips" | "text_clips">): number {
  return [...clips, ...text_clips].reduce((latest, { end_ms }) => Math.max(latest, end_ms), 0);
}

/** What speaks against a project of these files; null when nothing does. */
export function lengthFault(document: ProjectDocument): string | null {
  if (durationOf(document) <= DAY_MS) return null;
  return "file_ids: laid end to end the files last over 24 hours, which is as long as a timeline may be. Name fewer.";
}

export interface Change {
  title?: string | undefined;
  clips?: ProjectClip[] | undefined;
  text_clips?: ProjectTextClip[] | undefined;
}

/** The document after a change that can be undone; a render of what it was before is no longer current. */
export function changed(
  document: ProjectDocument,
  { clips, text_clips }: Change,
  undo: NonNullable<ProjectDocument["undo"]>,
): ProjectDocument {
  const cut = clips !== undefined || text_clips !== undefined;
  const next = { ...document, clips: clips ?? document.clips, text_clips: text_clips ?? document.text_clips };
  if (!cut) return next;
  const render =
    document.render.status === "current" ? { ...document.render, status: "stale" as const } : document.render;
  return { ...next, undo, render };
}

/** What makes no sense, with the clip that it is in; null when all of it does. */
export function documentFault({ assets, clips, text_clips }: Checked): string | null {
  const byId = new Map(assets.map((asset) => [asset.asset_id, asset]));
  for (const clip of clips) {
    const fault = timeFault(clip) ?? clipFault(clip, byId.get(clip.asset_id));
    if (fault) return `The clip ${clip.clip_id} ${fault}.`;
  }
  for (const clip of text_clips) {
    const fault = timeFault(clip);
    if (fault) return `The text clip ${clip.clip_id} ${fault}.`;
  }
  const twice = [clips, text_clips].map((group) => repeated(group.map(({ clip_id }) => clip_id))).find(Boolean);
  return twice ? `The clip_id ${twice} is there twice.` : null;
}

type Checked = Pick<ProjectDocument, "assets" | "clips" | "text_clips">;

function timeFault({ start_ms, end_ms }: { start_ms: number; end_ms: number }): string | null {
  if (start_ms < 0) return "begins before the timeline: start_ms must not be negative";
  if (end_ms <= start_ms) return "ends before it begins: end_ms must lie after start_ms";
  return end_ms > DAY_MS ? "ends after 24 hours, which is as long as a timeline may be" : null;
}

function clipFault(clip: ProjectClip, asset: ProjectAsset | undefined): string | null {
  const { source_start_ms: from, source_end_ms: until, speed, volume, track } = clip;
  if (!asset) return `shows no asset of this project: asset_id is ${clip.asset_id}`;
  if (track < 0 || track >= TRACKS) return `lies on no track: track must be 0 to ${TRACKS - 1}`;
  if (!(speed >= SLOWEST && speed <= FASTEST)) return `has no speed: it must be ${SLOWEST} to ${FASTEST}`;
  if (!(volume >= 0 && volume <= LOUDEST)) return `has no volume: it must be 0 to ${LOUDEST}`;
  if (from < 0 || until <= from) return "shows nothing: source_end_ms must lie after source_start_ms, from 0 on";
  if (asset.duration_ms === null) return null;
  if (until > asset.duration_ms) return `shows more than its asset has: source_end_ms is over ${asset.duration_ms}`;
  const length = (until - from) / speed;
  const shown = clip.end_ms - clip.start_ms;
  if (Math.abs(shown - length) <= FRAME_MS) return null;
  return `is ${shown} ms long, but its part of the source lasts ${Math.round(length)} ms at this speed`;
}

function repeated(ids: string[]): string | null {
  const seen = new Set<string>();
  return ids.find((id) => seen.has(id) || !seen.add(id)) ?? null;
}
