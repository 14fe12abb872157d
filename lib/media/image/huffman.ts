// Huffman tables and the entropy-coded bit stream of a JPEG scan.
import { damagedImageError, truncatedImageError } from "./image-facts.ts";

export interface HuffmanTable {
  /** Per 9-bit prefix: code length in the high byte, symbol in the low byte; 0 for longer codes. */
  fast: Uint16Array;
  /** Per code length: first code, last code plus one, and index of its first symbol. */
  first: Int32Array;
  limit: Int32Array;
  offset: Int32Array;
  symbols: Uint8Array;
}

const FAST_BITS = 9;

export function buildHuffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const fast = new Uint16Array(1 << FAST_BITS);
  const first = new Int32Array(17);
  const limit = new Int32Array(17);
  const offset = new Int32Array(17);
  let code = 0;
  let at = 0;
  for (let length = 1; length <= 16; length++) {
    const count = counts[length - 1] ?? 0;
    first[length] = code;
    offset[length] = at;
    if (code + count > 1 << length) throw damagedImageError();
    for (let i = 0; i < count && length <= FAST_BITS; i++) {
      const start = (code + i) << (FAST_BITS - length);
      fast.fill((length << 8) | (symbols[at + i] ?? 0), start, start + (1 << (FAST_BITS - length)));
    }
    code += count;
    at += count;
    limit[length] = code;
    code <<= 1;
  }
  return { fast, first, limit, offset, symbols };
}

export interface EntropyStream {
  readonly bytes: Uint8Array;
  position: number;
  buffer: number;
  bitCount: number;
  /** Zero bits appended after the last byte before a marker; consuming one of them is an error. */
  paddingBits: number;
}

export function openEntropyStream(bytes: Uint8Array, position: number): EntropyStream {
  return { bytes, position, buffer: 0, bitCount: 0, paddingBits: 0 };
}

/** Fills the buffer to at least 16 bits, with zeros after a marker has been reached. */
function fillBuffer(stream: EntropyStream): void {
  const { bytes } = stream;
  while (stream.bitCount <= 16) {
    let byte = bytes[stream.position];
    if (byte === undefined) {
      byte = 0;
      stream.paddingBits += 8;
    } else if (byte === 0xff) {
      if (bytes[stream.position + 1] === 0) stream.position += 2;
      else {
        byte = 0;
        stream.paddingBits += 8;
      }
    } else stream.position += 1;
    stream.buffer = ((stream.buffer & 0xffff) << 8) | byte;
    stream.bitCount += 8;
  }
}

export function readBits(stream: EntropyStream, count: number): number {
  if (count === 0) return 0;
  if (stream.bitCount < count) fillBuffer(stream);
  stream.bitCount -= count;
  if (stream.bitCount < stream.paddingBits) throw outOfDataError(stream);
  return (stream.buffer >>> stream.bitCount) & ((1 << count) - 1);
}

export function readSymbol(stream: EntropyStream, table: HuffmanTable): number {
  if (stream.bitCount < 16) fillBuffer(stream);
  const hit = table.fast[(stream.buffer >>> (stream.bitCount - FAST_BITS)) & ((1 << FAST_BITS) - 1)] ?? 0;
  if (hit !== 0) {
    stream.bitCount -= hit >> 8;
    if (stream.bitCount < stream.paddingBits) throw outOfDataError(stream);
    return hit & 255;
  }
  for (let length = FAST_BITS + 1; length <= 16; length++) {
    const code = (stream.buffer >>> (stream.bitCount - length)) & ((1 << length) - 1);
    if (code >= (table.limit[length] ?? 0)) continue;
    stream.bitCount -= length;
    if (stream.bitCount < stream.paddingBits) throw outOfDataError(stream);
    return table.symbols[(table.offset[length] ?? 0) + code - (table.first[length] ?? 0)] ?? 0;
  }
  throw damagedImageError();
}

function outOfDataError(stream: EntropyStream): Error {
  return stream.position >= stream.bytes.length - 1 ? truncatedImageError() : damagedImageError();
}

/** Advances to the next marker. Returns the number of skipped bytes, including unused bytes that were read ahead. */
export function skipToMarker(stream: EntropyStream): number {
  let count = (stream.bitCount - stream.paddingBits) >> 3;
  const { bytes } = stream;
  for (;;) {
    const byte = bytes[stream.position];
    if (byte === undefined) throw truncatedImageError();
    if (byte !== 0xff) stream.position += 1;
    else if (bytes[stream.position + 1] === 0) stream.position += 2;
    else return count;
    count += 1;
  }
}

/** Clears the bit buffer after a restart marker. */
export function resetStream(stream: EntropyStream): void {
  stream.buffer = 0;
  stream.bitCount = 0;
  stream.paddingBits = 0;
}
