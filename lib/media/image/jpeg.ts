// Walks a JPEG marker by marker to the end of the image and entropy-decodes each scan, without computing pixels.

import { LIMITS } from "../limits.ts";
import { readAscii } from "../sniff-type.ts";
import { verificationError } from "../verification-error.ts";
import { readExifOrientation } from "./exif.ts";
import { buildHuffmanTable, type HuffmanTable } from "./huffman.ts";
import { STANDARD_TABLES } from "./huffman-tables.ts";
import {
  checkPixels,
  damagedImageError,
  type ImageCheckResult,
  type ImageFacts,
  truncatedImageError,
} from "./image-facts.ts";
import { type Component, decodeScan, type JpegFrame, type ScanComponent } from "./jpeg-scan.ts";

interface JpegState {
  frame: JpegFrame | null;
  orientation: number;
  dc: (HuffmanTable | undefined)[];
  ac: (HuffmanTable | undefined)[];
  quantizers: Set<number>;
  restartInterval: number;
  scans: number;
  /** Coefficients that all scans so far have visited. */
  work: number;
}

/** A marker without content, as are the restart markers. */
const TEM = 0x01;
const SOF_BASELINE = 0xc0;
const SOF_PROGRESSIVE = 0xc2;
const DHT = 0xc4;
const DAC = 0xcc;
const RST0 = 0xd0;
const SOI = 0xd8;
const EOI = 0xd9;
const DNL = 0xdc;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const APP1 = 0xe1;
/** Conditions of arithmetic coding, and the number of lines, which the frame states too. */
const IGNORED = [DAC, DNL];

export function checkJpeg(bytes: Uint8Array): ImageCheckResult {
  const state: JpegState = {
    frame: null,
    orientation: 1,
    dc: [...STANDARD_TABLES.dc],
    ac: [...STANDARD_TABLES.ac],
    quantizers: new Set(),
    restartInterval: 0,
    scans: 0,
    work: 0,
  };
  let position = 2;
  let previous = SOI;
  for (;;) {
    const { marker, at } = readMarker(bytes, position, previous === SOS);
    previous = marker;
    if (marker === EOI) return { facts: buildFacts(state), end: at };
    const length = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (at + 2 > bytes.length || at + length > bytes.length) throw truncatedImageError();
    if (length < 2) throw damagedImageError();
    const content = bytes.subarray(at + 2, at + length);
    position =
      marker === SOS ? readScan(bytes, at + length, content, state) : readSegment(marker, content, state, at + length);
  }
}

/**
 * Skips what viewers skip between segments: fill bytes, stray bytes, and markers without content. Throws for a second start, and for
 * stray bytes after a scan, which belong to it: a wrong restart marker would otherwise end it unseen.
 */
function readMarker(bytes: Uint8Array, start: number, afterScan: boolean): { marker: number; at: number } {
  let at = start;
  for (;;) {
    const stray = at;
    while (at < bytes.length && bytes[at] !== 0xff) at += 1;
    while (bytes[at] === 0xff) at += 1;
    const marker = bytes[at];
    if (marker === undefined) throw truncatedImageError();
    at += 1;
    const isEmpty = marker <= TEM || (marker >= RST0 && marker < SOI);
    if (afterScan && (isEmpty || bytes[stray] !== 0xff)) throw damagedImageError();
    if (isEmpty) continue;
    if (marker < SOF_BASELINE || marker === SOI) throw damagedImageError();
    return { marker, at };
  }
}

function readSegment(marker: number, content: Uint8Array, state: JpegState, end: number): number {
  if (marker === DHT) readHuffmanTables(content, state);
  else if (marker === DQT) readQuantizers(content, state);
  else if (marker === DRI) state.restartInterval = (content[0] ?? 0) * 256 + (content[1] ?? 0);
  else if (marker === APP1 && readAscii(content, 0, 6) === "Exif\0\0")
    state.orientation = readExifOrientation(content.subarray(6));
  else if (marker >= SOF_BASELINE && marker <= SOF_PROGRESSIVE) startFrame(content, marker === SOF_PROGRESSIVE, state);
  else if (marker < 0xe0 && !IGNORED.includes(marker)) {
    throw verificationError(
      "image_data",
      "The image uses lossless or arithmetic JPEG coding, which is not supported. Save it as a baseline JPEG.",
    );
  }
  return end;
}

