// Decodes a large PNG row by row, while it is inflated, into the required size.
import { damagedImageError, truncatedImageError } from "../../media/image/image-facts.ts";
import { type Png, readPng, SAMPLES_PER_PIXEL } from "../../media/image/png-chunks.ts";
import { readPngRows } from "../../media/image/png-rows.ts";
import { verificationError } from "../../media/verification-error.ts";
import { type CropAndScale, createDownscaler } from "./crop-and-downscale.ts";

/** Writes RGBA of the size `fit.out`, with colors multiplied by their alpha. */
export async function decodePng(bytes: Uint8Array, fit: CropAndScale, into: Uint8Array): Promise<void> {
  const png = readPng(bytes);
  if (png.interlaced) {
    throw verificationError(
      "too_many_pixels",
      "An interlaced PNG must have at most 4 megapixels. Scale the image down, or save it without interlacing.",
    );
  }
  if (!png.complete) throw truncatedImageError();
  if (!png.bitsPerPixel) throw damagedImageError();
  const step = Math.max(1, png.bitsPerPixel >> 3);
  const toRgba = createRgbaConverter(png);
  const { addRow } = createDownscaler(fit, 4, into);
  const pixels = new Uint8Array(png.width * 4);
  let previousRow: Uint8Array | null = null;
  await readPngRows(png, (row) => {
    previousRow ??= new Uint8Array(row.length);
    unfilter(row[0] ?? 0, row.subarray(1), previousRow.subarray(1), step);
    toRgba(row.subarray(1), pixels);
    addRow(pixels);
    previousRow = row;
  });
}

function unfilter(filter: number, line: Uint8Array, previousLine: Uint8Array, step: number): void {
  if (filter === 0) return;
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

function createRgbaConverter(png: Png): (line: Uint8Array, pixels: Uint8Array) => void {
  const { width, depth, color, palette, transparency } = png;
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
