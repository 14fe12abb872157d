// VP9: parses the headers of every frame and checks that compressed header and tiles fill it, as a decoder needs.
// mediabunny reads no more than the first key frame.
import { type BitReader, createBitReader, readBit, readBits, skipBits } from "./bit-reader.ts";
import { checkZeroRuns, damagedFrameError } from "./nal.ts";
import type { FrameHeader } from "./vp8.ts";

interface Size {
  width: number;
  height: number;
}

/** Later frames refer to the eight stored frames; only their sizes are kept. */
type StoredFrames = (Size | null)[];

const STORED_FRAMES = 8;
const REFERENCES = 3;
const SYNC_CODE = 0x498342;
const CS_RGB = 7;
const SEGMENTS = 8;
/** Bits of each feature of a segment, and whether a sign follows. */
const SEGMENT_FEATURES: [bits: number, signed: boolean][] = [
  [8, true],
  [6, true],
  [2, false],
  [0, false],
];
const [MAX_TILE_BLOCKS, MIN_TILE_BLOCKS] = [64, 4];
/** A stored frame may be at most twice as large, and at most 16 times smaller. */
const [MAX_DOWNSCALE, MAX_UPSCALE] = [2, 16];

/**
 * Returns a parser of packets, which must come in their order. It throws for a packet that decoders reject. Section 6.2 of
 * https://storage.googleapis.com/downloads.webmproject.org/docs/vp9/vp9-bitstream-specification-v0.6-20160331-draft.pdf,
 * read 2026-11-24.
 */
export function createVp9Parser(maxZeroRun: number): (packet: Uint8Array) => FrameHeader {
  const stored: StoredFrames = Array(STORED_FRAMES).fill(null);
  return (packet) => {
    const frames = splitSuperframe(packet);
    for (const frame of frames) checkZeroRuns(frame, maxZeroRun);
    try {
      const [first] = frames.map((frame) => parseFrame(frame, stored));
      return first ?? throwDamaged();
    } catch {
      return throwDamaged();
    }
  };
}

function throwDamaged(): never {
  throw damagedFrameError();
}

/** A packet may contain several frames, listed in an index at its end. */
function splitSuperframe(packet: Uint8Array): Uint8Array[] {
  const marker = packet.at(-1) ?? throwDamaged();
  if ((marker & 0xe0) !== 0xc0) return [packet];
  const count = (marker & 7) + 1;
  const bytes = ((marker >> 3) & 3) + 1;
  const index = packet.length - 2 - count * bytes;
  if (index < 0 || packet[index] !== marker) return [packet];
  const frames: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; i < count; i++) {
    let length = 0;
    for (let b = bytes - 1; b >= 0; b--) length = length * 256 + (packet[index + 1 + i * bytes + b] ?? 0);
    if (length > 0) frames.push(packet.subarray(start, start + length));
    start += length;
  }
  return start > index ? throwDamaged() : frames;
}

function parseFrame(frame: Uint8Array, stored: StoredFrames): FrameHeader {
  const bits = createBitReader(frame);
  if (readBits(bits, 2) !== 2) return throwDamaged();
  const profile = readBit(bits) + 2 * readBit(bits);
  if (profile === 3 && readBit(bits)) return throwDamaged();
  if (readBit(bits)) {
    // A frame that shows a stored one has nothing else. Before the first key frame there is none, and decoders skip it.
    readBits(bits, 3);
    return { key: false, size: null };
  }
  const key = readBit(bits) === 0;
  const shown = readBit(bits) === 1;
  const resilient = readBit(bits) === 1;
  const { size, refreshed } = key
    ? readKeyFrame(bits, profile)
    : readOtherFrame(bits, { profile, shown, resilient, stored });
  // A stream that does not begin with a key frame: its size is unknown, and decoders skip the frame.
  if (!size) return { key: false, size: null };
  if (!resilient) skipBits(bits, 2);
  skipBits(bits, 2);
  skipLoopFilter(bits);
  skipQuantization(bits);
  skipSegmentation(bits);
  const tiles = readTiles(bits, size);
  checkPartitions(frame, bits, tiles);
  for (let at = 0; at < STORED_FRAMES; at++) if ((refreshed >> at) & 1) stored[at] = size;
  return { key, size: key ? size : null };
}

interface FrameStart {
  size: Size | null;
  /** One bit per stored frame that this one replaces. */
  refreshed: number;
}

function readKeyFrame(bits: BitReader, profile: number): FrameStart {
  if (readBits(bits, 24) !== SYNC_CODE) return throwDamaged();
  skipColor(bits, profile);
  const size = readSize(bits);
  skipRenderSize(bits);
  return { size, refreshed: 0xff };
}

