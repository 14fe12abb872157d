// Inflates the pixel data of a PNG row by row, within bounded memory.
import { Readable } from "node:stream";
import { createInflate } from "node:zlib";
import { damagedImageError } from "./image-facts.ts";
import type { Png } from "./png-chunks.ts";

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

const INFLATE_CHUNK_BYTES = 64 * 1024;

/**
 * Calls `onRow` with each row of each pass; its first byte is its filter type. The row is valid until the call after the next.
 * Throws unless the data inflates to exactly these rows.
 */
export async function readPngRows(png: Png, onRow: (row: Uint8Array) => void): Promise<void> {
  const passes = listPasses(png);
  const collector = createRowCollector(passes, onRow);
  try {
    // Not DecompressionStream: it inflates its whole input before the first byte is read.
    const inflate = createInflate({ chunkSize: INFLATE_CHUNK_BYTES });
    const inflated = Readable.from(png.data, { objectMode: false }).pipe(inflate);
    for await (const chunk of inflated) collector.add(chunk);
  } catch {
    throw damagedImageError();
  }
  if (!collector.isComplete()) throw damagedImageError();
}

/** Bytes of all rows. */
export function countPngBytes(png: Png): number {
  return listPasses(png).reduce((sum, { length, count }) => sum + length * count, 0);
}

interface Pass {
  /** Bytes per row, including its filter byte. */
  length: number;
  count: number;
}

function listPasses({ width, height, bitsPerPixel = 0, interlaced }: Png): Pass[] {
  const passes: [number, number, number, number][] = interlaced ? INTERLACE_PASSES : [[0, 0, 1, 1]];
  return passes.flatMap(([x, y, stepX, stepY]) => {
    const columns = Math.ceil((width - x) / stepX);
    const count = Math.ceil((height - y) / stepY);
    if (columns <= 0 || count <= 0) return [];
    return [{ length: 1 + Math.ceil((columns * bitsPerPixel) / 8), count }];
  });
}

/** Fails as soon as there are more bytes than the rows take. */
function createRowCollector(passes: Pass[], onRow: (row: Uint8Array) => void) {
  let pass = 0;
  let row = 0;
  let filled = 0;
  let [line, other] = allocateLines(passes[0]);
  return {
    add(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; ) {
        const current = passes[pass];
        if (!current) throw damagedImageError();
        const count = Math.min(chunk.length - at, line.length - filled);
        line.set(chunk.subarray(at, at + count), filled);
        filled += count;
        at += count;
        if (filled < line.length) return;
        if ((line[0] ?? 5) > 4) throw damagedImageError();
        onRow(line);
        [line, other] = [other, line];
        filled = 0;
        row += 1;
        if (row < current.count) continue;
        pass += 1;
        row = 0;
        [line, other] = allocateLines(passes[pass]);
      }
    },
    isComplete: () => pass === passes.length,
  };
}

function allocateLines(pass: Pass | undefined): [Uint8Array, Uint8Array] {
  const length = pass?.length ?? 0;
  return [new Uint8Array(length), new Uint8Array(length)];
}
