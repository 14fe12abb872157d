// VP8 and VP9: frame tags, start codes and the sizes that a frame states about itself.
import { bit, bitsOf, skip, take } from "./bits.ts";
import { checkBlanks, damagedFrame } from "./nal.ts";

export interface FrameHeader {
  key: boolean;
  /** Only key frames state their size. */
  size: { width: number; height: number } | null;
}

export function vp8Frame(frame: Uint8Array, zeros: number): FrameHeader {
  checkBlanks(frame, zeros);
  const tag = (frame[0] ?? 0) | ((frame[1] ?? 0) << 8) | ((frame[2] ?? 0) << 16);
  const key = (tag & 1) === 0;
  const header = key ? 10 : 3;
  const version = (tag >> 1) & 7;
  const firstPartition = tag >> 5;
  if (frame.length < header || version > 3 || header + firstPartition > frame.length) throw damagedFrame();
  if (!key) return { key, size: null };
  if (frame[3] !== 0x9d || frame[4] !== 0x01 || frame[5] !== 0x2a) throw damagedFrame();
  const width = ((frame[6] ?? 0) | ((frame[7] ?? 0) << 8)) & 0x3fff;
  const height = ((frame[8] ?? 0) | ((frame[9] ?? 0) << 8)) & 0x3fff;
  if (width === 0 || height === 0) throw damagedFrame();
  return { key, size: { width, height } };
}

export function vp9Frame(packet: Uint8Array, zeros: number): FrameHeader {
  const frames = superframe(packet);
  for (const frame of frames) checkBlanks(frame, zeros);
  try {
    const headers = frames.map(vp9Header);
    return headers[0] ?? fail();
  } catch {
    return fail();
  }
}

function fail(): never {
  throw damagedFrame();
}

/** A packet may hold several frames, listed by an index at its end. */
function superframe(packet: Uint8Array): Uint8Array[] {
  const marker = packet[packet.length - 1] ?? 0;
  if (packet.length === 0) return fail();
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
  return start > index ? fail() : frames;
}

function vp9Header(frame: Uint8Array): FrameHeader {
  const bits = bitsOf(frame);
  if (take(bits, 2) !== 2) return fail();
  const profile = bit(bits) + 2 * bit(bits);
  if (profile === 3 && bit(bits)) return fail();
  if (bit(bits)) return { key: false, size: null };
  const key = bit(bits) === 0;
  skip(bits, 2);
  if (!key) return { key, size: null };
  if (take(bits, 24) !== 0x498342) return fail();
  vp9Color(bits, profile);
  return { key, size: { width: take(bits, 16) + 1, height: take(bits, 16) + 1 } };
}

function vp9Color(bits: ReturnType<typeof bitsOf>, profile: number): void {
  const odd = profile === 1 || profile === 3;
  if (profile >= 2) skip(bits, 1);
  const rgb = take(bits, 3) === 7;
  if (rgb && !odd) fail();
  if (!rgb) skip(bits, odd ? 3 : 1);
  if (rgb) skip(bits, 1);
  if (odd && bits.bytes[bits.position >> 3] === undefined) fail();
}
