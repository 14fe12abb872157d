// Checks a WebM file while it is streamed: segment and clusters lie inside the file and contain only known elements.

import { LIMITS } from "../limits.ts";
import type { MediaSource } from "../media-source.ts";
import { createPageCache } from "../page-cache.ts";
import type { SequentialReader } from "../sequential-reader.ts";
import { encryptedVideoError, verificationError } from "../verification-error.ts";
import {
  damagedVideoError,
  type Element,
  iterateChildren,
  MAX_HEADER_BYTES,
  parseElementHeader,
  readFloat,
  readTrackNumber,
  readUnsigned,
  truncatedVideoError,
} from "./ebml.ts";

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const CONTENT_ENCODINGS = 0x6d80;
const INFO = 0x1549a966;
const VOID = 0xec;
const CRC = 0xbf;
/** In addition to those above: SeekHead, Cues, Chapters, Tags and Attachments. */
const SEGMENT_PARTS = [CLUSTER, TRACKS, INFO, VOID, CRC, 0x114d9b74, 0x1c53bb6b, 0x1043a770, 0x1254c367, 0x1941a469];

const CLUSTER_TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;
/** In addition to those above: position and size of a cluster, and blocks that players skip. */
const CLUSTER_PARTS = [CLUSTER_TIME, SIMPLE_BLOCK, BLOCK_GROUP, VOID, CRC, 0xab, 0xa7, 0xaf, 0x5854];

/** Limit for every element without frames. */
const MAX_SMALL_PART_BYTES = 1024 * 1024;

const UNKNOWN_SEGMENT = new Uint8Array([0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255]);

export interface WebmTimings {
  /** Declared duration in seconds (null when absent), and the end of the last block of any track in seconds. */
  declaredDuration: number | null;
  seconds: number;
  /** By track number: times of the first and last block in seconds, and number of blocks. */
  tracks: Map<number, { first: number; last: number; count: number }>;
  /** By track number: declared frame duration in nanoseconds, zero when absent. */
  frames: Map<number, number>;
  /** Byte offset after the segment. */
  end: number;
}

interface WebmWalk {
  reader: SequentialReader;
  visit(track: number, bytes: Uint8Array): void;
  end: number;
  /** Remaining budgets: blocks, and other elements. */
  blocks: number;
  others: number;
  found: Set<number>;
  /** Nanoseconds per time unit, and the time of the current cluster in these units. */
  scale: number;
  clusterTime: number;
  declaredDuration: number | null;
  frames: WebmTimings["frames"];
  tracks: WebmTimings["tracks"];
  /** End of the last block, in seconds. */
  last: number;
}

export interface Segment extends Element {
  /** The parts that the demuxer needs to describe the streams: a file that ends before its first frame. */
  head: Uint8Array[];
}

/** Reads up to the first cluster. Throws when the file ends before its segment. */
export async function findSegment(source: MediaSource): Promise<Segment> {
  const read = createPageCache(source, LIMITS.pageBytes);
  const at = async (position: number) =>
    parseElementHeader(await read(position, MAX_HEADER_BYTES), position) ?? throwTruncated();
  const first = await at(0);
  if (first.id !== EBML || first.end > MAX_SMALL_PART_BYTES) throw damagedVideoError();
  let segment = await at(first.end);
  if (segment.id === VOID) segment = await at(segment.end);
  if (segment.id !== SEGMENT) throw truncatedVideoError();
  if (segment.end !== Number.POSITIVE_INFINITY && segment.end > source.size) throw truncatedVideoError();
  const head = [await read(0, first.end), UNKNOWN_SEGMENT];
  let position = segment.content;
  for (let parts = 0; ; parts++) {
    if (parts > LIMITS.topLevelBoxes) throw tooManyPartsError();
    const part = await at(position);
    if (part.id === CLUSTER) return { ...segment, head };
    if (!SEGMENT_PARTS.includes(part.id) || part.end === Number.POSITIVE_INFINITY) throw damagedVideoError();
    if (part.end > source.size) throw truncatedVideoError();
    if (part.id === INFO || part.id === TRACKS) {
      if (part.end - position > MAX_SMALL_PART_BYTES) throw indexTooLargeError();
      const bytes = (await read(position, part.end - position)).slice();
      if (part.id === TRACKS) checkNotEncrypted(bytes.subarray(part.content - position));
      head.push(bytes);
    }
    position = part.end;
  }
}

/** Before the demuxer reads the tracks: it does not know the codec of an encrypted one. */
function checkNotEncrypted(tracks: Uint8Array): void {
  for (const entry of iterateChildren(tracks)) {
    if (entry.id !== TRACK_ENTRY) continue;
    // WebM allows ContentEncodings for encryption only.
    for (const field of iterateChildren(entry.content)) if (field.id === CONTENT_ENCODINGS) throw encryptedVideoError();
  }
}

function throwTruncated(): never {
  throw truncatedVideoError();
}

function tooManyPartsError(): Error {
  return verificationError("too_complex", "The video is split into too many parts to check.");
}

function indexTooLargeError(): Error {
  return verificationError("too_complex", "The index of the video is too large to check.");
}

export async function walkWebm(
  reader: SequentialReader,
  segment: Element,
  visit: WebmWalk["visit"],
): Promise<WebmTimings> {
  const walk: WebmWalk = {
    reader,
    visit,
    end: Math.min(segment.end, reader.size),
    blocks: LIMITS.fragmentSamples,
    others: LIMITS.elements,
    found: new Set(),
    scale: 1_000_000,
    clusterTime: 0,
    declaredDuration: null,
    frames: new Map(),
    tracks: new Map(),
    last: 0,
  };
  let position = segment.content;
  while (position < walk.end) position = await readSegmentPart(walk, position);
  if (!walk.found.has(TRACKS)) throw damagedVideoError();
  if (!walk.found.has(CLUSTER)) throw truncatedVideoError();
  const declaredDuration = walk.declaredDuration === null ? null : (walk.declaredDuration * walk.scale) / 1e9;
  return { declaredDuration, seconds: walk.last, tracks: walk.tracks, frames: walk.frames, end: walk.end };
}

