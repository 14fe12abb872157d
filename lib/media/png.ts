// Walks a PNG: every checksum, the order of chunks, and the pixel data inflated to exactly the size it must have.
import { Readable } from "node:stream";
import { crc32, createInflate } from "node:zlib";
import { exifOrientation } from "./exif.ts";
import { checkPixels, cutImage, damagedImage, type Walked } from "./image-facts.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";
import { ascii } from "./sniff.ts";

interface Header {
  width: number;
  height: number;
  bitsPerPixel: number;
  palette: boolean;
  grey: boolean;
  interlaced: boolean;
}

interface Chunks {
  header: Header;
  data: Uint8Array[];
  orientation: number;
  frames: number;
  end: number;
}

/** Colour type: samples per pixel and the depths it allows. */
const COLOR_TYPES: Record<number, { samples: number; depths: number[] }> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

const CRITICAL = ["IHDR", "PLTE", "IDAT", "IEND"];

export async function checkPng(bytes: Uint8Array): Promise<Walked> {
  const { header, data, orientation, frames, end } = walk(bytes);
  const rows = rowLengths(header);
  await inflate(data, rows);
  return { facts: { width: header.width, height: header.height, orientation, frames }, end };
}

function walk(bytes: Uint8Array): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const walked: Chunks = { header: parseHeader(bytes), data: [], orientation: 1, frames: 1, end: 0 };
  let position = 8;
  let last = "";
  let palette = false;
  while (last !== "IEND") {
    if (position + 12 > bytes.length) throw cutImage();
    const length = view.getUint32(position);
    const end = position + 12 + length;
    const name = ascii(bytes, position + 4, 4);
    if (!/^[A-Za-z]{4}$/.test(name)) throw damagedImage();
    if (end > bytes.length) throw cutImage();
    if (crc32(bytes.subarray(position + 4, end - 4)) !== view.getUint32(end - 4)) throw damagedImage();
    const critical = name.charAt(0) === name.charAt(0).toUpperCase();
    if (critical && !CRITICAL.includes(name)) throw damagedImage();
    if ((name === "IHDR") !== (position === 8)) throw damagedImage();
    const content = bytes.subarray(position + 8, end - 4);
    if (name === "IDAT" && walked.data.length > 0 && last !== "IDAT") throw damagedImage();
    if (name === "IDAT") walked.data.push(content);
    if (name === "PLTE") {
      if (palette || walked.data.length > 0 || walked.header.grey) throw damagedImage();
      if (length === 0 || length % 3 !== 0 || length > 768) throw damagedImage();
      palette = true;
    }
    if (name === "eXIf") walked.orientation = exifOrientation(content);
    if (name === "acTL" && length === 8) walked.frames = Math.max(1, view.getUint32(position + 8));
    if (name === "IEND" && length !== 0) throw damagedImage();
    last = name;
    position = end;
  }
  if (walked.data.length === 0 || (walked.header.palette && !palette)) throw damagedImage();
  walked.end = position;
  return walked;
}

function parseHeader(bytes: Uint8Array): Header {
  if (bytes.length < 33) throw cutImage();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const [depth, color] = [view.getUint8(24), view.getUint8(25)];
  const kind = COLOR_TYPES[color];
  const interlace = view.getUint8(28);
  if (view.getUint32(8) !== 13 || ascii(bytes, 12, 4) !== "IHDR" || !kind?.depths.includes(depth)) throw damagedImage();
  if (view.getUint8(26) !== 0 || view.getUint8(27) !== 0 || interlace > 1) throw damagedImage();
  checkPixels(width, height);
  const bitsPerPixel = kind.samples * depth;
  return {
    width,
    height,
    bitsPerPixel,
    palette: color === 3,
    grey: color === 0 || color === 4,
    interlaced: interlace === 1,
  };
}

/** Start column, start row, column step and row step of the seven interlace passes. */
const PASSES: [number, number, number, number][] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

interface Rows {
  /** Bytes of a row with its filter byte. */
  length: number;
  count: number;
}

function rowLengths(header: Header): Rows[] {
  const passes: [number, number, number, number][] = header.interlaced ? PASSES : [[0, 0, 1, 1]];
  return passes.flatMap(([x, y, stepX, stepY]) => {
    const columns = Math.ceil((header.width - x) / stepX);
    const count = Math.ceil((header.height - y) / stepY);
    if (columns <= 0 || count <= 0) return [];
    return [{ length: 1 + Math.ceil((columns * header.bitsPerPixel) / 8), count }];
  });
}

async function inflate(data: Uint8Array[], passes: Rows[]): Promise<void> {
  const total = passes.reduce((sum, pass) => sum + pass.length * pass.count, 0);
  if (total > LIMITS.inflatedBytes) throw refuse("too_many_pixels", "The image takes too much memory when decoded.");
  const filters = filterWalk(passes);
  try {
    // Not the platform's DecompressionStream: it inflates all that it is given before anybody has read the first byte.
    const inflated = Readable.from(data, { objectMode: false }).pipe(createInflate({ chunkSize: INFLATED_AT_ONCE }));
    for await (const chunk of inflated) if (!filters.accept(chunk)) throw damagedImage();
  } catch {
    throw damagedImage();
  }
  if (!filters.complete()) throw damagedImage();
}

const INFLATED_AT_ONCE = 64 * 1024;

/** Every row begins with one of five filters; more bytes than the rows take are refused as they come. */
function filterWalk(passes: Rows[]): { accept(chunk: Uint8Array): boolean; complete(): boolean } {
  let pass = 0;
  let row = 0;
  let next = 0;
  let received = 0;
  return {
    accept(chunk) {
      const end = received + chunk.length;
      for (let rows = passes[pass]; rows && next < end; rows = passes[pass]) {
        if ((chunk[next - received] ?? 5) > 4) return false;
        next += rows.length;
        row += 1;
        if (row === rows.count) {
          pass += 1;
          row = 0;
        }
      }
      received = end;
      return received <= next;
    },
    complete: () => pass === passes.length && received === next,
  };
}
