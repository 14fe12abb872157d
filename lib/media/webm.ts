// Walks a WebM file as it passes: segment and clusters lie inside the file and hold only known parts, block by block.
import { children, cut, damaged, type Element, elementAt, float, HEADER_BYTES, trackNumber, unsigned } from "./ebml.ts";
import { LIMITS } from "./limits.ts";
import { pages } from "./pages.ts";
import { refuse } from "./refusal.ts";
import type { MediaSource } from "./source.ts";
import type { Tape } from "./tape.ts";

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;
const INFO = 0x1549a966;
const VOID = 0xec;
const CRC = 0xbf;
/** Besides those above: SeekHead, Cues, Chapters, Tags and Attachments. */
const SEGMENT_PARTS = [CLUSTER, TRACKS, INFO, VOID, CRC, 0x114d9b74, 0x1c53bb6b, 0x1043a770, 0x1254c367, 0x1941a469];

const TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;
/** Besides those above: what clusters say about their place and size, and blocks that players pass over. */
const CLUSTER_PARTS = [TIME, SIMPLE_BLOCK, GROUP, VOID, CRC, 0xab, 0xa7, 0xaf, 0x5854];

/** What is not made of frames is small. */
const SMALL_PART = 1024 * 1024;

const UNKNOWN_SEGMENT = new Uint8Array([0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255]);

export interface WebmTimes {
  /** Seconds that the file states, null when it does not say, and seconds until the last block of any track ends. */
  stated: number | null;
  seconds: number;
  /** By track number: seconds of its first and last block, and how many there are. */
  tracks: Map<number, { first: number; last: number; count: number }>;
  /** By track number: nanoseconds of a frame, zero where the file does not say. */
  frames: Map<number, number>;
  /** Where the segment ends. */
  end: number;
}

interface Walk {
  tape: Tape;
  visit(track: number, bytes: Uint8Array): void;
  end: number;
  /** Blocks, and elements of all other kinds, that may still come. */
  blocks: number;
  others: number;
  found: Set<number>;
  /** Nanoseconds of a unit of time, and the units of the cluster at hand. */
  scale: number;
  clusterTime: number;
  stated: number | null;
  frames: WebmTimes["frames"];
  tracks: WebmTimes["tracks"];
  /** In seconds. */
  last: number;
}

export interface Segment extends Element {
  /** What the demuxer needs to know of the streams: the pieces of a file that ends before its first frame. */
  head: Uint8Array[];
}

/** Reads up to the first cluster; refuses a file that ends before its segment does. */
export async function findSegment(source: MediaSource): Promise<Segment> {
  const read = pages(source, LIMITS.hopPage);
  const at = async (position: number) => elementAt(await read(position, HEADER_BYTES), position) ?? cutHere();
  const first = await at(0);
  if (first.id !== EBML || first.end > SMALL_PART) throw damaged();
  let segment = await at(first.end);
  if (segment.id === VOID) segment = await at(segment.end);
  if (segment.id !== SEGMENT) throw cut();
  if (segment.end !== Number.POSITIVE_INFINITY && segment.end > source.size) throw cut();
  const head = [await read(0, first.end), UNKNOWN_SEGMENT];
  let position = segment.content;
  for (let parts = 0; ; parts++) {
    if (parts > LIMITS.topLevelBoxes) throw tooManyParts();
    const part = await at(position);
    if (part.id === CLUSTER) return { ...segment, head };
    if (!SEGMENT_PARTS.includes(part.id) || part.end === Number.POSITIVE_INFINITY) throw damaged();
    if (part.end > source.size) throw cut();
    if (part.id === INFO || part.id === TRACKS) {
      if (part.end - position > SMALL_PART) throw tooLargeIndex();
      head.push((await read(position, part.end - position)).slice());
    }
    position = part.end;
  }
}

function cutHere(): never {
  throw cut();
}

function tooManyParts(): Error {
  return refuse("too_complex", "The video is split into too many pieces to check.");
}

function tooLargeIndex(): Error {
  return refuse("too_complex", "The index of the video is too large to check.");
}

export async function walkWebm(tape: Tape, segment: Element, visit: Walk["visit"]): Promise<WebmTimes> {
  const walk: Walk = {
    tape,
    visit,
    end: Math.min(segment.end, tape.size),
    blocks: LIMITS.fragmentSamples,
    others: LIMITS.elements,
    found: new Set(),
    scale: 1_000_000,
    clusterTime: 0,
    stated: null,
    frames: new Map(),
    tracks: new Map(),
    last: 0,
  };
  let position = segment.content;
  while (position < walk.end) position = await part(walk, position);
  if (!walk.found.has(TRACKS)) throw damaged();
  if (!walk.found.has(CLUSTER)) throw cut();
  const stated = walk.stated === null ? null : (walk.stated * walk.scale) / 1e9;
  return { stated, seconds: walk.last, tracks: walk.tracks, frames: walk.frames, end: walk.end };
}

