// From the coefficients of one row of JPEG units to rows of RGB.
import type { Size } from "../settings.ts";
import type { Crop } from "./fit.ts";
import { type BlockSide, inverse } from "./idct.ts";

/** One component of the picture. */
export interface Plane {
  id: number;
  h: number;
  v: number;
  quantizer: number;
  blocksWide: number;
  blocksHigh: number;
  /** Blocks per row, padded to whole units. */
  stride: number;
  /** Of the whole picture, or of the row of units that is being read. */
  coefficients: Int16Array;
  whole: boolean;
}

export type RowWriter = (unitRow: number) => void;

interface Strip {
  samples: Uint8ClampedArray;
  width: number;
  /** How many samples of the finest component lie on one of this. */
  across: number;
  down: number;
}

/** `crop` is in samples of blocks of that side; what lies outside of it is not made. */
export function rowWriter(
  frame: Size & { planes: Plane[] },
  quantizers: Uint16Array[],
  adobe: number | null,
  side: BlockSide,
  crop: Crop,
  row: (pixels: Uint8Array) => void,
): RowWriter {
  const { planes } = frame;
  const [h, v] = [Math.max(...planes.map((plane) => plane.h)), Math.max(...planes.map((plane) => plane.v))];
  const strips = planes.map(
    (plane): Strip => ({
      samples: new Uint8ClampedArray(plane.stride * side * plane.v * side),
      width: plane.stride * side,
      across: h / plane.h,
      down: v / plane.v,
    }),
  );
  const pixels = new Uint8Array((strips[0] ? (strips[0].width * h) / (planes[0]?.h ?? 1) : 0) * 3);
  const toRgb = colorsOf(planes, adobe);
  const rowsPerUnit = v * side;
  const right = Math.min(crop.left + crop.width, pixels.length / 3);

  return (unitRow) => {
    const first = unitRow * rowsPerUnit;
    const shown = first + rowsPerUnit > crop.top && first < crop.top + crop.height;
    if (shown) for (const [at, plane] of planes.entries()) fill(strips[at], plane, quantizers, side, unitRow, crop);
    for (let y = 0; y < rowsPerUnit; y++) {
      if (shown) toRgb(strips, y, crop.left, right, pixels);
      row(pixels);
    }
  };
}

const ONES = new Uint16Array(64).fill(1);

function fill(
  strip: Strip | undefined,
  plane: Plane,
  quantizers: Uint16Array[],
  side: BlockSide,
  unitRow: number,
  crop: Crop,
): void {
  if (!strip) return;
  const quantizer = quantizers[plane.quantizer] ?? ONES;
  const from = plane.whole ? unitRow * plane.v * plane.stride : 0;
  const left = Math.floor(crop.left / strip.across / side);
  const right = Math.min(plane.stride, Math.ceil((crop.left + crop.width) / strip.across / side));
  for (let y = 0; y < plane.v; y++) {
    for (let x = left; x < right; x++) {
      const block = (from + y * plane.stride + x) * 64;
      const to = y * side * strip.width + x * side;
      inverse(side, plane.coefficients, block, quantizer, strip.samples, to, strip.width);
    }
  }
}

type ToRgb = (strips: Strip[], y: number, left: number, right: number, pixels: Uint8Array) => void;

const clamp = (value: number) => (value < 0 ? 0 : value > 255 ? 255 : value + 0.5);

/** Grey, YCbCr, RGB, CMYK and YCCK, told apart as every decoder does. */
function colorsOf(planes: Plane[], adobe: number | null): ToRgb {
  if (planes.length < 3) return grey;
  const named = String.fromCharCode(...planes.slice(0, 3).map(({ id }) => id)) === "RGB";
  const plain = adobe === 0 || (adobe === null && (named || planes.length === 4));
  return (strips, y, left, right, pixels) => {
    const [first, second, third, key] = strips;
    if (!first || !second || !third) return;
    const start = rowStart(first, y);
    const [start2, start3] = [rowStart(second, y), rowStart(third, y)];
    const startKey = key ? rowStart(key, y) : 0;
    for (let x = left, to = left * 3; x < right; x++, to += 3) {
      const a = first.samples[start + Math.floor(x / first.across)] ?? 0;
      const b = second.samples[start2 + Math.floor(x / second.across)] ?? 0;
      const c = third.samples[start3 + Math.floor(x / third.across)] ?? 0;
      let [red, green, blue] = [a, b, c];
      if (!plain) {
        const [cb, cr] = [b - 128, c - 128];
        red = clamp(a + 1.402 * cr);
        green = clamp(a - 0.344136 * cb - 0.714136 * cr);
        blue = clamp(a + 1.772 * cb);
      }
      // Inks are stored the other way round, as light, and turned once more when they go by way of YCbCr.
      if (key && !plain) {
        red = 255 - red;
        green = 255 - green;
        blue = 255 - blue;
      }
      const ink = key ? (key.samples[startKey + Math.floor(x / key.across)] ?? 0) / 255 : 1;
      pixels[to] = red * ink;
      pixels[to + 1] = green * ink;
      pixels[to + 2] = blue * ink;
    }
  };
}

const grey: ToRgb = ([only], y, left, right, pixels) => {
  if (!only) return;
  const start = rowStart(only, y);
  for (let x = left, to = left * 3; x < right; x++, to += 3) {
    const value = only.samples[start + x] ?? 0;
    pixels[to] = value;
    pixels[to + 1] = value;
    pixels[to + 2] = value;
  }
};

function rowStart({ down, width }: Strip, y: number): number {
  return Math.floor(y / down) * width;
}
