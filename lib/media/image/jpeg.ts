// Reads the tables, frame and scans of a JPEG; verification and rendering share it. Own code, because jpeg-js 0.4.4 takes 277 MB
// for 12 megapixels and @jsquash/jpeg 1.6.0 accepts truncated files (November 2026).

import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";
import { buildHuffmanTable, type HuffmanTable } from "./huffman.ts";
import { STANDARD_TABLES } from "./huffman-tables.ts";
import { checkPixels, damagedImageError, type ImageCheckResult } from "./image-facts.ts";
import {
  createJpegMetadata,
  EOI,
  type JpegMetadata,
  type JpegSegment,
  readMetadata,
  readSegment,
  SOF_BASELINE,
  SOS,
} from "./jpeg-header.ts";
import { type Component, decodeScan, type JpegFrame, NATURAL_ORDER, type Scan } from "./jpeg-scan.ts";

export interface JpegImage extends JpegMetadata {
  bytes: Uint8Array;
  /** Byte offset after the last segment or scan. */
  position: number;
  afterScan: boolean;
  frame: JpegFrame;
  dc: (HuffmanTable | undefined)[];
  ac: (HuffmanTable | undefined)[];
  /** In natural order. */
  quantizers: (Uint16Array | undefined)[];
  restartInterval: number;
  scans: number;
  /** Coefficients that all scans so far have visited. */
  work: number;
}

const SOF_PROGRESSIVE = 0xc2;
const DHT = 0xc4;
const DQT = 0xdb;
const DRI = 0xdd;
const APP0 = 0xe0;
const NO_BITS = new Uint32Array(0);
/** Conditions of arithmetic coding, and the number of lines, which the frame states too. */
const IGNORED = [0xcc, 0xdc];

/** Entropy-decodes each scan to the end of the image, without computing pixels. */
export function checkJpeg(bytes: Uint8Array): ImageCheckResult {
  const image = openJpeg(bytes);
  const { width, height, progressive, components } = image.frame;
  checkPixels(width, height);
  for (const one of components) {
    // A sixteenth of the memory that the coefficients take.
    if (progressive) one.nonzero = new Uint32Array(one.stride * one.rows * 2);
    else one.coefficients = new Int16Array(one.stride * one.v * 64);
  }
  const onRow = progressive ? undefined : () => undefined;
  for (let scan = readScanHeader(image); scan; scan = readScanHeader(image)) readScan(image, scan, onRow);
  checkStarted(image.frame);
  return { facts: { width, height, orientation: image.orientation, frames: 1 }, end: image.position };
}

/** Reads up to the frame header. */
export function openJpeg(bytes: Uint8Array): JpegImage {
  const image: Omit<JpegImage, "frame"> & { frame: JpegFrame | null } = {
    ...createJpegMetadata(),
    ...{ bytes, position: 2, afterScan: false, frame: null },
    ...{ dc: [...STANDARD_TABLES.dc], ac: [...STANDARD_TABLES.ac], quantizers: [] },
    ...{ restartInterval: 0, scans: 0, work: 0 },
  };
  for (;;) {
    const segment = readSegment(bytes, image.position, false);
    if (segment.marker === SOS || segment.marker === EOI) throw damagedImageError();
    image.position = segment.end;
    const frame = readTables(segment, image);
    if (frame) return Object.assign(image, { frame });
  }
}

/** Returns null at the end of the image. */
export function readScanHeader(image: JpegImage): Scan | null {
  for (;;) {
    const segment = readSegment(image.bytes, image.position, image.afterScan);
    image.position = segment.end;
    image.afterScan = segment.marker === SOS;
    if (segment.marker === EOI) return null;
    if (segment.marker === SOS) return buildScan(segment.content, image);
    // An image has one frame.
    if (readTables(segment, image)) throw damagedImageError();
  }
}

/** Calls `onRow`, if given, after each row of MCUs, all of which are then written to the first one. */
export function readScan(image: JpegImage, scan: Scan, onRow?: (row: number) => void): void {
  image.position = decodeScan(image.bytes, image.position, image.frame, scan, onRow);
}

/** Throws unless the scans had all components. */
export function checkStarted({ components }: JpegFrame): void {
  if (components.some(({ started }) => !started)) throw damagedImageError();
}

/** Returns the frame if the segment is its header. */
function readTables({ marker, content }: JpegSegment, image: Omit<JpegImage, "frame">): JpegFrame | null {
  if (marker >= SOF_BASELINE && marker <= SOF_PROGRESSIVE) return buildFrame(content, marker === SOF_PROGRESSIVE);
  if (marker === DHT) readHuffmanTables(content, image);
  else if (marker === DQT) readQuantizers(content, image);
  else if (marker === DRI) image.restartInterval = (content[0] ?? 0) * 256 + (content[1] ?? 0);
  else if (marker < APP0 && !IGNORED.includes(marker)) {
    throw verificationError(
      "image_data",
      "The image uses lossless or arithmetic JPEG coding, which is not supported. Save it as a baseline JPEG.",
    );
  } else readMetadata(marker, content, image);
  return null;
}

