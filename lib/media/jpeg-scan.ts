// Decodes the coefficients of one JPEG scan far enough to know that every block is there, baseline or progressive.
import { bits, type Entropy, entropy, type HuffmanTable, leftover, restart, symbol } from "./huffman.ts";
import { cutImage, damagedImage } from "./image-facts.ts";

export interface Component {
  id: number;
  h: number;
  v: number;
  quantizer: number;
  blocksWide: number;
  blocksHigh: number;
  /** Blocks per row, padded to whole units. */
  stride: number;
  /** Progressive only: 64 bits per block telling which coefficients are not zero so far. */
  nonzero: Uint32Array | null;
  started: boolean;
}

export interface Frame {
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

interface Band {
  from: number;
  to: number;
  high: number;
  low: number;
}

interface Scan {
  components: ScanComponent[];
  band: Band;
  restartInterval: number;
}

interface Decoder {
  stream: Entropy;
  band: Band;
  /** Blocks whose end of band was announced by a run. */
  run: number;
}

type Block = (decoder: Decoder, part: ScanComponent, index: number) => void;

/** Cameras pad the end of a scan with a few bytes; many of them mean that decoding lost its place. */
const PADDING = 16;
const MAX_DC = 2048;

/** Answers where the marker behind the scan stands. */
export function decodeScan(bytes: Uint8Array, start: number, frame: Frame, scan: Scan): number {
  const stream = entropy(bytes, start);
  const decoder: Decoder = { stream, band: scan.band, run: 0 };
  const decode = blockDecoder(frame, scan);
  const units = unitWalker(frame, scan);
  for (let unit = 0; unit < units.count; unit++) {
    if (scan.restartInterval > 0 && unit > 0 && unit % scan.restartInterval === 0) {
      nextInterval(decoder, scan, (unit / scan.restartInterval - 1) & 7);
    }
    units.visit(unit, (part, index) => decode(decoder, part, index));
  }
  if (leftover(stream) > PADDING || decoder.run > 0) throw damagedImage();
  // Some encoders write one more restart marker behind the last interval.
  const marker = bytes[stream.position + 1] ?? 0;
  return marker >= 0xd0 && marker <= 0xd7 && scan.restartInterval > 0 ? stream.position + 2 : stream.position;
}

function nextInterval(decoder: Decoder, scan: Scan, expected: number): void {
  const { stream } = decoder;
  if (leftover(stream) > PADDING || decoder.run > 0) throw damagedImage();
  while (stream.bytes[stream.position + 1] === 0xff) stream.position += 1;
  const marker = stream.bytes[stream.position + 1];
  if (marker === undefined) throw cutImage();
  if (marker !== 0xd0 + expected) throw damagedImage();
  stream.position += 2;
  restart(stream);
  for (const part of scan.components) part.prediction = 0;
}

/** One component alone is coded block by block over its own size; several are interleaved in units. */
function unitWalker(frame: Frame, scan: Scan) {
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
  if (scan.components.reduce((sum, { component }) => sum + component.h * component.v, 0) > 10) throw damagedImage();
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

function blockDecoder(frame: Frame, { components, band }: Scan): Block {
  const { from, to, high, low } = band;
  if (from > to || to > 63 || low > 13 || high > 13 || (high > 0 && low !== high - 1)) throw damagedImage();
  if (frame.progressive && from > 0 && components.length > 1) throw damagedImage();
  if (frame.progressive && from === 0 && to > 0) throw damagedImage();
  for (const { component, dc, ac } of components) {
    if (from === 0) component.started = true;
    if ((from === 0 && high === 0 && !dc) || (to > 0 && !ac) || !component.started) throw damagedImage();
  }
  if (!frame.progressive) return baseline;
  if (from === 0) return high === 0 ? dcOnly : (decoder) => bits(decoder.stream, 1);
  return high === 0 ? acFirst : acRefine;
}

function baseline(decoder: Decoder, part: ScanComponent): void {
  dcOnly(decoder, part);
  const { stream } = decoder;
  const table = part.ac as HuffmanTable;
  for (let k = 1; k < 64; k++) {
    const code = symbol(stream, table);
    const size = code & 15;
    if (size === 0) {
      if (code !== 0xf0) {
        if (code !== 0) throw damagedImage();
        return;
      }
      k += 15;
    } else {
      k += code >> 4;
      if (size > 10) throw damagedImage();
      bits(stream, size);
    }
    if (k > 63) throw damagedImage();
  }
}

function dcOnly(decoder: Decoder, part: ScanComponent): void {
  const size = symbol(decoder.stream, part.dc as HuffmanTable);
  if (size > 11) throw damagedImage();
  const raw = bits(decoder.stream, size);
  part.prediction += size > 0 && raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
  if (Math.abs(part.prediction) > MAX_DC) throw damagedImage();
}

function mark(nonzero: Uint32Array, index: number, k: number): void {
  const at = index * 2 + (k >> 5);
  nonzero[at] = (nonzero[at] ?? 0) | (1 << (k & 31));
}

function isMarked(nonzero: Uint32Array, index: number, k: number): boolean {
  return (((nonzero[index * 2 + (k >> 5)] ?? 0) >>> (k & 31)) & 1) === 1;
}

function acFirst(decoder: Decoder, part: ScanComponent, index: number): void {
  if (decoder.run > 0) {
    decoder.run -= 1;
    return;
  }
  const { stream, band } = decoder;
  const nonzero = part.component.nonzero as Uint32Array;
  const table = part.ac as HuffmanTable;
  for (let k = band.from; k <= band.to; k++) {
    const code = symbol(stream, table);
    const run = code >> 4;
    const size = code & 15;
    if (size === 0 && run < 15) {
      decoder.run = (1 << run) - 1 + bits(stream, run);
      return;
    }
    k += run;
    if (k > band.to || size > 10) throw damagedImage();
    if (size > 0) {
      bits(stream, size);
      mark(nonzero, index, k);
    }
  }
}

/** Refinement: every coefficient that is not zero takes a correction bit on the way. */
function acRefine(decoder: Decoder, part: ScanComponent, index: number): void {
  const { stream, band } = decoder;
  const nonzero = part.component.nonzero as Uint32Array;
  const table = part.ac as HuffmanTable;
  let k = band.from;
  while (decoder.run === 0 && k <= band.to) {
    const code = symbol(stream, table);
    const size = code & 15;
    let zeros = code >> 4;
    if (size > 1) throw damagedImage();
    if (size === 0 && zeros < 15) {
      decoder.run = (1 << zeros) + bits(stream, zeros);
      break;
    }
    if (size === 1) bits(stream, 1);
    for (; k <= band.to; k++) {
      if (isMarked(nonzero, index, k)) bits(stream, 1);
      else if (zeros === 0) break;
      else zeros -= 1;
    }
    if (k > band.to && (size === 1 || zeros > 0)) throw damagedImage();
    if (size === 1) mark(nonzero, index, k);
    k += 1;
  }
  if (decoder.run === 0) return;
  for (; k <= band.to; k++) if (isMarked(nonzero, index, k)) bits(stream, 1);
  decoder.run -= 1;
}
