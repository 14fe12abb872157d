// Where the pictures of a collage lie.
import type { Slide } from "../schemas/slide.ts";
import type { Size } from "./settings.ts";

export interface Box extends Size {
  left: number;
  top: number;
}

type Layout = NonNullable<Slide["grid_type"]>;

/** Pictures per row, by layout and by how many there are; rows share the height alike. */
const ROWS: Record<Layout, (count: number) => number[]> = {
  "2x2": (count) => (count <= 2 ? ones(count) : count === 3 ? [2, 1] : [2, 2]),
  "1+2": (count) => (count <= 2 ? ones(count) : [1, 2]),
  vertical: ones,
  horizontal: (count) => [count],
};

/** How many pictures a layout has room for. */
const ROOM: Record<Layout, number> = { "2x2": 4, "1+2": 3, vertical: 4, horizontal: 4 };

/** One cell per picture that is shown; fewer pictures than a layout has room for share all of it. */
export function cellsOf(layout: Layout, pictures: number, { width, height }: Size, gap: number): Box[] {
  const rows = ROWS[layout](Math.min(pictures, ROOM[layout]));
  return split(height, rows.length, gap).flatMap(({ from: top, length: rowHeight }, row) =>
    split(width, rows[row] ?? 1, gap).map(({ from: left, length }) => ({
      left,
      top,
      width: length,
      height: rowHeight,
    })),
  );
}

/** Whole pixels, so that no edge is smeared over two of them. */
function split(total: number, parts: number, gap: number): { from: number; length: number }[] {
  const edge = (part: number) => Math.round(((total + gap) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: edge(part), length: edge(part + 1) - edge(part) - gap }));
}

function ones(count: number): number[] {
  return Array.from({ length: count }, () => 1);
}
