// Checks the index (moov) of an MP4 or QuickTime file: tables fit their boxes and every sample lies inside the file.
import { boxTree, child, damagedIndex, type Node, nameAt } from "./box-tree.ts";
import type { RunDefaults } from "./fragments.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";

export interface Movie {
  /** Length of the presentation after edits, in seconds; null when the index does not say. */
  presented: number | null;
  edited: boolean;
  fragmented: boolean;
  /** Samples that the index lists, by track id. */
  samples: Map<number, number>;
  /** Where the table for seeking in fragments stands, if there is one. */
  seekTable: number | null;
}

export function checkMovie(content: Uint8Array, fileSize: number, defaults: RunDefaults): Movie {
  const tree = boxTree(content);
  const header = tree.find((node) => node.name === "mvhd");
  const tracks = tree.filter((node) => node.name === "trak");
  const extension = tree.find((node) => node.name === "mvex");
  if (!header) throw damagedIndex();
  if (tracks.length > LIMITS.tracks) throw refuse("too_complex", "The video has too many tracks.");
  const samples = new Map<number, number>();
  for (const track of tracks) samples.set(trackId(track), checkTrack(track, fileSize));
  for (const trex of extension?.children ?? []) {
    if (trex.name === "trex" && trex.view.byteLength >= 24) {
      defaults.sizes.set(trex.view.getUint32(4), trex.view.getUint32(16));
    }
  }
  const edited = tracks.some((track) => child(track, "edts", "elst") !== undefined);
  return {
    presented: presentedSeconds(header.view),
    edited,
    fragmented: extension !== undefined,
    samples,
    seekTable: null,
  };
}

function trackId(track: Node): number {
  const header = child(track, "tkhd")?.view;
  if (!header || header.byteLength < 24) throw damagedIndex();
  return header.getUint8(0) === 1 ? header.getUint32(20) : header.getUint32(12);
}

function presentedSeconds(header: DataView): number | null {
  const long = header.getUint8(0) === 1;
  const scale = header.getUint32(long ? 20 : 12);
  const duration = long ? Number(header.getBigUint64(24)) : header.getUint32(16);
  const unknown = duration === 0 || duration === 0xffffffff || duration > 2 ** 53 || scale === 0;
  return unknown ? null : duration / scale;
}

function checkTrack(track: Node, fileSize: number): number {
  const handler = child(track, "mdia", "hdlr")?.view;
  const table = child(track, "mdia", "minf", "stbl");
  const kind = handler && handler.byteLength >= 12 ? nameAt(handler, 8) : "";
  if (!table) {
    if (kind === "vide" || kind === "soun") throw damagedIndex();
    return 0;
  }
  for (const node of table.children) checkEntries(node);
  const sizes = sampleSizes(table);
  if (sizes.count > LIMITS.videoSamples && (kind === "vide" || child(table, "ctts"))) throw tooManySamples();
  checkEntriesClear(child(table, "stsd")?.view);
  checkTimes(child(table, "stts"), 8, sizes.count);
  checkTimes(child(table, "ctts"), 8, sizes.count);
  checkChunks(table, sizes, fileSize);
  return sizes.count;
}

const ENTRY_BYTES: Record<string, number> = { stts: 8, ctts: 8, stss: 4, stsc: 12, stco: 4, co64: 8, stps: 4, sdtp: 0 };

function checkEntries(node: Node): void {
  const size = ENTRY_BYTES[node.name];
  if (!size) return;
  if (node.view.byteLength < 8 || 8 + node.view.getUint32(4) * size > node.view.byteLength) throw damagedIndex();
}

interface Sizes {
  count: number;
  /** Zero when every sample has its own size. */
  all: number;
  at(index: number): number;
}

function sampleSizes(table: Node): Sizes {
  const view = child(table, "stsz")?.view;
  if (view) {
    if (view.byteLength < 12) throw damagedIndex();
    const all = view.getUint32(4);
    const count = view.getUint32(8);
    if (all === 0 && 12 + count * 4 > view.byteLength) throw damagedIndex();
    return { count, all, at: (index) => (all === 0 ? view.getUint32(12 + index * 4) : all) };
  }
  const compact = child(table, "stz2")?.view;
  if (!compact || compact.byteLength < 12) throw damagedIndex();
  const bits = compact.getUint8(7);
  const count = compact.getUint32(8);
  if (![4, 8, 16].includes(bits) || 12 + Math.ceil((count * bits) / 8) > compact.byteLength) throw damagedIndex();
  return { count, all: 0, at: (index) => compactSize(compact, bits, index) };
}

function compactSize(view: DataView, bits: number, index: number): number {
  if (bits === 16) return view.getUint16(12 + index * 2);
  if (bits === 8) return view.getUint8(12 + index);
  return (view.getUint8(12 + (index >> 1)) >> (index % 2 === 0 ? 4 : 0)) & 15;
}

/** A few entries too many are seen in the wild and harmless; a table for billions of samples is not. */
function checkTimes(node: Node | undefined, entryBytes: number, samples: number): void {
  if (!node) return;
  const entries = node.view.getUint32(4);
  let listed = 0;
  for (let i = 0; i < entries; i++) {
    listed += node.view.getUint32(8 + i * entryBytes);
    if (listed > samples + 1000) throw damagedIndex();
  }
  if (node.name === "stts" && listed + 1000 < samples) throw damagedIndex();
}

function checkChunks(table: Node, sizes: Sizes, fileSize: number): void {
  const runs = child(table, "stsc")?.view;
  const short = child(table, "stco")?.view;
  const offsets = short ?? child(table, "co64")?.view;
  if (sizes.count === 0) return;
  if (!runs || !offsets) throw damagedIndex();
  const chunks = offsets.getUint32(4);
  const runCount = runs.getUint32(4);
  let sample = 0;
  let work = 0;
  for (let run = 0; run < runCount; run++) {
    const first = runs.getUint32(8 + run * 12);
    const perChunk = runs.getUint32(12 + run * 12);
    const next = run + 1 < runCount ? runs.getUint32(8 + (run + 1) * 12) : chunks + 1;
    if (first < 1 || next <= first || next > chunks + 1 || (run === 0 && first !== 1)) throw damagedIndex();
    if (perChunk > sizes.count) throw damagedIndex();
    for (let chunk = first; chunk < next && sample < sizes.count; chunk++) {
      const offset = short ? short.getUint32(4 + chunk * 4) : Number(offsets.getBigUint64(chunk * 8));
      const until = Math.min(sample + perChunk, sizes.count);
      if (offset + chunkBytes(sizes, sample, until) > fileSize) throw pastTheEnd();
      work += sizes.all === 0 ? perChunk * (until - sample) : 0;
      if (work > LIMITS.chunkWork) throw tooManySamples();
      sample = until;
    }
  }
  if (sample < sizes.count) throw damagedIndex();
}

function tooManySamples(): Error {
  return refuse("too_complex", "The video lists more frames than can be checked.");
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

/** One-byte samples of old QuickTime sound stand for compressed blocks, so they tell nothing about bytes. */
function chunkBytes(sizes: Sizes, from: number, until: number): number {
  if (sizes.all === 1) return 1;
  if (sizes.all > 1) return sizes.all * (until - from);
  let bytes = 0;
  for (let i = from; i < until; i++) bytes += sizes.at(i);
  return bytes;
}

export function pastTheEnd(): Error {
  return refuse("truncated", "The video is incomplete: its index points past the end of the file.");
}
