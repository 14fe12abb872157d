// Decodes a large JPEG row by row into the size that is needed: a photo of 12 megapixels never lies in memory whole.
import { entropy, type HuffmanTable, huffmanTable, leftover, restart } from "../../media/huffman.ts";
import { cutImage, damagedImage } from "../../media/image-facts.ts";
import { refuse } from "../../media/refusal.ts";
import { type Fit, shrinker } from "./fit.ts";
import type { BlockSide } from "./idct.ts";
import { NATURAL, type Part, type ReadBlock, type Reader, readerOf } from "./jpeg-blocks.ts";
import { type Plane, type RowWriter, rowWriter } from "./jpeg-rows.ts";

interface State {
  frame: Frame | null;
  dc: (HuffmanTable | undefined)[];
  ac: (HuffmanTable | undefined)[];
  quantizers: Uint16Array[];
  restartInterval: number;
  /** What Adobe's marker says of the colours: 0 as they are, 1 YCbCr, 2 YCCK; null without it. */
  adobe: number | null;
}

interface Frame {
  width: number;
  height: number;
  progressive: boolean;
  columns: number;
  rows: number;
  planes: Plane[];
}

/** Several scans have to be kept until the last: 24 megapixels in the usual colour resolution. */
const COEFFICIENT_BYTES_AT_MOST = 72 * 1024 * 1024;

/** Writes RGBA of the size that the fit asks for. Throws a refusal when the picture is cut or damaged. */
export function decodeJpeg(bytes: Uint8Array, fit: Fit, into: Uint8Array): void {
  const state: State = { frame: null, dc: [], ac: [], quantizers: [], restartInterval: 0, adobe: null };
  let at = 2;
  for (;;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) throw at >= bytes.length ? cutImage() : damagedImage();
    if (marker === 0xd9) break;
    const length = (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    const content = bytes.subarray(at + 4, at + 2 + length);
    at += 2 + length;
    if (at > bytes.length) throw cutImage();
    if (marker !== 0xda) {
      segment(marker, content, state);
      continue;
    }
    const { frame } = state;
    if (!frame) throw damagedImage();
    const scan = scanOf(content, state, frame);
    if (!frame.progressive && scan.planes.length === frame.planes.length) {
      readScan(bytes, at, frame, scan, state.restartInterval, writerOf(state, frame, fit, into));
      return;
    }
    keepAll(frame);
    at = readScan(bytes, at, frame, scan, state.restartInterval, null);
  }
  const { frame } = state;
  if (!frame || frame.planes.some(({ coefficients }) => coefficients.length === 0)) throw damagedImage();
  const write = writerOf(state, frame, fit, into);
  for (let row = 0; row < frame.rows; row++) write(row);
}

function segment(marker: number, content: Uint8Array, state: State): void {
  if (marker === 0xc4) huffmanTables(content, state);
  else if (marker === 0xdb) quantizers(content, state);
  else if (marker === 0xdd) state.restartInterval = (content[0] ?? 0) * 256 + (content[1] ?? 0);
  else if (marker === 0xee && content[0] === 0x41 && content.length >= 12) state.adobe = content[11] ?? 0;
  else if (marker >= 0xc0 && marker <= 0xc2) startFrame(content, marker === 0xc2, state);
  else if (marker < 0xe0 && marker !== 0xfe) {
    throw refuse("image_data", "The image uses a rare kind of JPEG coding that cannot be drawn.");
  }
}

function huffmanTables(content: Uint8Array, state: State): void {
  for (let at = 0; at < content.length; ) {
    const kind = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const end = at + 17 + counts.reduce((sum, count) => sum + count, 0);
    if (end > content.length) throw damagedImage();
    (kind >> 4 === 0 ? state.dc : state.ac)[kind & 15] = huffmanTable(counts, content.slice(at + 17, end));
    at = end;
  }
}

function quantizers(content: Uint8Array, state: State): void {
  for (let at = 0; at < content.length; ) {
    const kind = content[at] ?? 0;
    const wide = kind >> 4 === 0 ? 1 : 2;
    const table = new Uint16Array(64);
    for (let k = 0; k < 64; k++) {
      const from = at + 1 + k * wide;
      const value = wide === 1 ? content[from] : (content[from] ?? 0) * 256 + (content[from + 1] ?? 0);
      table[NATURAL[k] ?? 0] = value ?? 0;
    }
    state.quantizers[kind & 15] = table;
    at += 1 + 64 * wide;
  }
}

function startFrame(content: Uint8Array, progressive: boolean, state: State): void {
  const count = content[5] ?? 0;
  if (state.frame || content.length !== 6 + count * 3 || count < 1 || count > 4) throw damagedImage();
  if (content[0] !== 8) throw refuse("image_data", "The image has more than 8 bits per colour, which cannot be drawn.");
  const height = (content[1] ?? 0) * 256 + (content[2] ?? 0);
  const width = (content[3] ?? 0) * 256 + (content[4] ?? 0);
  const parts = Array.from({ length: count }, (_, i) => content.subarray(6 + i * 3, 9 + i * 3));
  const across = Math.max(...parts.map((part) => (part[1] ?? 0) >> 4));
  const down = Math.max(...parts.map((part) => (part[1] ?? 0) & 15));
  const columns = Math.ceil(width / (8 * across));
  const rows = Math.ceil(height / (8 * down));
  const planes = parts.map((part): Plane => {
    const [h, v] = [(part[1] ?? 0) >> 4, (part[1] ?? 0) & 15];
    if (h < 1 || v < 1 || h > 4 || v > 4) throw damagedImage();
    return {
      id: part[0] ?? 0,
      h,
      v,
      quantizer: part[2] ?? 0,
      blocksWide: Math.ceil(Math.ceil((width * h) / across) / 8),
      blocksHigh: Math.ceil(Math.ceil((height * v) / down) / 8),
      stride: columns * h,
      coefficients: new Int16Array(0),
      whole: false,
    };
  });
  state.frame = { width, height, progressive, columns, rows, planes };
}

