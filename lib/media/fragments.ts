// Walks the fragments (moof) of an MP4 file as they pass: their runs fit their boxes, and every sample is in the file.
import { boxTree, child, damagedIndex, type Node, pastTheEnd } from "./box-tree.ts";
import { type Box, contentOf, damagedOrder, tooManyBoxes, topLevelBox } from "./boxes.ts";
import { LIMITS } from "./limits.ts";
import type { SampleDefaults } from "./movie.ts";
import { type Sample, tooManySamples } from "./sample-table.ts";
import type { Tape } from "./tape.ts";

interface Walk {
  tape: Tape;
  /** Where the index ends. */
  from: number;
  defaults: SampleDefaults;
  /** What the index lists, which the fragments go on from. */
  times: FragmentTimes;
  /** Called for each sample in the order of the file. */
  visit(track: number, bytes: Uint8Array): void;
}

/** By track id, in units of the track: where its first sample begins, where its last one ends, how many there are. */
export type FragmentTimes = Map<number, { first: number; end: number; count: number }>;

export async function walkFragments({ tape, from, defaults, times, visit }: Walk): Promise<FragmentTimes> {
  let waiting: Sample[] = [];
  let listed = 0;
  let position = from;
  for (let boxes = 0; position < tape.size; boxes++) {
    if (boxes > LIMITS.fragmentBoxes) throw tooManyBoxes();
    const header = await tape.take(position, Math.min(16, tape.size - position));
    // Nothing but boxes: a rest that is none would be one that was cut.
    const box = topLevelBox(header, position, tape.size, false);
    if (!box) throw damagedOrder();
    if (box.name === "moov") throw damagedOrder();
    if (box.name === "moof") {
      // What the fragment before it lists must have come by now.
      await visitAll(waiting, tape.size);
      waiting = await fragment(box);
      listed += waiting.length;
      if (listed > LIMITS.fragmentSamples) throw tooManySamples();
    }
    if (box.name === "mdat") await visitAll(waiting, box.end);
    position = box.end;
  }
  await visitAll(waiting, tape.size);
  return times;

  async function fragment(box: Box): Promise<Sample[]> {
    const content = await contentOf(tape.take, box, LIMITS.fragmentBytes);
    const samples = readFragment(content, box.start, defaults, times);
    if (samples.some(({ offset, size }) => offset < 0 || offset + size > tape.size)) throw pastTheEnd();
    return samples.sort((a, b) => a.offset - b.offset);
  }

  /** Takes those that begin before `end` off the list. */
  async function visitAll(samples: Sample[], end: number): Promise<void> {
    let done = 0;
    for (const { track, offset, size } of samples) {
      if (offset >= end) break;
      visit(track, await tape.take(offset, size));
      done += 1;
    }
    samples.splice(0, done);
  }
}

function readFragment(content: Uint8Array, start: number, defaults: SampleDefaults, times: FragmentTimes): Sample[] {
  const samples: Sample[] = [];
  let implicit = start;
  for (const node of boxTree(content)) if (node.name === "traf") implicit = readTrack(node, implicit);
  return samples;

  function readTrack(traf: Node, previousEnd: number): number {
    const header = child(traf, "tfhd")?.view;
    if (!header || header.byteLength < 8) throw damagedIndex();
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
    const whole = defaults.get(track);
    const run: Run = {
      track,
      base: baseAt !== null ? Number(header.getBigUint64(baseAt)) : flags & 0x20000 ? start : previousEnd,
      duration: durationAt !== null ? header.getUint32(durationAt) : (whole?.duration ?? 0),
      size: sizeAt !== null ? header.getUint32(sizeAt) : (whole?.size ?? 0),
      position: 0,
      ticks: 0,
    };
    const time = times.get(track);
    run.position = run.base;
    const began = decodeTime(child(traf, "tfdt")?.view) ?? time?.end ?? 0;
    const before = samples.length;
    for (const node of traf.children) if (node.name === "trun") readRun(node.view, run, samples);
    times.set(track, {
      first: Math.min(began, time?.first ?? began),
      end: Math.max(began + run.ticks, time?.end ?? 0),
      count: samples.length - before + (time?.count ?? 0),
    });
    return run.position;
  }
}

interface Run {
  track: number;
  base: number;
  duration: number;
  size: number;
  /** Where the next sample lies that is not told otherwise. */
  position: number;
  ticks: number;
}

function decodeTime(view: DataView | undefined): number | null {
  if (!view) return null;
  return view.getUint8(0) === 1 ? Number(view.getBigUint64(4)) : view.getUint32(4);
}

function readRun(view: DataView, run: Run, samples: Sample[]): void {
  const flags = view.getUint32(0) & 0xffffff;
  const count = view.getUint32(4);
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  const first = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  if (first + count * fields * 4 > view.byteLength) throw damagedIndex();
  if (samples.length + count > LIMITS.runSamples) throw tooManySamples();
  if (flags & 1) run.position = run.base + view.getInt32(8);
  for (let i = 0; i < count; i++) {
    const at = first + i * fields * 4;
    const size = flags & 0x200 ? view.getUint32(at + (flags & 0x100 ? 4 : 0)) : run.size;
    run.ticks += flags & 0x100 ? view.getUint32(at) : run.duration;
    samples.push({ track: run.track, offset: run.position, size });
    run.position += size;
  }
}
