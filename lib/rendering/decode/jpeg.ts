// Decodes a large JPEG row by row into the required size, so that a 12-megapixel photo is never in memory whole.
import {
  buildHuffmanTable,
  type HuffmanTable,
  openEntropyStream,
  resetStream,
  skipToMarker,
} from "../../media/image/huffman.ts";
import { damagedImageError, truncatedImageError } from "../../media/image/image-facts.ts";
import { verificationError } from "../../media/verification-error.ts";
import type { ConvertInks } from "./convert-colors.ts";
import { type CropAndScale, createDownscaler } from "./crop-and-downscale.ts";
import type { BlockSide } from "./idct.ts";
import {
  type BlockReader,
  NATURAL_ORDER,
  type ReadBlock,
  type ScanComponent,
  selectBlockReader,
} from "./jpeg-coefficients.ts";
import { createRowWriter, type InkFormat, type Plane, type RowWriter } from "./jpeg-rows.ts";

interface JpegState extends InkFormat {
  frame: JpegFrame | null;
  dc: (HuffmanTable | undefined)[];
  ac: (HuffmanTable | undefined)[];
  quantizers: Uint16Array[];
  restartInterval: number;
}

interface JpegFrame {
  width: number;
  height: number;
  progressive: boolean;
  columns: number;
  rows: number;
  planes: Plane[];
}

/** Progressive scans are kept until the last one: enough for 24 megapixels with 4:2:0 subsampling. */
const MAX_COEFFICIENT_BYTES = 72 * 1024 * 1024;

/** Writes RGBA of the size `fit.out`. Throws a verification error when the image is truncated or damaged. */
export function decodeJpeg(
  bytes: Uint8Array,
  fit: CropAndScale,
  into: Uint8Array,
  convertInks: ConvertInks | null = null,
): void {
  const tables = { dc: [], ac: [], quantizers: [] };
  const state: JpegState = { ...tables, frame: null, restartInterval: 0, adobe: null, convertInks };
  let at = 2;
  for (;;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) throw at >= bytes.length ? truncatedImageError() : damagedImageError();
    if (marker === 0xd9) break;
    const length = (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    const content = bytes.subarray(at + 4, at + 2 + length);
    at += 2 + length;
    if (at > bytes.length) throw truncatedImageError();
    if (marker !== 0xda) {
      readSegment(marker, content, state);
      continue;
    }
    const { frame } = state;
    if (!frame) throw damagedImageError();
    const scan = readScanHeader(content, state, frame);
    if (!frame.progressive && scan.planes.length === frame.planes.length) {
      readScan(bytes, at, frame, scan, state.restartInterval, createScaledWriter(state, frame, fit, into));
      return;
    }
    allocateCoefficients(frame);
    at = readScan(bytes, at, frame, scan, state.restartInterval, null);
  }
  const { frame } = state;
  if (!frame || frame.planes.some(({ coefficients }) => coefficients.length === 0)) throw damagedImageError();
  const write = createScaledWriter(state, frame, fit, into);
  for (let row = 0; row < frame.rows; row++) write(row);
}

function readSegment(marker: number, content: Uint8Array, state: JpegState): void {
  if (marker === 0xc4) readHuffmanTables(content, state);
  else if (marker === 0xdb) readQuantizers(content, state);
  else if (marker === 0xdd) state.restartInterval = (content[0] ?? 0) * 256 + (content[1] ?? 0);
  else if (marker === 0xee && content[0] === 0x41 && content.length >= 12) state.adobe = content[11] ?? 0;
  else if (marker >= 0xc0 && marker <= 0xc2) startFrame(content, marker === 0xc2, state);
  else if (marker < 0xe0 && marker !== 0xfe) {
    throw verificationError(
      "image_data",
      "The image uses lossless or arithmetic JPEG coding, which is not supported. Save it as a baseline JPEG.",
    );
  }
}

function readHuffmanTables(content: Uint8Array, state: JpegState): void {
  for (let at = 0; at < content.length; ) {
    const kind = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const end = at + 17 + counts.reduce((sum, count) => sum + count, 0);
    if (end > content.length) throw damagedImageError();
    (kind >> 4 === 0 ? state.dc : state.ac)[kind & 15] = buildHuffmanTable(counts, content.slice(at + 17, end));
    at = end;
  }
}

function readQuantizers(content: Uint8Array, state: JpegState): void {
  for (let at = 0; at < content.length; ) {
    const kind = content[at] ?? 0;
    const wide = kind >> 4 === 0 ? 1 : 2;
    const table = new Uint16Array(64);
    for (let k = 0; k < 64; k++) {
      const from = at + 1 + k * wide;
      const value = wide === 1 ? content[from] : (content[from] ?? 0) * 256 + (content[from + 1] ?? 0);
      table[NATURAL_ORDER[k] ?? 0] = value ?? 0;
    }
    state.quantizers[kind & 15] = table;
    at += 1 + 64 * wide;
  }
}

