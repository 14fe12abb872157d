// Decodes a large PNG row by row, as it is inflated, into the size that is needed.
import { cutImage, damagedImage } from "../../media/image-facts.ts";
import { refuse } from "../../media/refusal.ts";
import { type Fit, shrinker } from "./fit.ts";

interface Header {
  width: number;
  height: number;
  depth: number;
  color: number;
}

interface Walked {
  header: Header;
  palette: Uint8Array;
  transparency: Uint8Array | null;
  data: Uint8Array[];
}

const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Writes RGBA of the size that the fit asks for, multiplied by its alpha. */
export async function decodePng(bytes: Uint8Array, fit: Fit, into: Uint8Array): Promise<void> {
  const walked = walk(bytes);
  const { header } = walked;
  const bits = (SAMPLES[header.color] ?? 1) * header.depth;
  const step = Math.max(1, bits >> 3);
  const length = Math.ceil((header.width * bits) / 8);
  const toRgba = converter(walked);
  const { row } = shrinker(fit, 4, into);
  const pixels = new Uint8Array(header.width * 4);
  let before = new Uint8Array(length + 1);
  let line = new Uint8Array(length + 1);
  let filled = 0;
  let rows = 0;

  const accept = (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length; ) {
      if (rows === header.height) throw damagedImage();
      const take = Math.min(chunk.length - at, line.length - filled);
      line.set(chunk.subarray(at, at + take), filled);
      filled += take;
      at += take;
      if (filled < line.length) return;
      unfilter(line[0] ?? 0, line.subarray(1), before.subarray(1), step);
      toRgba(line.subarray(1), pixels);
      row(pixels);
      [before, line] = [line, before];
      filled = 0;
      rows += 1;
    }
  };
  await inflate(walked.data, accept);
  if (rows < header.height) throw cutImage();
}

function walk(bytes: Uint8Array): Walked {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth: bytes[24] ?? 8,
    color: bytes[25] ?? 2,
  };
  if ((bytes[28] ?? 0) !== 0) {
    throw refuse("too_many_pixels", "The image is an interlaced PNG too large to be drawn: 4 megapixels are the most.");
  }
  const walked: Walked = { header, palette: new Uint8Array(0), transparency: null, data: [] };
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IEND") return walked;
    if (name === "PLTE") walked.palette = content;
    if (name === "tRNS") walked.transparency = content;
    if (name === "IDAT") walked.data.push(content);
    at += 12 + length;
  }
  throw cutImage();
}

async function inflate(data: Uint8Array[], accept: (chunk: Uint8Array) => void): Promise<void> {
  const inflater = new DecompressionStream("deflate");
  const feeding = feed(inflater.writable, data);
  const reader = inflater.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) accept(read.value);
  } catch {
    await reader.cancel().catch(() => undefined);
    throw damagedImage();
  } finally {
    await feeding;
  }
}

/** What fails here fails on the reading side too, which reports it. */
async function feed(writable: WritableStream, data: Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (const piece of data) await writer.write(piece);
    await writer.close();
  } catch {}
}

function unfilter(filter: number, line: Uint8Array, before: Uint8Array, step: number): void {
  if (filter === 0) return;
  if (filter > 4) throw damagedImage();
  for (let at = 0; at < line.length; at++) {
    const left = at >= step ? (line[at - step] ?? 0) : 0;
    const up = before[at] ?? 0;
    const corner = at >= step ? (before[at - step] ?? 0) : 0;
    line[at] = (line[at] ?? 0) + predicted(filter, left, up, corner);
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function converter({ header, palette, transparency }: Walked): (line: Uint8Array, pixels: Uint8Array) => void {
  const { width, depth, color } = header;
  const samples = SAMPLES[color] ?? 1;
  const sample = sampleReader(depth);
  // Palette indices are numbers; everything else is spread to 0..255.
  const spread = color === 3 || depth >= 8 ? 1 : 255 / (2 ** depth - 1);
  const clear = color === 3 ? null : clearColor(transparency, samples, depth);
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

/** Of 16 bits the upper 8 are enough. */
function sampleReader(depth: number): (line: Uint8Array, index: number) => number {
  if (depth === 8) return (line, index) => line[index] ?? 0;
  if (depth === 16) return (line, index) => line[index * 2] ?? 0;
  const mask = 2 ** depth - 1;
  return (line, index) => {
    const bit = index * depth;
    return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & mask;
  };
}

/** The one colour that counts as transparent, where no pixel has an alpha of its own. */
function clearColor(transparency: Uint8Array | null, samples: number, depth: number): number[] | null {
  if (!transparency || samples % 2 === 0) return null;
  const of = (at: number) => transparency[at * 2 + (depth === 16 ? 0 : 1)] ?? 0;
  return samples === 1 ? [of(0), of(0), of(0)] : [of(0), of(1), of(2)];
}