async function readElement(walk: WebmWalk, position: number): Promise<Element> {
  const length = Math.min(MAX_HEADER_BYTES, walk.reader.size - position);
  const bytes = walk.reader.tryRead(position, length) ?? (await walk.reader.read(position, length));
  const element = parseElementHeader(bytes, position) ?? throwTruncated();
  if (element.id === SIMPLE_BLOCK || element.id === BLOCK_GROUP) walk.blocks -= 1;
  else walk.others -= 1;
  if (walk.blocks < 0 || walk.others < 0) throw tooManyPartsError();
  return element;
}

/** Checks one part of the segment. Returns the byte offset of the next one. */
async function readSegmentPart(walk: WebmWalk, position: number): Promise<number> {
  const at = await readElement(walk, position);
  if (!SEGMENT_PARTS.includes(at.id)) throw damagedVideoError();
  walk.found.add(at.id);
  if (at.end !== Number.POSITIVE_INFINITY && at.end > walk.end) throw truncatedVideoError();
  if (at.id === CLUSTER) return await readCluster(walk, at);
  if (at.end === Number.POSITIVE_INFINITY) throw damagedVideoError();
  if (at.id === INFO) readInfo(walk, await readSmallPart(walk, at));
  if (at.id === TRACKS) readTracks(walk, await readSmallPart(walk, at));
  return at.end;
}

async function readSmallPart(walk: WebmWalk, { content, end }: Element): Promise<Uint8Array> {
  if (end - content > MAX_SMALL_PART_BYTES) throw indexTooLargeError();
  return await walk.reader.read(content, end - content);
}

function readInfo(walk: WebmWalk, content: Uint8Array): void {
  for (const child of iterateChildren(content)) {
    if (child.id === 0x2ad7b1) walk.scale = readUnsigned(child.content);
    if (child.id === 0x4489) walk.declaredDuration = readFloat(child.content);
  }
  if (walk.scale === 0 || (walk.declaredDuration !== null && !(walk.declaredDuration >= 0))) throw damagedVideoError();
}

function readTracks(walk: WebmWalk, content: Uint8Array): void {
  for (const entry of iterateChildren(content)) {
    if (entry.id !== TRACK_ENTRY) continue;
    let number = 0;
    let duration = 0;
    for (const field of iterateChildren(entry.content)) {
      if (field.id === 0xd7) number = readUnsigned(field.content);
      if (field.id === 0x23e383) duration = readUnsigned(field.content);
    }
    walk.frames.set(number, duration);
  }
}

async function readCluster(walk: WebmWalk, at: Element): Promise<number> {
  const endless = at.end === Number.POSITIVE_INFINITY;
  const end = Math.min(at.end, walk.end);
  let position = at.content;
  while (position < end) {
    const child = await readElement(walk, position);
    if (endless && SEGMENT_PARTS.includes(child.id) && !CLUSTER_PARTS.includes(child.id)) return position;
    if (!CLUSTER_PARTS.includes(child.id)) throw damagedVideoError();
    if (child.end > end) throw endless ? truncatedVideoError() : damagedVideoError();
    if (child.id === CLUSTER_TIME) walk.clusterTime = readUnsigned(await readSmallPart(walk, child));
    if (child.id === SIMPLE_BLOCK || child.id === BLOCK_GROUP) {
      if (child.end - child.content > LIMITS.frameBytes)
        throw verificationError("too_complex", "A frame of the video is too large.");
      const length = child.end - child.content;
      const bytes = walk.reader.tryRead(child.content, length) ?? (await walk.reader.read(child.content, length));
      if (child.id === BLOCK_GROUP) readBlockGroup(walk, bytes);
      else readBlock(walk, bytes, null);
    }
    position = child.end;
  }
  return end;
}

function readBlockGroup(walk: WebmWalk, content: Uint8Array): void {
  let found: Uint8Array | null = null;
  let duration: number | null = null;
  for (const child of iterateChildren(content)) {
    if (child.id === BLOCK) found = child.content;
    if (child.id === BLOCK_DURATION) duration = readUnsigned(child.content);
  }
  if (!found) throw damagedVideoError();
  readBlock(walk, found, duration);
}

/** `duration` is in time units of the file. */
function readBlock(walk: WebmWalk, bytes: Uint8Array, duration: number | null): void {
  const { track, bytes: at } = readTrackNumber(bytes);
  if (at + 3 > bytes.length) throw damagedVideoError();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const time = ((walk.clusterTime + view.getInt16(at)) * walk.scale) / 1e9;
  const laced = ((bytes[at + 2] ?? 0) & 6) !== 0;
  const durationSeconds =
    duration !== null ? (duration * walk.scale) / 1e9 : laced ? 0 : (walk.frames.get(track) ?? 0) / 1e9;
  const seen = walk.tracks.get(track);
  walk.tracks.set(track, {
    first: Math.min(time, seen?.first ?? time),
    last: Math.max(time, seen?.last ?? time),
    count: 1 + (seen?.count ?? 0),
  });
  walk.last = Math.max(walk.last, time + durationSeconds);
  // Lacing (several frames in one block) is used for audio, whose frames are not checked.
  if (!laced) walk.visit(track, bytes.subarray(at + 3));
}
