// Checks the fragments (moof) of an MP4 file while it is streamed: runs fit their boxes, samples lie inside the file.

import { LIMITS } from "../limits.ts";
import type { SequentialReader } from "../sequential-reader.ts";
import { type BoxNode, damagedIndexError, findChild, indexPastEndError, parseBoxTree } from "./mp4-box-tree.ts";
import { type Box, damagedStructureError, parseTopLevelBox, readBoxContent, tooManyBoxesError } from "./mp4-boxes.ts";
import type { SampleDefaults } from "./mp4-moov.ts";
import { type Sample, tooManySamplesError } from "./mp4-sample-table.ts";

interface FragmentWalk {
  reader: SequentialReader;
  /** Byte offset after the index. */
  from: number;
  defaults: SampleDefaults;
  /** Times of the samples in the index, which the fragments continue. */
  times: FragmentTimes;
  /** Called for each sample, in file order. */
  visit(track: number, bytes: Uint8Array): void;
}

/** By track id, in the track's time units: start of the first sample, end of the last one, number of samples. */
export type FragmentTimes = Map<number, { first: number; end: number; count: number }>;

export async function walkFragments({ reader, from, defaults, times, visit }: FragmentWalk): Promise<FragmentTimes> {
  let pending: Sample[] = [];
  let sampleCount = 0;
  let position = from;
  for (let boxes = 0; position < reader.size; boxes++) {
    if (boxes > LIMITS.fragmentBoxes) throw tooManyBoxesError();
    const header = await reader.read(position, Math.min(16, reader.size - position));
    // A fragmented file ends with a box: trailing bytes that are no box would be a truncated one.
    const box = parseTopLevelBox(header, position, reader.size, false);
    if (!box) throw damagedStructureError();
    if (box.name === "moov") throw damagedStructureError();
    if (box.name === "moof") {
      // All samples of the previous fragment lie before this one.
      await visitAll(pending, reader.size);
      pending = await readNextFragment(box);
      sampleCount += pending.length;
      if (sampleCount > LIMITS.fragmentSamples) throw tooManySamplesError();
    }
    if (box.name === "mdat") await visitAll(pending, box.end);
    position = box.end;
  }
  await visitAll(pending, reader.size);
  return times;

  async function readNextFragment(box: Box): Promise<Sample[]> {
    const content = await readBoxContent(reader.read, box, LIMITS.fragmentBytes);
    const samples = readFragment(content, box.start, defaults, times);
    if (samples.some(({ offset, size }) => offset < 0 || offset + size > reader.size)) throw indexPastEndError();
    return samples.sort((a, b) => a.offset - b.offset);
  }

  /** Visits the samples that begin before `end`, and removes them from the list. */
  async function visitAll(samples: Sample[], end: number): Promise<void> {
    let done = 0;
    for (const { track, offset, size } of samples) {
      if (offset >= end) break;
      visit(track, await reader.read(offset, size));
      done += 1;
    }
    samples.splice(0, done);
  }
}

function readFragment(content: Uint8Array, start: number, defaults: SampleDefaults, times: FragmentTimes): Sample[] {
  const samples: Sample[] = [];
  let implicit = start;
  for (const node of parseBoxTree(content)) if (node.name === "traf") implicit = readTrack(node, implicit);
  return samples;

  function readTrack(traf: BoxNode, previousEnd: number): number {
    const header = findChild(traf, "tfhd")?.view;
    if (!header || header.byteLength < 8) throw damagedIndexError();
    const flags = header.getUint32(0) & 0xffffff;
    const track = header.getUint32(4);
    let at = 8;
    const field = (flag: number, bytes: number) => {
      if (!(flags & flag)) return null;
      at += bytes;
      return at - bytes;
    };
    const baseAt = field(1, 8);
    field(2, 4);
    const durationAt = field(8, 4);
    const sizeAt = field(16, 4);
    const trackDefaults = defaults.get(track);
    const run: TrackRun = {
      track,
      base: baseAt !== null ? Number(header.getBigUint64(baseAt)) : flags & 0x20000 ? start : previousEnd,
      duration: durationAt !== null ? header.getUint32(durationAt) : (trackDefaults?.duration ?? 0),
      size: sizeAt !== null ? header.getUint32(sizeAt) : (trackDefaults?.size ?? 0),
      position: 0,
      ticks: 0,
    };
    const time = times.get(track);
    run.position = run.base;
    const startTicks = readDecodeTime(findChild(traf, "tfdt")?.view) ?? time?.end ?? 0;
    const before = samples.length;
    for (const node of traf.children) if (node.name === "trun") readRun(node.view, run, samples);
    times.set(track, {
      first: Math.min(startTicks, time?.first ?? startTicks),
      end: Math.max(startTicks + run.ticks, time?.end ?? 0),
      count: samples.length - before + (time?.count ?? 0),
    });
    return run.position;
  }
}

interface TrackRun {
  track: number;
  base: number;
  duration: number;
  size: number;
  /** Byte offset of the next sample, unless a run sets another one. */
  position: number;
  ticks: number;
}

function readDecodeTime(view: DataView | undefined): number | null {
  if (!view) return null;
  return view.getUint8(0) === 1 ? Number(view.getBigUint64(4)) : view.getUint32(4);
}

function readRun(view: DataView, run: TrackRun, samples: Sample[]): void {
  const flags = view.getUint32(0) & 0xffffff;
  const count = view.getUint32(4);
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  const first = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  if (first + count * fields * 4 > view.byteLength) throw damagedIndexError();
  if (samples.length + count > LIMITS.runSamples) throw tooManySamplesError();
  if (flags & 1) run.position = run.base + view.getInt32(8);
  for (let i = 0; i < count; i++) {
    const at = first + i * fields * 4;
    const size = flags & 0x200 ? view.getUint32(at + (flags & 0x100 ? 4 : 0)) : run.size;
    run.ticks += flags & 0x100 ? view.getUint32(at) : run.duration;
    samples.push({ track: run.track, offset: run.position, size });
    run.position += size;
  }
}
