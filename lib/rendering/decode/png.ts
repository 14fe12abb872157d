// Decodes a large PNG row by row, while it is inflated, into the required size.
import { damagedImageError, truncatedImageError } from "../../media/image/image-facts.ts";
import { verificationError } from "../../media/verification-error.ts";
import { type CropAndScale, createDownscaler } from "./crop-and-downscale.ts";

interface PngHeader {
  width: number;
  height: number;
  depth: number;
  color: number;
}

interface PngChunks {
  header: PngHeader;
  palette: Uint8Array;
  transparency: Uint8Array | null;
  data: Uint8Array[];
}

const SAMPLES_PER_PIXEL: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Writes RGBA of the size `fit.out`, with colours multiplied by their alpha. */
export async function decodePng(bytes: Uint8Array, fit: CropAndScale, into: Uint8Array): Promise<void> {
  const chunks = readChunks(bytes);
  const { header } = chunks;
  const bits = (SAMPLES_PER_PIXEL[header.color] ?? 1) * header.depth;
  const step = Math.max(1, bits >> 3);
  const length = Math.ceil((header.width * bits) / 8);
  const toRgba = createRgbaConverter(chunks);
  const { addRow } = createDownscaler(fit, 4, into);
  const pixels = new Uint8Array(header.width * 4);
  let previousLine = new Uint8Array(length + 1);
  let line = new Uint8Array(length + 1);
  let filled = 0;
  let rows = 0;

  const addBytes = (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length; ) {
      if (rows === header.height) throw damagedImageError();
      const count = Math.min(chunk.length - at, line.length - filled);
      line.set(chunk.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < line.length) return;
      unfilter(line[0] ?? 0, line.subarray(1), previousLine.subarray(1), step);
      toRgba(line.subarray(1), pixels);
      addRow(pixels);
      [previousLine, line] = [line, previousLine];
      filled = 0;
      rows += 1;
    }
  };
  await inflateData(chunks.data, addBytes);
  if (rows < header.height) throw truncatedImageError();
}

function readChunks(bytes: Uint8Array): PngChunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth: bytes[24] ?? 8,
    color: bytes[25] ?? 2,
  };
  if ((bytes[28] ?? 0) !== 0) {
    throw verificationError(
      "too_many_pixels",
      "An interlaced PNG must have at most 4 megapixels. Scale the image down, or save it without interlacing.",
    );
  }
  const chunks: PngChunks = { header, palette: new Uint8Array(0), transparency: null, data: [] };
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IEND") return chunks;
    if (name === "PLTE") chunks.palette = content;
    if (name === "tRNS") chunks.transparency = content;
    if (name === "IDAT") chunks.data.push(content);
    at += 12 + length;
  }
  throw truncatedImageError();
}

async function inflateData(data: Uint8Array[], addBytes: (chunk: Uint8Array) => void): Promise<void> {
  const inflater = new DecompressionStream("deflate");
  const feeding = writeAll(inflater.writable, data);
  const reader = inflater.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) addBytes(read.value);
  } catch {
    await reader.cancel().catch(() => undefined);
    throw damagedImageError();
  } finally {
    await feeding;
  }
}

/** Errors are ignored here because they occur on the reading side too. */
async function writeAll(writable: WritableStream, data: Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (const piece of data) await writer.write(piece);
    await writer.close();
  } catch {}
}

function unfilter(filter: number, line: Uint8Array, previousLine: Uint8Array, step: number): void {
  if (filter === 0) return;
  if (filter > 4) throw damagedImageError();
  for (let at = 0; at < line.length; at++) {
    const left = at >= step ? (line[at - step] ?? 0) : 0;
    const up = previousLine[at] ?? 0;
    const corner = at >= step ? (previousLine[at - step] ?? 0) : 0;
    line[at] = (line[at] ?? 0) + predictSample(filter, left, up, corner);
  }
}

function predictSample(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function createRgbaConverter({
  header,
  palette,
  transparency,
}: PngChunks): (line: Uint8Array, pixels: Uint8Array) => void {
  const { width, depth, color } = header;
  const samples = SAMPLES_PER_PIXEL[color] ?? 1;
  const sample = createSampleReader(depth);
  // Samples below 8 bits are scaled to 0..255, except palette indices.
  const spread = color === 3 || depth >= 8 ? 1 : 255 / (2 ** depth - 1);
  const clear = color === 3 ? null : readTransparentColor(transparency, samples, depth);
  return (line, pixels) => {
    for (let x = 0; x < width; x++) {
      const to = x * 4;
      const first = sample(line, x * samples);
      if (color === 3) {
        pixels.set(palette.subarray(first * 3, first * 3 + 3), to);
        pixels[to + 3] = transparency?.[first] ?? 255;
        continue;
      }
      const grey = samples < 3;
      const second = grey ? first : sample(line, x * samples + 1);
      const third = grey ? first : sample(line, x * samples + 2);
      pixels[to] = first * spread;
      pixels[to + 1] = second * spread;
      pixels[to + 2] = third * spread;
      const opaque = clear && clear[0] === first && clear[1] === second && clear[2] === third ? 0 : 255;
      pixels[to + 3] = samples % 2 === 0 ? sample(line, x * samples + samples - 1) : opaque;
    }
  };
}

/** Of 16-bit samples, only the upper 8 bits are used. */
function createSampleReader(depth: number): (line: Uint8Array, index: number) => number {
  if (depth === 8) return (line, index) => line[index] ?? 0;
  if (depth === 16) return (line, index) => line[index * 2] ?? 0;
  const mask = 2 ** depth - 1;
  return (line, index) => {
    const bit = index * depth;
    return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & mask;
  };
}

/** The transparent colour of an image without an alpha channel. */
function readTransparentColor(transparency: Uint8Array | null, samples: number, depth: number): number[] | null {
  if (!transparency || samples % 2 === 0) return null;
  const of = (at: number) => transparency[at * 2 + (depth === 16 ? 0 : 1)] ?? 0;
  return samples === 1 ? [of(0), of(0), of(0)] : [of(0), of(1), of(2)];
}
