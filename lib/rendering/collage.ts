// Computes the cells of a collage.
import type { Slide } from "../schemas/slide.ts";
import type { Size } from "./settings.ts";

export interface Box extends Size {
  left: number;
  top: number;
}

type CollageLayout = NonNullable<Slide["grid_type"]>;

/** Images per row, by layout and number of images; all rows have the same height. */
const ROWS: Record<CollageLayout, (count: number) => number[]> = {
  "2x2": (count) => (count <= 2 ? onePerRow(count) : count === 3 ? [2, 1] : [2, 2]),
  "1+2": (count) => (count <= 2 ? onePerRow(count) : [1, 2]),
  vertical: onePerRow,
  horizontal: (count) => [count],
};

/** The most images of each layout. */
const CAPACITY: Record<CollageLayout, number> = { "2x2": 4, "1+2": 3, vertical: 4, horizontal: 4 };

/** One cell per image, up to the capacity of the layout; fewer images fill the whole slide. */
export function computeCells(layout: CollageLayout, imageCount: number, { width, height }: Size, gap: number): Box[] {
  const rows = ROWS[layout](Math.min(imageCount, CAPACITY[layout]));
  return splitLength(height, rows.length, gap).flatMap(({ from: top, length: rowHeight }, row) =>
    splitLength(width, rows[row] ?? 1, gap).map(({ from: left, length }) => ({
      left,
      top,
      width: length,
      height: rowHeight,
    })),
  );
}

/** Splits a length into whole pixels, so that no edge is blurred. */
function splitLength(total: number, parts: number, gap: number): { from: number; length: number }[] {
  const edge = (part: number) => Math.round(((total + gap) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: edge(part), length: edge(part + 1) - edge(part) - gap }));
}

function onePerRow(count: number): number[] {
  return Array.from({ length: count }, () => 1);
}
