// Huffman tables and the entropy-coded bit stream of a JPEG scan.
import { cutImage, damagedImage } from "./image-facts.ts";

export interface HuffmanTable {
  /** For every 9-bit prefix: code length in the high byte and symbol in the low one, 0 for longer codes. */
  fast: Uint16Array;
  /** First code and largest code (plus one) of each length, and where its symbols begin. */
  first: Int32Array;
  limit: Int32Array;
  offset: Int32Array;
  symbols: Uint8Array;
}

const FAST = 9;

export function huffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const fast = new Uint16Array(1 << FAST);
  const first = new Int32Array(17);
  const limit = new Int32Array(17);
  const offset = new Int32Array(17);
  let code = 0;
  let at = 0;
  for (let length = 1; length <= 16; length++) {
    const count = counts[length - 1] ?? 0;
    first[length] = code;
    offset[length] = at;
    if (code + count > 1 << length) throw damagedImage();
    for (let i = 0; i < count && length <= FAST; i++) {
      const start = (code + i) << (FAST - length);
      fast.fill((length << 8) | (symbols[at + i] ?? 0), start, start + (1 << (FAST - length)));
    }
    code += count;
    at += count;
    limit[length] = code;
    code <<= 1;
  }
  return { fast, first, limit, offset, symbols };
}

export interface Entropy {
  readonly bytes: Uint8Array;
  position: number;
  buffer: number;
  held: number;
  /** Zero bits handed out after the last byte before a marker; taking any of them is an error. */
  borrowed: number;
}

export function entropy(bytes: Uint8Array, position: number): Entropy {
  return { bytes, position, buffer: 0, held: 0, borrowed: 0 };
}

/** Fills up to at least 16 bits, with zeros where a marker has been reached. */
function fill(stream: Entropy): void {
  const { bytes } = stream;
  while (stream.held <= 16) {
    let byte = bytes[stream.position];
    if (byte === undefined) {
      byte = 0;
      stream.borrowed += 8;
    } else if (byte === 0xff) {
      if (bytes[stream.position + 1] === 0) stream.position += 2;
      else {
        byte = 0;
        stream.borrowed += 8;
      }
    } else stream.position += 1;
    stream.buffer = ((stream.buffer & 0xffff) << 8) | byte;
    stream.held += 8;
  }
}

export function bits(stream: Entropy, count: number): number {
  if (count === 0) return 0;
  if (stream.held < count) fill(stream);
  stream.held -= count;
  if (stream.held < stream.borrowed) throw outOfData(stream);
  return (stream.buffer >>> stream.held) & ((1 << count) - 1);
}

export function symbol(stream: Entropy, table: HuffmanTable): number {
  if (stream.held < 16) fill(stream);
  const hit = table.fast[(stream.buffer >>> (stream.held - FAST)) & ((1 << FAST) - 1)] ?? 0;
  if (hit !== 0) {
    stream.held -= hit >> 8;
    if (stream.held < stream.borrowed) throw outOfData(stream);
    return hit & 255;
  }
  for (let length = FAST + 1; length <= 16; length++) {
    const code = (stream.buffer >>> (stream.held - length)) & ((1 << length) - 1);
    if (code >= (table.limit[length] ?? 0)) continue;
    stream.held -= length;
    if (stream.held < stream.borrowed) throw outOfData(stream);
    return table.symbols[(table.offset[length] ?? 0) + code - (table.first[length] ?? 0)] ?? 0;
  }
  throw damagedImage();
}

function outOfData(stream: Entropy): Error {
  return stream.position >= stream.bytes.length - 1 ? cutImage() : damagedImage();
}

/** Whole bytes that were read ahead but not used, plus what lies before the next marker. */
export function leftover(stream: Entropy): number {
  let count = (stream.held - stream.borrowed) >> 3;
  const { bytes } = stream;
  for (;;) {
    const byte = bytes[stream.position];
    if (byte === undefined) throw cutImage();
    if (byte !== 0xff) stream.position += 1;
    else if (bytes[stream.position + 1] === 0) stream.position += 2;
    else return count;
    count += 1;
  }
}

/** Begins anew behind a restart marker. */
export function restart(stream: Entropy): void {
  stream.buffer = 0;
  stream.held = 0;
  stream.borrowed = 0;
}