function readHuffmanTables(content: Uint8Array, { dc, ac }: Pick<JpegImage, "dc" | "ac">): void {
  for (let at = 0; at < content.length; ) {
    const kind = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const end = at + 17 + total;
    if (end > content.length || total > 256 || (kind & 15) > 3 || kind >> 4 > 1) throw damagedImageError();
    (kind >> 4 === 0 ? dc : ac)[kind & 15] = buildHuffmanTable(counts, content.slice(at + 17, end));
    at = end;
  }
}

function readQuantizers(content: Uint8Array, { quantizers }: Pick<JpegImage, "quantizers">): void {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  for (let at = 0; at < content.length; ) {
    const kind = content[at] ?? 0;
    const bytesPerValue = kind >> 4 === 0 ? 1 : 2;
    const start = at + 1;
    at = start + 64 * bytesPerValue;
    if (at > content.length || kind >> 4 > 1 || (kind & 15) > 3) throw damagedImageError();
    const table = new Uint16Array(64);
    for (const [k, index] of NATURAL_ORDER.entries()) {
      table[index] = bytesPerValue === 1 ? view.getUint8(start + k) : view.getUint16(start + k * 2);
    }
    quantizers[kind & 15] = table;
  }
}

function buildFrame(content: Uint8Array, progressive: boolean): JpegFrame {
  const count = content[5] ?? 0;
  if (content.length !== 6 + count * 3 || count < 1 || count > 4) throw damagedImageError();
  if (content[0] !== 8)
    throw verificationError(
      "image_data",
      "The image has more than 8 bits per channel, which is not supported. Save it with 8 bits per channel.",
    );
  const height = (content[1] ?? 0) * 256 + (content[2] ?? 0);
  const width = (content[3] ?? 0) * 256 + (content[4] ?? 0);
  const parts = Array.from({ length: count }, (_, i) => {
    const [id = 0, sampling = 0, quantizer = 0] = content.subarray(6 + i * 3);
    const [h, v] = [sampling >> 4, sampling & 15];
    if (h < 1 || v < 1 || h > 4 || v > 4 || quantizer > 3) throw damagedImageError();
    // The blocks of a single component are not interleaved, whatever its sampling is.
    return count === 1 ? { id, quantizer, h: 1, v: 1 } : { id, quantizer, h, v };
  });
  const [across, down] = [Math.max(...parts.map(({ h }) => h)), Math.max(...parts.map(({ v }) => v))];
  const columns = Math.ceil(width / (8 * across));
  const rows = Math.ceil(height / (8 * down));
  const components = parts.map(
    (part): Component => ({
      ...part,
      blocksWide: Math.ceil(Math.ceil((width * part.h) / across) / 8),
      blocksHigh: Math.ceil(Math.ceil((height * part.v) / down) / 8),
      stride: columns * part.h,
      rows: rows * part.v,
      coefficients: null,
      nonzero: NO_BITS,
      started: false,
    }),
  );
  return { width, height, progressive, columns, rows, components };
}

function buildScan(header: Uint8Array, image: JpegImage): Scan {
  const { frame } = image;
  const count = header[0] ?? 0;
  if (header.length !== 4 + count * 2 || count < 1 || count > 4) throw damagedImageError();
  const taken = new Set<Component>();
  const parts = Array.from({ length: count }, (_, i) => {
    // Some encoders give all components the same id; each is then the next with that id.
    const component = frame.components.find((one) => one.id === header[1 + i * 2] && !taken.has(one));
    const tables = header[2 + i * 2] ?? 0;
    if (!component || !image.quantizers[component.quantizer]) throw damagedImageError();
    taken.add(component);
    return { component, dc: image.dc[tables >> 4], ac: image.ac[tables & 15], prediction: 0 };
  });
  const [from = 0, to = 0, bits = 0] = header.subarray(1 + count * 2);
  const band = frame.progressive ? { from, to, high: bits >> 4, low: bits & 15 } : { from: 0, to: 63, high: 0, low: 0 };
  limitWork(image, [...taken], band.high > 0 ? to - from + 1 : 1);
  return { parts, band, restartInterval: image.restartInterval };
}

/** A progressive scan of a few bytes can visit every block again, so the total work is limited. */
function limitWork(image: JpegImage, components: Component[], steps: number): void {
  const blocks = components.reduce((sum, { blocksWide, blocksHigh }) => sum + blocksWide * blocksHigh, 0);
  image.scans += 1;
  image.work += blocks * steps;
  if (image.scans <= LIMITS.jpegScans && image.work <= LIMITS.jpegWork) return;
  throw verificationError("too_complex", "The image has more progressive scans than can be checked.");
}