function readHuffmanTables(content: Uint8Array, state: JpegState): void {
  let at = 0;
  while (at < content.length) {
    const kind = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const end = at + 17 + total;
    if (end > content.length || total > 256 || (kind & 15) > 3 || kind >> 4 > 1) throw damagedImageError();
    (kind >> 4 === 0 ? state.dc : state.ac)[kind & 15] = buildHuffmanTable(counts, content.slice(at + 17, end));
    at = end;
  }
}

function readQuantizers(content: Uint8Array, state: JpegState): void {
  let at = 0;
  while (at < content.length) {
    const kind = content[at] ?? 0;
    const end = at + 1 + (kind >> 4 === 0 ? 64 : 128);
    if (end > content.length || kind >> 4 > 1 || (kind & 15) > 3) throw damagedImageError();
    state.quantizers.add(kind & 15);
    at = end;
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
  checkPixels(width, height);
  const raw = Array.from({ length: count }, (_, i) => content.subarray(6 + i * 3, 9 + i * 3));
  const across = Math.max(...raw.map((part) => (part[1] ?? 0) >> 4));
  const down = Math.max(...raw.map((part) => (part[1] ?? 0) & 15));
  if (raw.some((part) => !isValidComponent(part)) || across > 4 || down > 4) throw damagedImageError();
  const columns = Math.ceil(width / (8 * across));
  const rows = Math.ceil(height / (8 * down));
  const components = raw.map((part): Component => {
    const [h, v] = [(part[1] ?? 0) >> 4, (part[1] ?? 0) & 15];
    return {
      id: part[0] ?? 0,
      h,
      v,
      quantizer: part[2] ?? 0,
      blocksWide: Math.ceil(Math.ceil((width * h) / across) / 8),
      blocksHigh: Math.ceil(Math.ceil((height * v) / down) / 8),
      stride: columns * h,
      nonzero: progressive ? new Uint32Array(columns * h * rows * v * 2) : null,
      started: false,
    };
  });
  state.frame = { width, height, progressive, columns, rows, components };
}

function isValidComponent(part: Uint8Array): boolean {
  const sampling = part[1] ?? 0;
  return sampling >> 4 > 0 && (sampling & 15) > 0 && (part[2] ?? 0) <= 3;
}

function readScan(bytes: Uint8Array, start: number, header: Uint8Array, state: JpegState): number {
  const { frame } = state;
  const count = header[0] ?? 0;
  if (!frame || header.length !== 4 + count * 2 || count < 1 || count > 4) throw damagedImageError();
  const taken = new Set<Component>();
  const components = Array.from({ length: count }, (_, i): ScanComponent => {
    // Some encoders give all components the same id; each is then the next with that id.
    const component = frame.components.find((one) => one.id === header[1 + i * 2] && !taken.has(one));
    const tables = header[2 + i * 2] ?? 0;
    if (!component || !state.quantizers.has(component.quantizer)) throw damagedImageError();
    taken.add(component);
    return { component, dc: state.dc[tables >> 4], ac: state.ac[tables & 15], prediction: 0 };
  });
  const [from, to, bits] = [header[1 + count * 2] ?? 0, header[2 + count * 2] ?? 0, header[3 + count * 2] ?? 0];
  const band = frame.progressive ? { from, to, high: bits >> 4, low: bits & 15 } : { from: 0, to: 63, high: 0, low: 0 };
  limitWork(state, components, band.high > 0 ? to - from + 1 : 1);
  return decodeScan(bytes, start, frame, { components, band, restartInterval: state.restartInterval });
}

/** A progressive scan of a few bytes can visit every block again, so the total work is limited. */
function limitWork(state: JpegState, components: ScanComponent[], steps: number): void {
  const blocks = components.reduce((sum, { component }) => sum + component.blocksWide * component.blocksHigh, 0);
  state.scans += 1;
  state.work += blocks * steps;
  if (state.scans <= LIMITS.jpegScans && state.work <= LIMITS.jpegWork) return;
  throw verificationError("too_complex", "The image has more progressive scans than can be checked.");
}

function buildFacts(state: JpegState): ImageFacts {
  const { frame, orientation } = state;
  if (!frame || frame.components.some((component) => !component.started)) throw damagedImageError();
  return { width: frame.width, height: frame.height, orientation, frames: 1 };
}
