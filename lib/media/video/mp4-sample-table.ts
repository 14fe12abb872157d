// The sample tables of one MP4 track: they must be consistent, and every sample must lie inside the file.

import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";
import { type BoxNode, damagedIndexError, findChild, indexPastEndError } from "./mp4-box-tree.ts";

export interface SampleTable {
  count: number;
  sizes: SampleSizes;
  /** Total duration of the samples, and their largest composition offset, in the track's time units. */
  ticks: number;
  maxTimeOffset: number;
  chunks: ChunkTable;
}

interface SampleSizes {
  /** The size of every sample; zero when each sample has its own size. */
  all: number;
  at(index: number): number;
}

interface ChunkTable {
  count: number;
  /** Byte offset of a chunk; chunks are counted from 1, as in the tables. */
  offset(chunk: number): number;
  /** Per run: first chunk, samples per chunk, sample description. */
  runs: DataView;
}

const ENTRY_BYTES: Record<string, number> = { stts: 8, ctts: 8, stss: 4, stsc: 12, stco: 4, co64: 8, stps: 4, sdtp: 0 };

export function readSampleTable(table: BoxNode, video: boolean, fileSize: number): SampleTable {
  for (const node of table.children) checkEntries(node);
  const { count, ...sizes } = readSampleSizes(table);
  if (count > LIMITS.videoSamples && (video || findChild(table, "ctts"))) throw tooManySamplesError();
  const { maxTimeOffset } = checkTimes(findChild(table, "ctts"), count);
  const { ticks } = checkTimes(findChild(table, "stts"), count);
  const checked = { count, sizes, ticks, maxTimeOffset, chunks: readChunkTable(table, count) };
  checkChunks(checked, fileSize);
  return checked;
}

export function tooManySamplesError(): Error {
  return verificationError("too_complex", "The video lists more frames than can be checked.");
}

function checkEntries(node: BoxNode): void {
  const size = ENTRY_BYTES[node.name];
  if (!size) return;
  if (node.view.byteLength < 8 || 8 + node.view.getUint32(4) * size > node.view.byteLength) throw damagedIndexError();
}

function readSampleSizes(table: BoxNode): SampleSizes & { count: number } {
  const view = findChild(table, "stsz")?.view;
  if (view) {
    if (view.byteLength < 12) throw damagedIndexError();
    const all = view.getUint32(4);
    const count = view.getUint32(8);
    if (all === 0 && 12 + count * 4 > view.byteLength) throw damagedIndexError();
    return { count, all, at: (index) => (all === 0 ? view.getUint32(12 + index * 4) : all) };
  }
  const compact = findChild(table, "stz2")?.view;
  if (!compact || compact.byteLength < 12) throw damagedIndexError();
  const bits = compact.getUint8(7);
  const count = compact.getUint32(8);
  if (![4, 8, 16].includes(bits) || 12 + Math.ceil((count * bits) / 8) > compact.byteLength) throw damagedIndexError();
  return { count, all: 0, at: (index) => readCompactSize(compact, bits, index) };
}

function readCompactSize(view: DataView, bits: number, index: number): number {
  if (bits === 16) return view.getUint16(12 + index * 2);
  if (bits === 8) return view.getUint8(12 + index);
  return (view.getUint8(12 + (index >> 1)) >> (index % 2 === 0 ? 4 : 0)) & 15;
}

/** Real files have a few surplus entries, which are harmless; more than 1,000 are rejected. */
function checkTimes(node: BoxNode | undefined, samples: number): { ticks: number; maxTimeOffset: number } {
  const sum = { ticks: 0, maxTimeOffset: 0 };
  if (!node) return sum;
  const entries = node.view.getUint32(4);
  let listed = 0;
  for (let at = 8; at < 8 + entries * 8; at += 8) {
    const count = node.view.getUint32(at);
    sum.ticks += Math.min(count, samples - Math.min(listed, samples)) * node.view.getUint32(at + 4);
    sum.maxTimeOffset = Math.max(sum.maxTimeOffset, node.view.getInt32(at + 4));
    listed += count;
    if (listed > samples + 1000) throw damagedIndexError();
  }
  if (node.name === "stts" && listed + 1000 < samples) throw damagedIndexError();
  return sum;
}