async function elementOf(walk: Walk, position: number): Promise<Element> {
  const length = Math.min(HEADER_BYTES, walk.tape.size - position);
  const bytes = walk.tape.held(position, length) ?? (await walk.tape.take(position, length));
  const element = elementAt(bytes, position) ?? cutHere();
  if (element.id === SIMPLE_BLOCK || element.id === GROUP) walk.blocks -= 1;
  else walk.others -= 1;
  if (walk.blocks < 0 || walk.others < 0) throw tooManyParts();
  return element;
}

/** Checks one part of the segment and answers where the next begins. */
async function part(walk: Walk, position: number): Promise<number> {
  const at = await elementOf(walk, position);
  if (!SEGMENT_PARTS.includes(at.id)) throw damaged();
  walk.found.add(at.id);
  if (at.end !== Number.POSITIVE_INFINITY && at.end > walk.end) throw cut();
  if (at.id === CLUSTER) return await cluster(walk, at);
  if (at.end === Number.POSITIVE_INFINITY) throw damaged();
  if (at.id === INFO) readInfo(walk, await small(walk, at));
  if (at.id === TRACKS) readTracks(walk, await small(walk, at));
  return at.end;
}

async function small(walk: Walk, { content, end }: Element): Promise<Uint8Array> {
  if (end - content > SMALL_PART) throw tooLargeIndex();
  return await walk.tape.take(content, end - content);
}

function readInfo(walk: Walk, content: Uint8Array): void {
  for (const child of children(content)) {
    if (child.id === 0x2ad7b1) walk.scale = unsigned(child.content);
    if (child.id === 0x4489) walk.stated = float(child.content);
  }
  if (walk.scale === 0 || (walk.stated !== null && !(walk.stated >= 0))) throw damaged();
}

function readTracks(walk: Walk, content: Uint8Array): void {
  for (const entry of children(content)) {
    if (entry.id !== 0xae) continue;
    let number = 0;
    let duration = 0;
    for (const field of children(entry.content)) {
      if (field.id === 0xd7) number = unsigned(field.content);
      if (field.id === 0x23e383) duration = unsigned(field.content);
      // WebM allows it for encryption only.
      if (field.id === 0x6d80) throw refuse("unsupported_codec", "The video is encrypted, so it cannot be played.");
    }
    walk.frames.set(number, duration);
  }
}

async function cluster(walk: Walk, at: Element): Promise<number> {
  const endless = at.end === Number.POSITIVE_INFINITY;
  const end = Math.min(at.end, walk.end);
  let position = at.content;
  while (position < end) {
    const child = await elementOf(walk, position);
    if (endless && SEGMENT_PARTS.includes(child.id) && !CLUSTER_PARTS.includes(child.id)) return position;
    if (!CLUSTER_PARTS.includes(child.id)) throw damaged();
    if (child.end > end) throw endless ? cut() : damaged();
    if (child.id === TIME) walk.clusterTime = unsigned(await small(walk, child));
    if (child.id === SIMPLE_BLOCK || child.id === GROUP) {
      if (child.end - child.content > LIMITS.frameBytes)
        throw refuse("too_complex", "A frame of the video is too large.");
      const length = child.end - child.content;
      const bytes = walk.tape.held(child.content, length) ?? (await walk.tape.take(child.content, length));
      if (child.id === GROUP) group(walk, bytes);
      else block(walk, bytes, null);
    }
    position = child.end;
  }
  return end;
}

function group(walk: Walk, content: Uint8Array): void {
  let found: Uint8Array | null = null;
  let duration: number | null = null;
  for (const child of children(content)) {
    if (child.id === BLOCK) found = child.content;
    if (child.id === BLOCK_DURATION) duration = unsigned(child.content);
  }
  if (!found) throw damaged();
  block(walk, found, duration);
}

/** `duration` is in units of time. */
function block(walk: Walk, bytes: Uint8Array, duration: number | null): void {
  const { track, bytes: at } = trackNumber(bytes);
  if (at + 3 > bytes.length) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const time = ((walk.clusterTime + view.getInt16(at)) * walk.scale) / 1e9;
  const laced = ((bytes[at + 2] ?? 0) & 6) !== 0;
  const lasts = duration !== null ? (duration * walk.scale) / 1e9 : laced ? 0 : (walk.frames.get(track) ?? 0) / 1e9;
  const seen = walk.tracks.get(track);
  walk.tracks.set(track, {
    first: Math.min(time, seen?.first ?? time),
    last: Math.max(time, seen?.last ?? time),
    count: 1 + (seen?.count ?? 0),
  });
  walk.last = Math.max(walk.last, time + lasts);
  // Several small frames in one block are a way to write sound, which is not looked into.
  if (!laced) walk.visit(track, bytes.subarray(at + 3));
}
