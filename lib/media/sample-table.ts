// The tables of one track of an indexed movie: they fit each other, and every sample lies inside the file.
import { child, damagedIndex, type Node, pastTheEnd } from "./box-tree.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";

export interface SampleTable {
  count: number;
  sizes: Sizes;
  /** What the samples last, and how far any is shown behind its turn, in units of the track. */
  ticks: number;
  lag: number;
  chunks: Chunks;
}

interface Sizes {
  /** Zero when every sample has its own size. */
  all: number;
  at(index: number): number;
}

interface Chunks {
  count: number;
  /** Counted from 1, as the tables do. */
  offset(chunk: number): number;
  /** First chunk, samples per chunk and description of each run. */
  runs: DataView;
}

const ENTRY_BYTES: Record<string, number> = { stts: 8, ctts: 8, stss: 4, stsc: 12, stco: 4, co64: 8, stps: 4, sdtp: 0 };

export function sampleTable(table: Node, video: boolean, fileSize: number): SampleTable {
  for (const node of table.children) checkEntries(node);
  const { count, ...sizes } = sampleSizes(table);
  if (count > LIMITS.videoSamples && (video || child(table, "ctts"))) throw tooManySamples();
  const { lag } = checkTimes(child(table, "ctts"), count);
  const { ticks } = checkTimes(child(table, "stts"), count);
  const checked = { count, sizes, ticks, lag, chunks: chunksOf(table, count) };
  checkChunks(checked, fileSize);
  return checked;
}

export function tooManySamples(): Error {
  return refuse("too_complex", "The video lists more frames than can be checked.");
}

function checkEntries(node: Node): void {
  const size = ENTRY_BYTES[node.name];
  if (!size) return;
  if (node.view.byteLength < 8 || 8 + node.view.getUint32(4) * size > node.view.byteLength) throw damagedIndex();
}

function sampleSizes(table: Node): Sizes & { count: number } {
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
function checkTimes(node: Node | undefined, samples: number): { ticks: number; lag: number } {
  const sum = { ticks: 0, lag: 0 };
  if (!node) return sum;
  const entries = node.view.getUint32(4);
  let listed = 0;
  for (let at = 8; at < 8 + entries * 8; at += 8) {
    const count = node.view.getUint32(at);
    sum.ticks += Math.min(count, samples - Math.min(listed, samples)) * node.view.getUint32(at + 4);
    sum.lag = Math.max(sum.lag, node.view.getInt32(at + 4));
    listed += count;
    if (listed > samples + 1000) throw damagedIndex();
  }
  if (node.name === "stts" && listed + 1000 < samples) throw damagedIndex();
  return sum;
}

function chunksOf(table: Node, samples: number): Chunks {
  const runs = child(table, "stsc")?.view;
  const short = child(table, "stco")?.view;
  const long = child(table, "co64")?.view;
  const offsets = short ?? long;
  if (samples === 0) return { count: 0, offset: () => 0, runs: new DataView(new ArrayBuffer(8)) };
  if (!runs || !offsets) throw damagedIndex();
  return {
    count: offsets.getUint32(4),
    runs,
    offset: (chunk) => (short ? short.getUint32(4 + chunk * 4) : Number(offsets.getBigUint64(chunk * 8))),
  };
}

function checkChunks(table: SampleTable, fileSize: number): void {
  let end = 0;
  for (const { offset, first, until } of chunks(table)) {
    if (offset + chunkBytes(table.sizes, first, until) > fileSize) throw pastTheEnd();
    end = until;
  }
  if (end < table.count) throw damagedIndex();
}

interface Chunk {
  offset: number;
  /** Samples from the first up to but without the last number. */
  first: number;
  until: number;
}

function* chunks({ count, chunks: { count: chunkCount, offset, runs } }: SampleTable): Generator<Chunk> {
  const runCount = runs.getUint32(4);
  let sample = 0;
  for (let run = 0; run < runCount; run++) {
    const first = runs.getUint32(8 + run * 12);
    const perChunk = runs.getUint32(12 + run * 12);
    const next = run + 1 < runCount ? runs.getUint32(8 + (run + 1) * 12) : chunkCount + 1;
    if (first < 1 || next <= first || next > chunkCount + 1 || (run === 0 && first !== 1)) throw damagedIndex();
    if (perChunk > count) throw damagedIndex();
    for (let chunk = first; chunk < next && sample < count; chunk++) {
      const until = Math.min(sample + perChunk, count);
      yield { offset: offset(chunk), first: sample, until };
      sample = until;
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

export interface Sample {
  track: number;
  offset: number;
  size: number;
}

/** The samples of several tracks as they follow each other in the file. */
export function* inFileOrder(tracks: { id: number; samples: SampleTable }[]): Generator<Sample> {
  const queues = tracks.map(({ id, samples }) => samplesOf(id, samples));
  const heads = queues.map((queue) => queue.next());
  for (;;) {
    let nearest = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const [at, head] of heads.entries()) {
      if (head.done || head.value.offset >= least) continue;
      nearest = at;
      least = head.value.offset;
    }
    const [head, queue] = [heads[nearest], queues[nearest]];
    if (!queue || !head || head.done) return;
    yield head.value;
    heads[nearest] = queue.next();
  }
}

function* samplesOf(track: number, table: SampleTable): Generator<Sample, undefined> {
  for (const { offset, first, until } of chunks(table)) {
    let at = offset;
    for (let i = first; i < until; i++) {
      const size = table.sizes.at(i);
      yield { track, offset: at, size };
      at += size;
    }
  }
}