function readChunkTable(table: BoxNode, samples: number): ChunkTable {
  const runs = findChild(table, "stsc")?.view;
  const short = findChild(table, "stco")?.view;
  const long = findChild(table, "co64")?.view;
  const offsets = short ?? long;
  if (samples === 0) return { count: 0, offset: () => 0, runs: new DataView(new ArrayBuffer(8)) };
  if (!runs || !offsets) throw damagedIndexError();
  return {
    count: offsets.getUint32(4),
    runs,
    offset: (chunk) => (short ? short.getUint32(4 + chunk * 4) : Number(offsets.getBigUint64(chunk * 8))),
  };
}

function checkChunks(table: SampleTable, fileSize: number): void {
  let end = 0;
  for (const { offset, first, until } of iterateChunks(table)) {
    if (offset + getChunkBytes(table.sizes, first, until) > fileSize) throw indexPastEndError();
    end = until;
  }
  if (end < table.count) throw damagedIndexError();
}

interface Chunk {
  offset: number;
  /** Index of the first sample, and of the one after the last. */
  first: number;
  until: number;
}

function* iterateChunks({ count, chunks: { count: chunkCount, offset, runs } }: SampleTable): Generator<Chunk> {
  const runCount = runs.getUint32(4);
  let sample = 0;
  for (let run = 0; run < runCount; run++) {
    const first = runs.getUint32(8 + run * 12);
    const perChunk = runs.getUint32(12 + run * 12);
    const next = run + 1 < runCount ? runs.getUint32(8 + (run + 1) * 12) : chunkCount + 1;
    if (first < 1 || next <= first || next > chunkCount + 1 || (run === 0 && first !== 1)) throw damagedIndexError();
    if (perChunk > count) throw damagedIndexError();
    for (let chunk = first; chunk < next && sample < count; chunk++) {
      const until = Math.min(sample + perChunk, count);
      yield { offset: offset(chunk), first: sample, until };
      sample = until;
    }
  }
}

/** In old QuickTime audio, one-byte samples stand for compressed blocks, so their size in bytes is unknown. */
function getChunkBytes(sizes: SampleSizes, from: number, until: number): number {
  if (sizes.all === 1) return 1;
  if (sizes.all > 1) return sizes.all * (until - from);
  let bytes = 0;
  for (let i = from; i < until; i++) bytes += sizes.at(i);
  return bytes;
}

export interface Sample {
  track: number;
  offset: number;
  size: number;
}

/** The samples of several tracks, merged in file order. */
export function* iterateInFileOrder(tracks: { id: number; samples: SampleTable }[]): Generator<Sample> {
  const queues = tracks.map(({ id, samples }) => iterateSamples(id, samples));
  const heads = queues.map((queue) => queue.next());
  for (;;) {
    let nearest = -1;
    let lowestOffset = Number.POSITIVE_INFINITY;
    for (const [at, head] of heads.entries()) {
      if (head.done || head.value.offset >= lowestOffset) continue;
      nearest = at;
      lowestOffset = head.value.offset;
    }
    const [head, queue] = [heads[nearest], queues[nearest]];
    if (!queue || !head || head.done) return;
    yield head.value;
    heads[nearest] = queue.next();
  }
}

function* iterateSamples(track: number, table: SampleTable): Generator<Sample, undefined> {
  for (const { offset, first, until } of iterateChunks(table)) {
    let at = offset;
    for (let i = first; i < until; i++) {
      const size = table.sizes.at(i);
      yield { track, offset: at, size };
      at += size;
    }
  }
}
