// Reads the index (moov) of an MP4 or QuickTime file: its tracks, how long each is, and what its tables list.
import { boxTree, child, damagedIndex, type Node, nameAt } from "./box-tree.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";
import { type SampleTable, sampleTable } from "./sample-table.ts";

export interface Movie {
  tracks: Track[];
  /** Seconds that the header states, as a rule without fragments; null when it does not say. */
  stated: number | null;
  /** Null when all samples are listed here; otherwise what fragments build on, and the seconds with them. */
  fragments: { samples: SampleDefaults; stated: number | null } | null;
}

export interface Track {
  id: number;
  /** Units per second. */
  timescale: number;
  samples: SampleTable;
  /** Seconds that the track itself states, that its samples last, and that edits leave of them. */
  stated: number | null;
  seconds: number;
  shown: number;
}

/** By track id: duration and size of a sample that does not say. */
export type SampleDefaults = Map<number, { duration: number; size: number }>;

export function readMovie(content: Uint8Array, fileSize: number): Movie {
  const tree = boxTree(content);
  const header = tree.find((node) => node.name === "mvhd")?.view;
  const tracks = tree.filter((node) => node.name === "trak");
  const extension = tree.find((node) => node.name === "mvex");
  if (!header) throw damagedIndex();
  if (tracks.length > LIMITS.tracks) throw refuse("too_complex", "The video has too many tracks.");
  const { timescale, ticks } = clock(header);
  const extended = child(extension, "mehd")?.view;
  const seconds = (units: number | null) => (units === null || timescale === 0 ? null : units / timescale);
  return {
    tracks: tracks.flatMap((track) => readTrack(track, fileSize, timescale)),
    stated: seconds(ticks),
    fragments: extension
      ? { samples: fragmentDefaults(extension), stated: seconds(extended ? extendedTicks(extended) : null) }
      : null,
  };
}

/** Of a movie header or a media header, whose first fields are the same; null ticks when the length is not known. */
function clock(header: DataView): { timescale: number; ticks: number | null } {
  const long = header.getUint8(0) === 1;
  const ticks = long ? Number(header.getBigUint64(24)) : header.getUint32(16);
  const unknown = ticks === 0 || ticks >= (long ? 2 ** 53 : 0xffffffff);
  return { timescale: header.getUint32(long ? 20 : 12), ticks: unknown ? null : ticks };
}

function extendedTicks(header: DataView): number | null {
  const ticks = header.getUint8(0) === 1 ? Number(header.getBigUint64(4)) : header.getUint32(4);
  return ticks === 0 || ticks >= 0xffffffff ? null : ticks;
}

function fragmentDefaults(extension: Node): SampleDefaults {
  const defaults: SampleDefaults = new Map();
  for (const { name, view } of extension.children) {
    if (name !== "trex" || view.byteLength < 24) continue;
    defaults.set(view.getUint32(4), { duration: view.getUint32(12), size: view.getUint32(16) });
  }
  return defaults;
}

/** Nothing for a track that is neither video nor sound and has no samples that could be looked at. */
function readTrack(track: Node, fileSize: number, movieScale: number): Track[] {
  const handler = child(track, "mdia", "hdlr")?.view;
  const media = child(track, "mdia", "mdhd")?.view;
  const table = child(track, "mdia", "minf", "stbl");
  const kind = handler && handler.byteLength >= 12 ? nameAt(handler, 8) : "";
  const played = kind === "vide" || kind === "soun";
  if (!table || !media) {
    if (played) throw damagedIndex();
    return [];
  }
  const samples = sampleTable(table, kind === "vide", fileSize);
  if (played) checkEntriesClear(child(table, "stsd")?.view);
  const { timescale, ticks } = clock(media);
  if (timescale === 0) {
    if (played) throw damagedIndex();
    return [];
  }
  const seconds = samples.ticks / timescale;
  const edits = child(track, "edts", "elst")?.view;
  const until = seconds + samples.lag / timescale;
  const shown = edits && movieScale > 0 ? shownSeconds(edits, until, timescale, movieScale) : seconds;
  return [
    { id: trackId(track), timescale, samples, stated: ticks === null ? null : ticks / timescale, seconds, shown },
  ];
}

function trackId(track: Node): number {
  const header = child(track, "tkhd")?.view;
  if (!header || header.byteLength < 24) throw damagedIndex();
  return header.getUint8(0) === 1 ? header.getUint32(20) : header.getUint32(12);
}

/** Each edit shows a piece of the media, which ends where the media does, or nothing for a while. */
function shownSeconds(edits: DataView, until: number, timescale: number, movieScale: number): number {
  const long = edits.getUint8(0) === 1;
  const bytes = long ? 20 : 12;
  const count = edits.getUint32(4);
  if (8 + count * bytes > edits.byteLength) throw damagedIndex();
  let shown = 0;
  for (let at = 8; at < 8 + count * bytes; at += bytes) {
    const length = (long ? Number(edits.getBigUint64(at)) : edits.getUint32(at)) / movieScale;
    const from = long ? Number(edits.getBigInt64(at + 8)) : edits.getInt32(at + 4);
    if (from < 0) shown += length;
    else {
      const left = Math.max(0, until - from / timescale);
      shown += length === 0 ? left : Math.min(length, left);
    }
  }
  return shown;
}

/** Refuses encrypted tracks: nobody could play them. */
function checkEntriesClear(descriptions: DataView | undefined): void {
  if (!descriptions || descriptions.byteLength < 16) throw damagedIndex();
  for (let at = 8; at + 8 <= descriptions.byteLength; at += Math.max(8, descriptions.getUint32(at))) {
    if (["encv", "enca"].includes(nameAt(descriptions, at + 4))) {
      throw refuse("unsupported_codec", "The video is encrypted, so it cannot be played.");
    }
  }
}
