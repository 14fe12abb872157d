// Reads the index (moov) of an MP4 or QuickTime file: tracks, durations and sample tables.

import { LIMITS } from "../limits.ts";
import { encryptedVideoError, verificationError } from "../verification-error.ts";
import { type BoxNode, damagedIndexError, findChild, parseBoxTree, readBoxName } from "./mp4-box-tree.ts";
import { readSampleTable, type SampleTable } from "./mp4-sample-table.ts";

export interface Movie {
  tracks: Track[];
  /** Duration in the header in seconds, usually without fragments; null when absent. */
  declaredDuration: number | null;
  /** Null without fragments; otherwise their sample defaults, and the total duration in seconds. */
  fragments: { samples: SampleDefaults; declaredDuration: number | null } | null;
}

export interface Track {
  id: number;
  /** Units per second. */
  timescale: number;
  samples: SampleTable;
  /** Durations in seconds: in the track header, of all samples, and after edits. */
  declaredDuration: number | null;
  seconds: number;
  editedSeconds: number;
}

/** By track id: default duration and size of a sample. */
export type SampleDefaults = Map<number, { duration: number; size: number }>;

export function readMovie(content: Uint8Array, fileSize: number): Movie {
  const tree = parseBoxTree(content);
  const header = tree.find((node) => node.name === "mvhd")?.view;
  const tracks = tree.filter((node) => node.name === "trak");
  const extension = tree.find((node) => node.name === "mvex");
  if (!header) throw damagedIndexError();
  if (tracks.length > LIMITS.tracks) throw verificationError("too_complex", "The video has too many tracks.");
  const { timescale, ticks } = readTimescale(header);
  const extended = findChild(extension, "mehd")?.view;
  const seconds = (units: number | null) => (units === null || timescale === 0 ? null : units / timescale);
  return {
    tracks: tracks.flatMap((track) => readTrack(track, fileSize, timescale)),
    declaredDuration: seconds(ticks),
    fragments: extension
      ? {
          samples: readFragmentDefaults(extension),
          declaredDuration: seconds(extended ? readExtendedDuration(extended) : null),
        }
      : null,
  };
}

/** Reads a movie or media header, whose first fields are the same; `ticks` is null when the duration is unknown. */
function readTimescale(header: DataView): { timescale: number; ticks: number | null } {
  const long = header.getUint8(0) === 1;
  const ticks = long ? Number(header.getBigUint64(24)) : header.getUint32(16);
  const unknown = ticks === 0 || ticks >= (long ? 2 ** 53 : 0xffffffff);
  return { timescale: header.getUint32(long ? 20 : 12), ticks: unknown ? null : ticks };
}

function readExtendedDuration(header: DataView): number | null {
  const ticks = header.getUint8(0) === 1 ? Number(header.getBigUint64(4)) : header.getUint32(4);
  return ticks === 0 || ticks >= 0xffffffff ? null : ticks;
}

function readFragmentDefaults(extension: BoxNode): SampleDefaults {
  const defaults: SampleDefaults = new Map();
  for (const { name, view } of extension.children) {
    if (name !== "trex" || view.byteLength < 24) continue;
    defaults.set(view.getUint32(4), { duration: view.getUint32(12), size: view.getUint32(16) });
  }
  return defaults;
}

/** Empty for a track that is neither video nor audio and has no sample table. */
function readTrack(track: BoxNode, fileSize: number, movieScale: number): Track[] {
  const handler = findChild(track, "mdia", "hdlr")?.view;
  const media = findChild(track, "mdia", "mdhd")?.view;
  const table = findChild(track, "mdia", "minf", "stbl");
  const kind = handler && handler.byteLength >= 12 ? readBoxName(handler, 8) : "";
  const played = kind === "vide" || kind === "soun";
  if (!table || !media) {
    if (played) throw damagedIndexError();
    return [];
  }
  const samples = readSampleTable(table, kind === "vide", fileSize);
  if (played) checkNotEncrypted(findChild(table, "stsd")?.view);
  const { timescale, ticks } = readTimescale(media);
  if (timescale === 0) {
    if (played) throw damagedIndexError();
    return [];
  }
  const seconds = samples.ticks / timescale;
  const edits = findChild(track, "edts", "elst")?.view;
  const until = seconds + samples.maxTimeOffset / timescale;
  const editedSeconds = edits && movieScale > 0 ? sumEditedSeconds(edits, until, timescale, movieScale) : seconds;
  return [
    {
      id: readTrackId(track),
      timescale,
      samples,
      declaredDuration: ticks === null ? null : ticks / timescale,
      seconds,
      editedSeconds,
    },
  ];
}

function readTrackId(track: BoxNode): number {
  const header = findChild(track, "tkhd")?.view;
  if (!header || header.byteLength < 24) throw damagedIndexError();
  return header.getUint8(0) === 1 ? header.getUint32(20) : header.getUint32(12);
}

/** Each edit plays a range of the media, limited to its end, or is empty for a duration. */
function sumEditedSeconds(edits: DataView, until: number, timescale: number, movieScale: number): number {
  const long = edits.getUint8(0) === 1;
  const bytes = long ? 20 : 12;
  const count = edits.getUint32(4);
  if (8 + count * bytes > edits.byteLength) throw damagedIndexError();
  let editedSeconds = 0;
  for (let at = 8; at < 8 + count * bytes; at += bytes) {
    const length = (long ? Number(edits.getBigUint64(at)) : edits.getUint32(at)) / movieScale;
    const from = long ? Number(edits.getBigInt64(at + 8)) : edits.getInt32(at + 4);
    if (from < 0) editedSeconds += length;
    else {
      const left = Math.max(0, until - from / timescale);
      editedSeconds += length === 0 ? left : Math.min(length, left);
    }
  }
  return editedSeconds;
}

/** Common Encryption, and what iTunes sold before it. */
const ENCRYPTED = ["encv", "enca", "drmi", "drms"];

/** Throws for encrypted tracks, which cannot be played. */
function checkNotEncrypted(descriptions: DataView | undefined): void {
  if (!descriptions || descriptions.byteLength < 16) throw damagedIndexError();
  for (let at = 8; at + 8 <= descriptions.byteLength; at += Math.max(8, descriptions.getUint32(at))) {
    if (ENCRYPTED.includes(readBoxName(descriptions, at + 4))) throw encryptedVideoError();
  }
}
