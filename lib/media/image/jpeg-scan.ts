// Entropy-decodes one JPEG scan, baseline or progressive (ITU-T T.81, annexes F and G), and checks that every block is present.
import {
  type EntropyStream,
  type HuffmanTable,
  openEntropyStream,
  readBits,
  readSymbol,
  resetStream,
  skipToMarker,
} from "./huffman.ts";
import { damagedImageError, truncatedImageError } from "./image-facts.ts";

export interface Component {
  id: number;
  h: number;
  v: number;
  quantizer: number;
  blocksWide: number;
  blocksHigh: number;
  /** Blocks per row and per column, padded to whole MCUs. */
  stride: number;
  rows: number;
  /** Receives the coefficients, 64 per block in natural order; zero before the first scan. */
  coefficients: Int16Array | null;
  /** Stands in for the coefficients of a progressive image: 64 bits per block that mark those that are nonzero so far. */
  nonzero: Uint32Array;
  started: boolean;
}

export interface JpegFrame {
  width: number;
  height: number;
  progressive: boolean;
  columns: number;
  rows: number;
  components: Component[];
}

interface ScanComponent {
  component: Component;
  dc: HuffmanTable | undefined;
  ac: HuffmanTable | undefined;
  prediction: number;
}

/** Spectral selection (Ss, Se) and successive approximation (Ah, Al). */
interface SpectralBand {
  from: number;
  to: number;
  high: number;
  low: number;
}

export interface Scan {
  parts: ScanComponent[];
  band: SpectralBand;
  restartInterval: number;
}

interface Decoder {
  stream: EntropyStream;
  band: SpectralBand;
  /** Remaining blocks of an end-of-band run. */
  run: number;
}

type DecodeBlock = (decoder: Decoder, part: ScanComponent, block: number) => void;

/** Cameras pad the end of a scan with a few bytes; more of them mean that the data is corrupt. */
const MAX_PADDING_BYTES = 16;
const MAX_DC = 2048;

