// VP8 and VP9: checks frame tags and start codes, and reads the frame size.
import { createBitReader, readBit, readBits, skipBits } from "./bit-reader.ts";
import { checkZeroRuns, damagedFrameError } from "./nal.ts";

export interface FrameHeader {
  key: boolean;
  /** Only key frames have a size. */
  size: { width: number; height: number } | null;
}

export function parseVp8Frame(frame: Uint8Array, zeros: number): FrameHeader {
  checkZeroRuns(frame, zeros);
  const tag = (frame[0] ?? 0) | ((frame[1] ?? 0) << 8) | ((frame[2] ?? 0) << 16);
  const key = (tag & 1) === 0;
  const header = key ? 10 : 3;
  const version = (tag >> 1) & 7;
  const firstPartition = tag >> 5;
  if (frame.length < header || version > 3 || header + firstPartition > frame.length) throw damagedFrameError();
  if (!key) return { key, size: null };
  if (frame[3] !== 0x9d || frame[4] !== 0x01 || frame[5] !== 0x2a) throw damagedFrameError();
  const width = ((frame[6] ?? 0) | ((frame[7] ?? 0) << 8)) & 0x3fff;
  const height = ((frame[8] ?? 0) | ((frame[9] ?? 0) << 8)) & 0x3fff;
  if (width === 0 || height === 0) throw damagedFrameError();
  return { key, size: { width, height } };
}

export function parseVp9Frame(packet: Uint8Array, zeros: number): FrameHeader {
  const frames = splitSuperframe(packet);
  for (const frame of frames) checkZeroRuns(frame, zeros);
  try {
    const headers = frames.map(parseVp9Header);
    return headers[0] ?? throwDamagedFrame();
  } catch {
    return throwDamagedFrame();
  }
}

function throwDamagedFrame(): never {
  throw damagedFrameError();
}

/** A packet may contain several frames, listed in an index at its end. */
function splitSuperframe(packet: Uint8Array): Uint8Array[] {
  const marker = packet[packet.length - 1] ?? 0;
  if (packet.length === 0) return throwDamagedFrame();
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
  return start > index ? throwDamagedFrame() : frames;
}

function parseVp9Header(frame: Uint8Array): FrameHeader {
  const bits = createBitReader(frame);
  if (readBits(bits, 2) !== 2) return throwDamagedFrame();
  const profile = readBit(bits) + 2 * readBit(bits);
  if (profile === 3 && readBit(bits)) return throwDamagedFrame();
  if (readBit(bits)) return { key: false, size: null };
  const key = readBit(bits) === 0;
  skipBits(bits, 2);
  if (!key) return { key, size: null };
  if (readBits(bits, 24) !== 0x498342) return throwDamagedFrame();
  skipVp9Color(bits, profile);
  return { key, size: { width: readBits(bits, 16) + 1, height: readBits(bits, 16) + 1 } };
}

function skipVp9Color(bits: ReturnType<typeof createBitReader>, profile: number): void {
  const odd = profile === 1 || profile === 3;
  if (profile >= 2) skipBits(bits, 1);
  const rgb = readBits(bits, 3) === 7;
  if (rgb && !odd) throwDamagedFrame();
  if (!rgb) skipBits(bits, odd ? 3 : 1);
  if (rgb) skipBits(bits, 1);
  if (odd && bits.bytes[bits.position >> 3] === undefined) throwDamagedFrame();
}
