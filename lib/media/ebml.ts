// Walks the elements of a WebM file: segment and clusters must lie inside the file and hold only known parts.
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";
import { type MediaSource, pages } from "./source.ts";

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;
const VOID = 0xec;
const CRC = 0xbf;
const SEGMENT_PARTS = [
  CLUSTER,
  TRACKS,
  VOID,
  CRC,
  0x114d9b74,
  0x1549a966,
  0x1c53bb6b,
  0x1254c367,
  0x1043a770,
  0x1941a469,
];
const CLUSTER_PARTS = [VOID, CRC, 0xe7, 0xa3, 0xa0, 0xab, 0xa7, 0xaf, 0x5854];

interface Element {
  id: number;
  content: number;
  /** Infinity when the writer did not know it. */
  end: number;
}

type Read = (offset: number, length: number) => Promise<Uint8Array>;

export async function checkElements(source: MediaSource): Promise<void> {
  const full = source.size <= LIMITS.fullWalkBytes;
  const read = pages(source, full ? LIMITS.walkPage : LIMITS.hopPage);
  const head = await element(read, 0);
  if (head?.id !== EBML || head.end > source.size) throw damaged();
  const segment = await segmentAfter(read, head.end);
  if (segment.end !== Number.POSITIVE_INFINITY && segment.end > source.size) throw cut();
  const end = Math.min(segment.end, source.size);
  const walk = { read, end, full, budget: LIMITS.fragmentSamples, found: new Set<number>() };
  let position = segment.content;
  while (position < end) position = await part(walk, position);
  if (!walk.found.has(TRACKS)) throw damaged();
  if (!walk.found.has(CLUSTER)) throw cut();
}

interface Walk {
  read: Read;
  end: number;
  full: boolean;
  budget: number;
  found: Set<number>;
}

async function segmentAfter(read: Read, start: number): Promise<Element> {
  let next = await element(read, start);
  if (next?.id === VOID) next = await element(read, next.end);
  if (next?.id !== SEGMENT) throw cut();
  return next;
}

/** Checks one part of the segment and answers where the next begins. */
async function part(walk: Walk, position: number): Promise<number> {
  spend(walk);
  const at = await element(walk.read, position);
  if (!at) throw cut();
  if (!SEGMENT_PARTS.includes(at.id)) throw damaged();
  walk.found.add(at.id);
  if (at.end !== Number.POSITIVE_INFINITY && at.end > walk.end) throw cut();
  if (at.id !== CLUSTER) {
    if (at.end === Number.POSITIVE_INFINITY) throw damaged();
    return at.end;
  }
  return at.end === Number.POSITIVE_INFINITY || walk.full ? await cluster(walk, at) : at.end;
}

async function cluster(walk: Walk, at: Element): Promise<number> {
  const end = Math.min(at.end, walk.end);
  let position = at.content;
  while (position < end) {
    spend(walk);
    const block = await element(walk.read, position);
    if (!block) throw cut();
    if (at.end === Number.POSITIVE_INFINITY && SEGMENT_PARTS.includes(block.id) && !CLUSTER_PARTS.includes(block.id)) {
      return position;
    }
    if (!CLUSTER_PARTS.includes(block.id)) throw damaged();
    if (block.end > end) throw at.end === Number.POSITIVE_INFINITY ? cut() : damaged();
    position = block.end;
  }
  return end;
}

function spend(walk: Walk): void {
  walk.budget -= 1;
  if (walk.budget < 0) throw refuse("too_complex", "The video is split into too many pieces to check.");
}

/** Null where the file ends before the element header does. */
async function element(read: Read, start: number): Promise<Element | null> {
  const bytes = await read(start, 12);
  const idLength = width(bytes[0]);
  const sizeLength = width(bytes[idLength]);
  if (bytes.length < idLength + sizeLength) return null;
  if (idLength > 4 || sizeLength > 8) throw damaged();
  let id = 0;
  for (let i = 0; i < idLength; i++) id = id * 256 + (bytes[i] ?? 0);
  let size = (bytes[idLength] ?? 0) & (255 >> sizeLength);
  let ones = size === 255 >> sizeLength;
  for (let i = 1; i < sizeLength; i++) {
    const byte = bytes[idLength + i] ?? 0;
    ones = ones && byte === 255;
    size = size * 256 + byte;
  }
  const content = start + idLength + sizeLength;
  return { id, content, end: ones ? Number.POSITIVE_INFINITY : content + size };
}

function width(first: number | undefined): number {
  return first === undefined || first === 0 ? 9 : Math.clz32(first) - 23;
}

function cut(): Error {
  return refuse("truncated", "The video is incomplete: the file ends in the middle of it.");
}

function damaged(): Error {
  return refuse("malformed", "The video is damaged: its parts do not follow each other.");
}
