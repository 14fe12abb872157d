// Checks a PNG: every checksum, the order of chunks, and that the pixel data inflates to exactly the expected size.
import { Readable } from "node:stream";
import { crc32, createInflate } from "node:zlib";
import { LIMITS } from "../limits.ts";
import { readAscii } from "../sniff-type.ts";
import { verificationError } from "../verification-error.ts";
import { readExifOrientation } from "./exif.ts";
import { checkPixels, damagedImageError, type ImageCheckResult, truncatedImageError } from "./image-facts.ts";

interface PngHeader {
  width: number;
  height: number;
  bitsPerPixel: number;
  palette: boolean;
  grey: boolean;
  interlaced: boolean;
}

interface PngChunks {
  header: PngHeader;
  data: Uint8Array[];
  orientation: number;
  frames: number;
  end: number;
}

/** By colour type: samples per pixel and allowed bit depths. */
const COLOR_TYPES: Record<number, { samples: number; depths: number[] }> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

const CRITICAL = ["IHDR", "PLTE", "IDAT", "IEND"];

export async function checkPng(bytes: Uint8Array): Promise<ImageCheckResult> {
  const { header, data, orientation, frames, end } = readChunks(bytes);
  const rows = getRowLengths(header);
  await checkInflatedData(data, rows);
  return { facts: { width: header.width, height: header.height, orientation, frames }, end };
}

function readChunks(bytes: Uint8Array): PngChunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: PngChunks = { header: parseHeader(bytes), data: [], orientation: 1, frames: 1, end: 0 };
  let position = 8;
  let last = "";
  let palette = false;
  while (last !== "IEND") {
    if (position + 12 > bytes.length) throw truncatedImageError();
    const length = view.getUint32(position);
    const end = position + 12 + length;
    const name = readAscii(bytes, position + 4, 4);
    if (!/^[A-Za-z]{4}$/.test(name)) throw damagedImageError();
    if (end > bytes.length) throw truncatedImageError();
    if (crc32(bytes.subarray(position + 4, end - 4)) !== view.getUint32(end - 4)) throw damagedImageError();
    const critical = name.charAt(0) === name.charAt(0).toUpperCase();
    if (critical && !CRITICAL.includes(name)) throw damagedImageError();
    if ((name === "IHDR") !== (position === 8)) throw damagedImageError();
    const content = bytes.subarray(position + 8, end - 4);
    if (name === "IDAT" && chunks.data.length > 0 && last !== "IDAT") throw damagedImageError();
    if (name === "IDAT") chunks.data.push(content);
    if (name === "PLTE") {
      if (palette || chunks.data.length > 0 || chunks.header.grey) throw damagedImageError();
      if (length === 0 || length % 3 !== 0 || length > 768) throw damagedImageError();
      palette = true;
    }
    if (name === "eXIf") chunks.orientation = readExifOrientation(content);
    if (name === "acTL" && length === 8) chunks.frames = Math.max(1, view.getUint32(position + 8));
    if (name === "IEND" && length !== 0) throw damagedImageError();
    last = name;
    position = end;
  }
  if (chunks.data.length === 0 || (chunks.header.palette && !palette)) throw damagedImageError();
  chunks.end = position;
  return chunks;
}

function parseHeader(bytes: Uint8Array): PngHeader {
  if (bytes.length < 33) throw truncatedImageError();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const [depth, color] = [view.getUint8(24), view.getUint8(25)];
  const kind = COLOR_TYPES[color];
  const interlace = view.getUint8(28);
  if (view.getUint32(8) !== 13 || readAscii(bytes, 12, 4) !== "IHDR" || !kind?.depths.includes(depth))
    throw damagedImageError();
  if (view.getUint8(26) !== 0 || view.getUint8(27) !== 0 || interlace > 1) throw damagedImageError();
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

/** Start column, start row, column step and row step of the seven Adam7 passes. */
const INTERLACE_PASSES: [number, number, number, number][] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

interface PassRows {
  /** Bytes per row, including its filter byte. */
  length: number;
  count: number;
}

function getRowLengths(header: PngHeader): PassRows[] {
  const passes: [number, number, number, number][] = header.interlaced ? INTERLACE_PASSES : [[0, 0, 1, 1]];
  return passes.flatMap(([x, y, stepX, stepY]) => {
    const columns = Math.ceil((header.width - x) / stepX);
    const count = Math.ceil((header.height - y) / stepY);
    if (columns <= 0 || count <= 0) return [];
    return [{ length: 1 + Math.ceil((columns * header.bitsPerPixel) / 8), count }];
  });
}

async function checkInflatedData(data: Uint8Array[], passes: PassRows[]): Promise<void> {
  const total = passes.reduce((sum, pass) => sum + pass.length * pass.count, 0);
  if (total > LIMITS.inflatedBytes)
    throw verificationError("too_many_pixels", "The image takes too much memory when decoded.");
  const filters = createFilterChecker(passes);
  try {
    // Not DecompressionStream: it inflates its whole input before the first byte is read.
    const inflated = Readable.from(data, { objectMode: false }).pipe(createInflate({ chunkSize: INFLATE_CHUNK_BYTES }));
    for await (const chunk of inflated) if (!filters.accept(chunk)) throw damagedImageError();
  } catch {
    throw damagedImageError();
  }
  if (!filters.complete()) throw damagedImageError();
}

const INFLATE_CHUNK_BYTES = 64 * 1024;

/** Every row begins with one of five filter types; fails as soon as there are more bytes than the rows take. */
function createFilterChecker(passes: PassRows[]): { accept(chunk: Uint8Array): boolean; complete(): boolean } {
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