function startFrame(content: Uint8Array, progressive: boolean, state: JpegState): void {
  const count = content[5] ?? 0;
  if (state.frame || content.length !== 6 + count * 3 || count < 1 || count > 4) throw damagedImageError();
  if (content[0] !== 8)
    throw verificationError(
      "image_data",
      "The image has more than 8 bits per channel, which is not supported. Save it with 8 bits per channel.",
    );
  const height = (content[1] ?? 0) * 256 + (content[2] ?? 0);
  const width = (content[3] ?? 0) * 256 + (content[4] ?? 0);
  const parts = Array.from({ length: count }, (_, i) => content.subarray(6 + i * 3, 9 + i * 3));
  const across = Math.max(...parts.map((part) => (part[1] ?? 0) >> 4));
  const down = Math.max(...parts.map((part) => (part[1] ?? 0) & 15));
  const columns = Math.ceil(width / (8 * across));
  const rows = Math.ceil(height / (8 * down));
  const planes = parts.map((part): Plane => {
    const [h, v] = [(part[1] ?? 0) >> 4, (part[1] ?? 0) & 15];
    if (h < 1 || v < 1 || h > 4 || v > 4) throw damagedImageError();
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

interface ScanHeader {
  planes: Plane[];
  parts: ScanComponent[];
  band: BlockReader["band"];
}

/** Stands for a table that the scan does not use. */
const NO_TABLE = buildHuffmanTable(new Uint8Array(16), new Uint8Array(0));

function readScanHeader(header: Uint8Array, state: JpegState, frame: JpegFrame): ScanHeader {
  const count = header[0] ?? 0;
  if (header.length !== 4 + count * 2 || count < 1 || count > 4) throw damagedImageError();
  const planes: Plane[] = [];
  const parts: ScanComponent[] = [];
  for (let i = 0; i < count; i++) {
    const plane = frame.planes.find(({ id }) => id === header[1 + i * 2]);
    const tables = header[2 + i * 2] ?? 0;
    if (!plane) throw damagedImageError();
    planes.push(plane);
    parts.push({ dc: state.dc[tables >> 4] ?? NO_TABLE, ac: state.ac[tables & 15] ?? NO_TABLE, prediction: 0 });
  }
  const [from = 0, to = 0, bits = 0] = header.subarray(1 + count * 2);
  if (!frame.progressive) return { planes, parts, band: { from: 0, to: 63, high: 0, low: 0 } };
  if (from > to || to > 63 || (from > 0 && count > 1)) throw damagedImageError();
  return { planes, parts, band: { from, to, high: bits >> 4, low: bits & 15 } };
}

/** Allocates the coefficients of the whole image, for files with several scans. */
function allocateCoefficients(frame: JpegFrame): void {
  const blocks = frame.planes.map(({ stride, v }) => stride * frame.rows * v);
  const bytes = blocks.reduce((sum, count) => sum + count * 128, 0);
  if (bytes > MAX_COEFFICIENT_BYTES) {
    throw verificationError(
      "too_many_pixels",
      "A progressive JPEG must have at most 24 megapixels. Scale the image down, or save it as a baseline JPEG.",
    );
  }
  for (const [at, plane] of frame.planes.entries()) {
    if (plane.whole) continue;
    plane.coefficients = new Int16Array((blocks[at] ?? 0) * 64);
    plane.whole = true;
  }
}

function createScaledWriter(state: JpegState, frame: JpegFrame, fit: CropAndScale, into: Uint8Array): RowWriter {
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
  const { addRow } = createDownscaler({ crop, out: fit.out }, 3, into);
  for (const plane of frame.planes) {
    if (!plane.whole) plane.coefficients = new Int16Array(plane.stride * plane.v * 64);
  }
  return createRowWriter(frame, state.quantizers, state, side, crop, addRow);
}

/** Returns the byte offset after the scan. With a writer, every MCU row is written as soon as it is read. */
function readScan(
  bytes: Uint8Array,
  start: number,
  frame: JpegFrame,
  { planes, parts, band }: ScanHeader,
  restartInterval: number,
  writer: RowWriter | null,
): number {
  const reader: BlockReader = { stream: openEntropyStream(bytes, start), band, run: 0 };
  const read = selectBlockReader(frame.progressive, band);
  let unit = 0;
  const next = () => {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) resumeAfterRestart(reader, parts);
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
  skipToMarker(reader.stream);
  return reader.stream.position;
}

function readUnit(
  reader: BlockReader,
  read: ReadBlock,
  planes: Plane[],
  parts: ScanComponent[],
  row: number,
  column: number,
): void {
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

function resumeAfterRestart(reader: BlockReader, parts: ScanComponent[]): void {
  const { stream } = reader;
  skipToMarker(stream);
  while (stream.bytes[stream.position + 1] === 0xff) stream.position += 1;
  const marker = stream.bytes[stream.position + 1] ?? 0;
  if (marker < 0xd0 || marker > 0xd7) throw marker === 0 ? truncatedImageError() : damagedImageError();
  stream.position += 2;
  resetStream(stream);
  reader.run = 0;
  for (const part of parts) part.prediction = 0;
}