function readOtherFrame(
  bits: BitReader,
  { profile, shown, resilient, stored }: { profile: number; shown: boolean; resilient: boolean; stored: StoredFrames },
): FrameStart {
  const intra = !shown && readBit(bits) === 1;
  if (!resilient) skipBits(bits, 2);
  if (intra) {
    if (readBits(bits, 24) !== SYNC_CODE) return throwDamaged();
    if (profile > 0) skipColor(bits, profile);
    const refreshed = readBits(bits, 8);
    const size = readSize(bits);
    skipRenderSize(bits);
    return { size, refreshed };
  }
  const refreshed = readBits(bits, 8);
  const references = Array.from({ length: REFERENCES }, () => {
    const size = stored[readBits(bits, 3)] ?? null;
    skipBits(bits, 1);
    return size;
  });
  if (references.includes(null)) return { size: null, refreshed };
  const size = readSizeOrReference(bits, references);
  if (size && !references.some((reference) => reference && canScale(reference, size))) return throwDamaged();
  skipBits(bits, 1);
  if (readBit(bits) === 0) skipBits(bits, 2);
  return { size, refreshed };
}

function readSizeOrReference(bits: BitReader, references: (Size | null)[]): Size | null {
  for (const reference of references) {
    if (readBit(bits) === 0) continue;
    skipRenderSize(bits);
    return reference;
  }
  const size = readSize(bits);
  skipRenderSize(bits);
  return size;
}

function canScale(from: Size, to: Size): boolean {
  return (
    from.width <= MAX_DOWNSCALE * to.width &&
    from.height <= MAX_DOWNSCALE * to.height &&
    to.width <= MAX_UPSCALE * from.width &&
    to.height <= MAX_UPSCALE * from.height
  );
}

function readSize(bits: BitReader): Size {
  return { width: readBits(bits, 16) + 1, height: readBits(bits, 16) + 1 };
}

function skipRenderSize(bits: BitReader): void {
  if (readBit(bits)) skipBits(bits, 32);
}

/** Profiles 1 and 3 are those with other than 4:2:0 sampling, and state it. */
function skipColor(bits: BitReader, profile: number): void {
  const sampled = profile === 1 || profile === 3;
  if (profile >= 2) skipBits(bits, 1);
  const rgb = readBits(bits, 3) === CS_RGB;
  if (rgb && !sampled) throwDamaged();
  if (!rgb) skipBits(bits, 1);
  if (!rgb && sampled && readBits(bits, 2) === 3) throwDamaged();
  // A reserved bit.
  if (sampled && readBit(bits)) throwDamaged();
}

function skipLoopFilter(bits: BitReader): void {
  skipBits(bits, 9);
  const deltas = readBit(bits) === 1;
  if (!deltas || readBit(bits) === 0) return;
  for (let at = 0; at < 6; at++) if (readBit(bits)) skipBits(bits, 7);
}

function skipQuantization(bits: BitReader): void {
  skipBits(bits, 8);
  for (let at = 0; at < 3; at++) if (readBit(bits)) skipBits(bits, 5);
}

function skipSegmentation(bits: BitReader): void {
  if (readBit(bits) === 0) return;
  if (readBit(bits)) {
    for (let at = 0; at < 7; at++) if (readBit(bits)) skipBits(bits, 8);
    const temporal = readBit(bits) === 1;
    for (let at = 0; temporal && at < 3; at++) if (readBit(bits)) skipBits(bits, 8);
  }
  if (readBit(bits) === 0) return;
  skipBits(bits, 1);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    for (const [width, signed] of SEGMENT_FEATURES) if (readBit(bits)) skipBits(bits, width + (signed ? 1 : 0));
  }
}

/** The number of tiles. */
function readTiles(bits: BitReader, { width }: Size): number {
  const blocks = Math.ceil(width / 64);
  let columns = 0;
  while (MAX_TILE_BLOCKS << columns < blocks) columns += 1;
  let most = 1;
  while (blocks >> most >= MIN_TILE_BLOCKS) most += 1;
  while (columns < most - 1 && readBit(bits)) columns += 1;
  const rows = readBit(bits) ? 1 + readBit(bits) : 0;
  return 1 << (columns + rows);
}

/** The compressed header and the tiles follow; each tile but the last states its length. */
function checkPartitions(frame: Uint8Array, bits: BitReader, tiles: number): void {
  const headerBytes = readBits(bits, 16);
  let at = Math.ceil(bits.position / 8);
  checkEntropyCoded(frame, at, headerBytes);
  at += headerBytes;
  for (let tile = 1; tile < tiles; tile++) {
    if (at + 4 > frame.length) throwDamaged();
    const length = new DataView(frame.buffer, frame.byteOffset + at, 4).getUint32(0);
    checkEntropyCoded(frame, at + 4, length);
    at += 4 + length;
  }
  checkEntropyCoded(frame, at, frame.length - at);
}

/** Entropy-coded data begins with a bit that is zero. */
function checkEntropyCoded(frame: Uint8Array, at: number, length: number): void {
  if (length < 1 || at + length > frame.length || (frame[at] ?? 0) >= 0x80) throwDamaged();
}
