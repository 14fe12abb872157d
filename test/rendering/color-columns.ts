// Images of plain colours, and what they are decoded to.
import { expect } from "vitest";
import { createBufferPool } from "../../lib/rendering/buffer-pool.ts";
import { decodeImage } from "../../lib/rendering/decode-image.ts";
import type { RenderEngine } from "../../lib/rendering/renderer.ts";
import { buildPng } from "../media/png-writer.ts";

/** Of each channel, beside ImageMagick. */
const MAX_DIFFERENCE = 3;

export const decodeColumns = (engine: RenderEngine, bytes: Uint8Array, width: number, height: number) =>
  decodeImage(
    bytes,
    { url: "", fit: "cover", width, height },
    { rasterize: engine.rasterize, buffers: createBufferPool(0) },
  );

/** Columns of plain colours. */
export function buildColumns(colors: number[][], side: number, rows: number): Uint8Array {
  const row = [0, ...colors.flatMap((color) => Array.from({ length: side }, () => color).flat())];
  const raw = new Uint8Array(row.length * rows);
  for (let at = 0; at < rows; at++) raw.set(row, at * row.length);
  return buildPng(colors.length * side, rows, raw);
}

/** The middle of each of the columns. */
export function readColumns(
  { data, width, height }: { data: Uint8Array; width: number; height: number },
  count: number,
) {
  return Array.from({ length: count }, (_, at) => {
    const from = (Math.floor(height / 2) * width + Math.floor(((at + 0.5) * width) / count)) * 4;
    return [...data.subarray(from, from + 3)];
  });
}

export function expectColumns(found: number[][], expected: number[][], most = MAX_DIFFERENCE): void {
  for (const [at, color] of expected.entries()) {
    for (const [channel, value] of color.entries()) {
      const difference = Math.abs((found[at]?.[channel] ?? -99) - value);
      expect(difference, `${found[at]} instead of ${color}`).toBeLessThanOrEqual(most);
    }
  }
}
