// Entropy-decodes one JPEG scan, baseline or progressive, to check that every block is present.
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
  /** Blocks per row, padded to whole MCUs. */
  stride: number;
  /** Progressive only: 64 bits per block that mark the coefficients that are nonzero so far. */
  nonzero: Uint32Array | null;
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

export interface ScanComponent {
  component: Component;
  dc: HuffmanTable | undefined;
  ac: HuffmanTable | undefined;
  prediction: number;
}

interface SpectralBand {
  from: number;
  to: number;
  high: number;
  low: number;
}

interface Scan {
  components: ScanComponent[];
  band: SpectralBand;
  restartInterval: number;
}

interface Decoder {
  stream: EntropyStream;
  band: SpectralBand;
  /** Remaining blocks of an end-of-band run. */
  run: number;
}

type DecodeBlock = (decoder: Decoder, part: ScanComponent, index: number) => void;

/** Cameras pad the end of a scan with a few bytes; more of them mean that the data is corrupt. */
const MAX_PADDING_BYTES = 16;
const MAX_DC = 2048;

/** Returns the byte offset of the marker after the scan. */
export function decodeScan(bytes: Uint8Array, start: number, frame: JpegFrame, scan: Scan): number {
  const stream = openEntropyStream(bytes, start);
  const decoder: Decoder = { stream, band: scan.band, run: 0 };
  const decode = selectBlockDecoder(frame, scan);
  const units = createUnitWalker(frame, scan);
  for (let unit = 0; unit < units.count; unit++) {
    if (scan.restartInterval > 0 && unit > 0 && unit % scan.restartInterval === 0) {
      startNextInterval(decoder, scan, (unit / scan.restartInterval - 1) & 7);
    }
    units.visit(unit, (part, index) => decode(decoder, part, index));
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
  for (const part of scan.components) part.prediction = 0;
}

/** A scan of one component is coded block by block; a scan of several interleaves them in MCUs. */
function createUnitWalker(frame: JpegFrame, scan: Scan) {
  const [only] = scan.components;
  if (scan.components.length === 1 && only) {
    const { blocksWide, blocksHigh, stride } = only.component;
    return {
      count: blocksWide * blocksHigh,
      visit(unit: number, block: (part: ScanComponent, index: number) => void) {
        const row = Math.floor(unit / blocksWide);
        block(only, row * stride + (unit - row * blocksWide));
      },
    };
  }
  if (scan.components.reduce((sum, { component }) => sum + component.h * component.v, 0) > 10)
    throw damagedImageError();
  return {
    count: frame.columns * frame.rows,
    visit(unit: number, block: (part: ScanComponent, index: number) => void) {
      const row = Math.floor(unit / frame.columns);
      const column = unit - row * frame.columns;
      for (const part of scan.components) {
        const { h, v, stride } = part.component;
        for (let y = 0; y < v; y++) {
          for (let x = 0; x < h; x++) block(part, (row * v + y) * stride + column * h + x);
        }
      }
    },
  };
}

function selectBlockDecoder(frame: JpegFrame, { components, band }: Scan): DecodeBlock {
  const { from, to, high, low } = band;
  if (from > to || to > 63 || low > 13 || high > 13 || (high > 0 && low !== high - 1)) throw damagedImageError();
  if (frame.progressive && from > 0 && components.length > 1) throw damagedImageError();
  if (frame.progressive && from === 0 && to > 0) throw damagedImageError();
  for (const { component, dc, ac } of components) {
    if (from === 0) component.started = true;
    if ((from === 0 && high === 0 && !dc) || (to > 0 && !ac) || !component.started) throw damagedImageError();
  }
  if (!frame.progressive) return decodeBaseline;
  if (from === 0) return high === 0 ? decodeDc : (decoder) => readBits(decoder.stream, 1);
  return high === 0 ? decodeAcFirst : decodeAcRefine;
}

function decodeBaseline(decoder: Decoder, part: ScanComponent): void {
  decodeDc(decoder, part);
  const { stream } = decoder;
  const table = part.ac as HuffmanTable;
  for (let k = 1; k < 64; k++) {
    const code = readSymbol(stream, table);
    const size = code & 15;
    if (size === 0) {
      if (code !== 0xf0) {
        if (code !== 0) throw damagedImageError();
        return;
      }
      k += 15;
    } else {
      k += code >> 4;
      if (size > 10) throw damagedImageError();
      readBits(stream, size);
    }
    if (k > 63) throw damagedImageError();
  }
}

function decodeDc(decoder: Decoder, part: ScanComponent): void {
  const size = readSymbol(decoder.stream, part.dc as HuffmanTable);
  if (size > 11) throw damagedImageError();
  const raw = readBits(decoder.stream, size);
  part.prediction += size > 0 && raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
  if (Math.abs(part.prediction) > MAX_DC) throw damagedImageError();
}

function markNonzero(nonzero: Uint32Array, index: number, k: number): void {
  const at = index * 2 + (k >> 5);
  nonzero[at] = (nonzero[at] ?? 0) | (1 << (k & 31));
}

function isNonzero(nonzero: Uint32Array, index: number, k: number): boolean {
  return (((nonzero[index * 2 + (k >> 5)] ?? 0) >>> (k & 31)) & 1) === 1;
}

function decodeAcFirst(decoder: Decoder, part: ScanComponent, index: number): void {
  if (decoder.run > 0) {
    decoder.run -= 1;
    return;
  }
  const { stream, band } = decoder;
  const nonzero = part.component.nonzero as Uint32Array;
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
    if (size > 0) {
      readBits(stream, size);
      markNonzero(nonzero, index, k);
    }
  }
}

/** Refinement scan: every nonzero coefficient that is passed takes a correction bit. */
function decodeAcRefine(decoder: Decoder, part: ScanComponent, index: number): void {
  const { stream, band } = decoder;
  const nonzero = part.component.nonzero as Uint32Array;
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
    if (size === 1) readBits(stream, 1);
    for (; k <= band.to; k++) {
      if (isNonzero(nonzero, index, k)) readBits(stream, 1);
      else if (zeros === 0) break;
      else zeros -= 1;
    }
    if (k > band.to && (size === 1 || zeros > 0)) throw damagedImageError();
    if (size === 1) markNonzero(nonzero, index, k);
    k += 1;
  }
  if (decoder.run === 0) return;
  for (; k <= band.to; k++) if (isNonzero(nonzero, index, k)) readBits(stream, 1);
  decoder.run -= 1;
}