/** The natural-order index of the k-th coefficient in zigzag order, as the stream has it. */
export const NATURAL_ORDER = new Uint8Array([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

/** Returns the byte offset of the marker after the scan. With `onRow`, each row of MCUs is decoded into the first one. */
export function decodeScan(
  bytes: Uint8Array,
  start: number,
  frame: JpegFrame,
  scan: Scan,
  onRow?: (row: number) => void,
): number {
  const stream = openEntropyStream(bytes, start);
  const decoder: Decoder = { stream, band: scan.band, run: 0 };
  const decode = selectBlockDecoder(frame, scan);
  const { rows, columns, parts } = layOutUnits(frame, scan);
  let unit = 0;
  for (let row = 0; row < rows; row++) {
    if (onRow) for (const { part } of parts) part.component.coefficients?.fill(0);
    for (let column = 0; column < columns; column++) {
      if (scan.restartInterval > 0 && unit > 0 && unit % scan.restartInterval === 0) {
        startNextInterval(decoder, scan, (unit / scan.restartInterval - 1) & 7);
      }
      unit += 1;
      for (const { part, h, v, stride } of parts) {
        for (let y = 0; y < v; y++) {
          const first = ((onRow ? 0 : row * v) + y) * stride + column * h;
          for (let x = 0; x < h; x++) decode(decoder, part, first + x);
        }
      }
    }
    onRow?.(row);
  }
  if (skipToMarker(stream) > MAX_PADDING_BYTES || decoder.run > 0) throw damagedImageError();
  // Some encoders write one more restart marker after the last interval.
  const marker = bytes[stream.position + 1] ?? 0;
  return marker >= 0xd0 && marker <= 0xd7 && scan.restartInterval > 0 ? stream.position + 2 : stream.position;
}

function startNextInterval(decoder: Decoder, scan: Scan, expected: number): void {
  const { stream } = decoder;
  if (skipToMarker(stream) > MAX_PADDING_BYTES || decoder.run > 0) throw damagedImageError();
  while (stream.bytes[stream.position + 1] === 0xff) stream.position += 1;
  const marker = stream.bytes[stream.position + 1];
  if (marker === undefined) throw truncatedImageError();
  if (marker !== 0xd0 + expected) throw damagedImageError();
  stream.position += 2;
  resetStream(stream);
  for (const part of scan.parts) part.prediction = 0;
}

/** A scan of one component is coded block by block; a scan of several interleaves them in MCUs. */
function layOutUnits(frame: JpegFrame, { parts }: Scan) {
  const [only] = parts;
  if (parts.length === 1 && only) {
    const { blocksWide, blocksHigh } = only.component;
    return {
      rows: blocksHigh,
      columns: blocksWide,
      parts: [{ part: only, h: 1, v: 1, stride: only.component.stride }],
    };
  }
  if (parts.reduce((sum, { component }) => sum + component.h * component.v, 0) > 10) throw damagedImageError();
  const units = parts.map((part) => ({
    part,
    h: part.component.h,
    v: part.component.v,
    stride: part.component.stride,
  }));
  return { rows: frame.rows, columns: frame.columns, parts: units };
}

function selectBlockDecoder(frame: JpegFrame, { parts, band }: Scan): DecodeBlock {
  const { from, to, high, low } = band;
  if (from > to || to > 63 || low > 13 || high > 13 || (high > 0 && low !== high - 1)) throw damagedImageError();
  if (frame.progressive && from > 0 && parts.length > 1) throw damagedImageError();
  if (frame.progressive && from === 0 && to > 0) throw damagedImageError();
  for (const { component, dc, ac } of parts) {
    if (from === 0) component.started = true;
    if ((from === 0 && high === 0 && !dc) || (to > 0 && !ac) || !component.started) throw damagedImageError();
  }
  if (!frame.progressive) return decodeBaseline;
  if (from === 0) return high === 0 ? decodeDc : refineDc;
  return high === 0 ? decodeAcFirst : decodeAcRefine;
}

/** Reads a signed value of `size` bits; one whose first bit is 0 is negative. */
function readSigned(stream: EntropyStream, size: number): number {
  const raw = readBits(stream, size);
  return size > 0 && raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
}

function setNonzero(
  coefficients: Int16Array | null,
  nonzero: Uint32Array,
  block: number,
  k: number,
  value: number,
): void {
  if (coefficients) coefficients[block * 64 + (NATURAL_ORDER[k] ?? 0)] = value;
  else {
    const at = block * 2 + (k >> 5);
    nonzero[at] = (nonzero[at] ?? 0) | (1 << (k & 31));
  }
}

function isNonzero(coefficients: Int16Array | null, nonzero: Uint32Array, block: number, k: number): boolean {
  if (coefficients) return coefficients[block * 64 + (NATURAL_ORDER[k] ?? 0)] !== 0;
  return (((nonzero[block * 2 + (k >> 5)] ?? 0) >>> (k & 31)) & 1) === 1;
}

function decodeBaseline(decoder: Decoder, part: ScanComponent, block: number): void {
  decodeDc(decoder, part, block);
  const { stream } = decoder;
  const coefficients = part.component.coefficients as Int16Array;
  const table = part.ac as HuffmanTable;
  for (let k = 1; k < 64; k++) {
    const code = readSymbol(stream, table);
    const size = code & 15;
    if (code === 0) return;
    k += code >> 4;
    if (k > 63 || size > 10 || (size === 0 && code !== 0xf0)) throw damagedImageError();
    if (size > 0) coefficients[block * 64 + (NATURAL_ORDER[k] ?? 0)] = readSigned(stream, size);
  }
}

function decodeDc({ stream, band }: Decoder, part: ScanComponent, block: number): void {
  const size = readSymbol(stream, part.dc as HuffmanTable);
  if (size > 11) throw damagedImageError();
  part.prediction += readSigned(stream, size);
  if (Math.abs(part.prediction) > MAX_DC) throw damagedImageError();
  const { coefficients } = part.component;
  if (coefficients) coefficients[block * 64] = part.prediction << band.low;
}

function refineDc({ stream, band }: Decoder, { component: { coefficients } }: ScanComponent, block: number): void {
  if (readBits(stream, 1) === 0 || !coefficients) return;
  coefficients[block * 64] = (coefficients[block * 64] ?? 0) | (1 << band.low);
}

function decodeAcFirst(decoder: Decoder, part: ScanComponent, block: number): void {
  if (decoder.run > 0) {
    decoder.run -= 1;
    return;
  }
  const { stream, band } = decoder;
  const { coefficients, nonzero } = part.component;
  const table = part.ac as HuffmanTable;
  for (let k = band.from; k <= band.to; k++) {
    const code = readSymbol(stream, table);
    const run = code >> 4;
    const size = code & 15;
    if (size === 0 && run < 15) {
      decoder.run = (1 << run) - 1 + readBits(stream, run);
      return;
    }
    k += run;
    if (k > band.to || size > 10) throw damagedImageError();
    if (size > 0) setNonzero(coefficients, nonzero, block, k, readSigned(stream, size) * (1 << band.low));
  }
}

/** Refinement scan: every nonzero coefficient that is passed takes a correction bit. */
function decodeAcRefine(decoder: Decoder, part: ScanComponent, block: number): void {
  const { stream, band } = decoder;
  const { coefficients, nonzero } = part.component;
  const table = part.ac as HuffmanTable;
  let k = band.from;
  while (decoder.run === 0 && k <= band.to) {
    const code = readSymbol(stream, table);
    const size = code & 15;
    let zeros = code >> 4;
    if (size > 1) throw damagedImageError();
    if (size === 0 && zeros < 15) {
      decoder.run = (1 << zeros) + readBits(stream, zeros);
      break;
    }
    const value = size === 1 ? (readBits(stream, 1) * 2 - 1) * (1 << band.low) : 0;
    for (; k <= band.to; k++) {
      if (isNonzero(coefficients, nonzero, block, k)) refine(stream, coefficients, block, k, band.low);
      else if (zeros === 0) break;
      else zeros -= 1;
    }
    if (k > band.to && (size === 1 || zeros > 0)) throw damagedImageError();
    if (size === 1) setNonzero(coefficients, nonzero, block, k, value);
    k += 1;
  }
  if (decoder.run === 0) return;
  for (; k <= band.to; k++) {
    if (isNonzero(coefficients, nonzero, block, k)) refine(stream, coefficients, block, k, band.low);
  }
  decoder.run -= 1;
}

/** Reads the correction bit of a nonzero coefficient, which moves it away from zero. */
function refine(stream: EntropyStream, coefficients: Int16Array | null, block: number, k: number, low: number): void {
  if (readBits(stream, 1) === 0 || !coefficients) return;
  const at = block * 64 + (NATURAL_ORDER[k] ?? 0);
  const value = coefficients[at] ?? 0;
  coefficients[at] = value + (value > 0 ? 1 << low : -(1 << low));
}