interface Scan {
  planes: Plane[];
  parts: Part[];
  band: Reader["band"];
}

/** A table that a kind of scan does not use may be absent. */
const NO_TABLE = huffmanTable(new Uint8Array(16), new Uint8Array(0));

function scanOf(header: Uint8Array, state: State, frame: Frame): Scan {
  const count = header[0] ?? 0;
  if (header.length !== 4 + count * 2 || count < 1 || count > 4) throw damagedImage();
  const planes: Plane[] = [];
  const parts: Part[] = [];
  for (let i = 0; i < count; i++) {
    const plane = frame.planes.find(({ id }) => id === header[1 + i * 2]);
    const tables = header[2 + i * 2] ?? 0;
    if (!plane) throw damagedImage();
    planes.push(plane);
    parts.push({ dc: state.dc[tables >> 4] ?? NO_TABLE, ac: state.ac[tables & 15] ?? NO_TABLE, prediction: 0 });
  }
  const [from = 0, to = 0, bits = 0] = header.subarray(1 + count * 2);
  if (!frame.progressive) return { planes, parts, band: { from: 0, to: 63, high: 0, low: 0 } };
  if (from > to || to > 63 || (from > 0 && count > 1)) throw damagedImage();
  return { planes, parts, band: { from, to, high: bits >> 4, low: bits & 15 } };
}

/** The coefficients of the whole picture, for what comes in several scans. */
function keepAll(frame: Frame): void {
  const blocks = frame.planes.map(({ stride, v }) => stride * frame.rows * v);
  const bytes = blocks.reduce((sum, count) => sum + count * 128, 0);
  if (bytes > COEFFICIENT_BYTES_AT_MOST) {
    throw refuse(
      "too_many_pixels",
      "The image is a progressive JPEG too large to be drawn: 24 megapixels are the most.",
    );
  }
  for (const [at, plane] of frame.planes.entries()) {
    if (plane.whole) continue;
    plane.coefficients = new Int16Array((blocks[at] ?? 0) * 64);
    plane.whole = true;
  }
}

function writerOf(state: State, frame: Frame, fit: Fit, into: Uint8Array): RowWriter {
  const halved = fit.out.width * 2 <= fit.crop.width && fit.out.height * 2 <= fit.crop.height;
  const side: BlockSide = halved ? 4 : 8;
  const scale = side / 8;
  const edge = (value: number) => Math.floor(value * scale);
  const crop = {
    left: edge(fit.crop.left),
    top: edge(fit.crop.top),
    width: Math.max(fit.out.width, edge(fit.crop.width)),
    height: Math.max(fit.out.height, edge(fit.crop.height)),
  };
  const { row } = shrinker({ crop, out: fit.out }, 3, into);
  for (const plane of frame.planes) {
    if (!plane.whole) plane.coefficients = new Int16Array(plane.stride * plane.v * 64);
  }
  return rowWriter(frame, state.quantizers, state.adobe, side, crop, row);
}

/** Answers where the scan ends. With a writer every row of units is handed on as soon as it is read. */
function readScan(
  bytes: Uint8Array,
  start: number,
  frame: Frame,
  { planes, parts, band }: Scan,
  restartInterval: number,
  writer: RowWriter | null,
): number {
  const reader: Reader = { stream: entropy(bytes, start), band, run: 0 };
  const read = readerOf(frame.progressive, band);
  let unit = 0;
  const next = () => {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) resume(reader, parts);
    unit += 1;
  };
  const [only] = planes;
  const [part] = parts;
  if (planes.length === 1 && only && part && !writer) {
    for (let row = 0; row < only.blocksHigh; row++) {
      for (let column = 0; column < only.blocksWide; column++) {
        next();
        read(reader, part, only.coefficients, (row * only.stride + column) * 64);
      }
    }
  } else {
    for (let row = 0; row < frame.rows; row++) {
      if (writer) for (const plane of planes) plane.coefficients.fill(0);
      for (let column = 0; column < frame.columns; column++) {
        next();
        readUnit(reader, read, planes, parts, writer ? 0 : row, column);
      }
      writer?.(row);
    }
  }
  leftover(reader.stream);
  return reader.stream.position;
}

function readUnit(reader: Reader, read: ReadBlock, planes: Plane[], parts: Part[], row: number, column: number): void {
  for (let at = 0; at < planes.length; at++) {
    const [plane, part] = [planes[at], parts[at]];
    if (!plane || !part) continue;
    for (let y = 0; y < plane.v; y++) {
      for (let x = 0; x < plane.h; x++) {
        const block = (row * plane.v + y) * plane.stride + column * plane.h + x;
        read(reader, part, plane.coefficients, block * 64);
      }
    }
  }
}

function resume(reader: Reader, parts: Part[]): void {
  const { stream } = reader;
  leftover(stream);
  while (stream.bytes[stream.position + 1] === 0xff) stream.position += 1;
  const marker = stream.bytes[stream.position + 1] ?? 0;
  if (marker < 0xd0 || marker > 0xd7) throw marker === 0 ? cutImage() : damagedImage();
  stream.position += 2;
  restart(stream);
  reader.run = 0;
  for (const part of parts) part.prediction = 0;
}
