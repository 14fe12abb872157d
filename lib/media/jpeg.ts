// Walks a JPEG marker by marker to the end of the image; the coded data of each scan is decoded without pixels.
import { exifOrientation } from "./exif.ts";
import { type HuffmanTable, huffmanTable } from "./huffman.ts";
import { checkPixels, cutImage, damagedImage, type ImageFacts, type Walked } from "./image-facts.ts";
import { type Component, decodeScan, type Frame, type ScanComponent } from "./jpeg-scan.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";
import { ascii } from "./sniff.ts";

interface State {
  frame: Frame | null;
  orientation: number;
  dc: (HuffmanTable | undefined)[];
  ac: (HuffmanTable | undefined)[];
  quantizers: Set<number>;
  restartInterval: number;
  scans: number;
  /** Coefficients that the scans so far have gone through. */
  work: number;
}

const SOF_BASELINE = 0xc0;
const SOF_PROGRESSIVE = 0xc2;
const DHT = 0xc4;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const APP1 = 0xe1;

export function checkJpeg(bytes: Uint8Array): Walked {
  const state: State = {
    frame: null,
    orientation: 1,
    dc: [],
    ac: [],
    quantizers: new Set(),
    restartInterval: 0,
    scans: 0,
    work: 0,
  };
  let position = 2;
  for (;;) {
    const { marker, at } = nextMarker(bytes, position);
    if (marker === EOI) return { facts: finish(state), end: at };
    const length = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (at + 2 > bytes.length || at + length > bytes.length) throw cutImage();
    if (length < 2) throw damagedImage();
    const content = bytes.subarray(at + 2, at + length);
    position = marker === SOS ? scan(bytes, at + length, content, state) : segment(marker, content, state, at + length);
  }
}

/** Fill bytes may stand before a marker; a second start, a stray restart or anything else is damage. */
function nextMarker(bytes: Uint8Array, start: number): { marker: number; at: number } {
  let at = start;
  if (at < bytes.length && bytes[at] !== 0xff) throw damagedImage();
  while (bytes[at] === 0xff) at += 1;
  const marker = bytes[at];
  if (marker === undefined) throw cutImage();
  if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) throw damagedImage();
  return { marker, at: at + 1 };
}

function segment(marker: number, content: Uint8Array, state: State, end: number): number {
  if (marker === DHT) huffmanTables(content, state);
  else if (marker === DQT) quantizers(content, state);
  else if (marker === DRI) state.restartInterval = (content[0] ?? 0) * 256 + (content[1] ?? 0);
  else if (marker === APP1 && ascii(content, 0, 6) === "Exif\0\0")
    state.orientation = exifOrientation(content.subarray(6));
  else if (marker >= SOF_BASELINE && marker <= SOF_PROGRESSIVE) startFrame(content, marker === SOF_PROGRESSIVE, state);
  else if (marker < 0xe0 && marker !== EOI) {
    throw refuse(
      "image_data",
      "The image uses a rare kind of JPEG coding (lossless or arithmetic) that is not supported.",
    );
  }
  return end;
}

function huffmanTables(content: Uint8Array, state: State): void {
  let at = 0;
  while (at < content.length) {
    const kind = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const end = at + 17 + total;
    if (end > content.length || total > 256 || (kind & 15) > 3 || kind >> 4 > 1) throw damagedImage();
    (kind >> 4 === 0 ? state.dc : state.ac)[kind & 15] = huffmanTable(counts, content.slice(at + 17, end));
    at = end;
  }
}

function quantizers(content: Uint8Array, state: State): void {
  let at = 0;
  while (at < content.length) {
    const kind = content[at] ?? 0;
    const end = at + 1 + (kind >> 4 === 0 ? 64 : 128);
    if (end > content.length || kind >> 4 > 1 || (kind & 15) > 3) throw damagedImage();
    state.quantizers.add(kind & 15);
    at = end;
  }
}

function startFrame(content: Uint8Array, progressive: boolean, state: State): void {
  const count = content[5] ?? 0;
  if (state.frame || content.length !== 6 + count * 3 || count < 1 || count > 4) throw damagedImage();
  if (content[0] !== 8)
    throw refuse("image_data", "The image has more than 8 bits per colour, which is not supported.");
  const height = (content[1] ?? 0) * 256 + (content[2] ?? 0);
  const width = (content[3] ?? 0) * 256 + (content[4] ?? 0);
  checkPixels(width, height);
  const raw = Array.from({ length: count }, (_, i) => content.subarray(6 + i * 3, 9 + i * 3));
  const across = Math.max(...raw.map((part) => (part[1] ?? 0) >> 4));
  const down = Math.max(...raw.map((part) => (part[1] ?? 0) & 15));
  if (raw.some((part) => !valid(part)) || across > 4 || down > 4) throw damagedImage();
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

function valid(part: Uint8Array): boolean {
  const sampling = part[1] ?? 0;
  return sampling >> 4 > 0 && (sampling & 15) > 0 && (part[2] ?? 0) <= 3;
}

function scan(bytes: Uint8Array, start: number, header: Uint8Array, state: State): number {
  const { frame } = state;
  const count = header[0] ?? 0;
  if (!frame || header.length !== 4 + count * 2 || count < 1 || count > 4) throw damagedImage();
  const components = Array.from({ length: count }, (_, i): ScanComponent => {
    const component = frame.components.find(({ id }) => id === header[1 + i * 2]);
    const tables = header[2 + i * 2] ?? 0;
    if (!component || !state.quantizers.has(component.quantizer)) throw damagedImage();
    return { component, dc: state.dc[tables >> 4], ac: state.ac[tables & 15], prediction: 0 };
  });
  if (new Set(components.map(({ component }) => component)).size !== count) throw damagedImage();
  const [from, to, bits] = [header[1 + count * 2] ?? 0, header[2 + count * 2] ?? 0, header[3 + count * 2] ?? 0];
  const band = frame.progressive ? { from, to, high: bits >> 4, low: bits & 15 } : { from: 0, to: 63, high: 0, low: 0 };
  limit(state, components, band.high > 0 ? to - from + 1 : 1);
  return decodeScan(bytes, start, frame, { components, band, restartInterval: state.restartInterval });
}

/** A few bytes can have every block of the picture gone through once more. */
function limit(state: State, components: ScanComponent[], steps: number): void {
  const blocks = components.reduce((sum, { component }) => sum + component.blocksWide * component.blocksHigh, 0);
  state.scans += 1;
  state.work += blocks * steps;
  if (state.scans <= LIMITS.jpegScans && state.work <= LIMITS.jpegWork) return;
  throw refuse("too_complex", "The image is coded in more passes than can be checked.");
}

function finish(state: State): ImageFacts {
  const { frame, orientation } = state;
  if (!frame || frame.components.some((component) => !component.started)) throw damagedImage();
  return { width: frame.width, height: frame.height, orientation, frames: 1 };
}
