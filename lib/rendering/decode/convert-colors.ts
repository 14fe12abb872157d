// Converts pixels from the colour space of a profile to sRGB, by tables that are computed once per image.
import { type ColorProfile, type Conversion, encodeSrgb } from "./color-profile.ts";
import { createInterpolator } from "./icc-tables.ts";

/** Nodes per channel of a table: as many as Little CMS uses. */
const GRID = { rgb: 33, cmyk: 23 };
/** A profile that changes no colour by more than this is that of sRGB. */
const NEGLIGIBLE = 1.2;

/** Writes the sRGB of a pixel; all values are 0..255. */
type ConvertPixel = (red: number, green: number, blue: number, into: Uint8ClampedArray) => void;

/** Converts RGBA in place. Colours multiplied by their alpha are divided by it first. */
export function convertToSrgb(
  { space, conversion }: ColorProfile & { conversion: Conversion },
  data: Uint8Array,
  premultiplied: boolean,
): void {
  const convert = createConverter(space, conversion);
  if (!convert) return;
  const pixel = new Uint8ClampedArray(3);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    if (alpha === 0) continue;
    const scale = premultiplied ? 255 / alpha : 1;
    convert((data[at] ?? 0) * scale, (data[at + 1] ?? 0) * scale, (data[at + 2] ?? 0) * scale, pixel);
    data[at] = (pixel[0] ?? 0) / scale + 0.5;
    data[at + 1] = (pixel[1] ?? 0) / scale + 0.5;
    data[at + 2] = (pixel[2] ?? 0) / scale + 0.5;
  }
}

/** Null when the colours stay as they are. */
function createConverter(space: ColorProfile["space"], conversion: Conversion): ConvertPixel | null {
  if (conversion.kind === "matrix") {
    const convert = createMatrixConverter(conversion);
    return isNeutral(convert) ? null : convert;
  }
  if (space === "gray") {
    const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => conversion.convert([value / 255])[0] * 255);
    return (red, _green, _blue, into) => into.fill(table[Math.min(255, Math.round(red))] ?? 0);
  }
  const interpolate = createInterpolator(sampleGrid(conversion, GRID.rgb, 3), new Array(3).fill(GRID.rgb));
  const convert: ConvertPixel = (red, green, blue, into) => into.set(interpolate([red / 255, green / 255, blue / 255]));
  return isNeutral(convert) ? null : convert;
}

/** Steps of the table of sRGB's curve, which is steep near black. */
const ENCODE_STEPS = 8192;

function createMatrixConverter({ curves, matrix }: Conversion & { kind: "matrix" }): ConvertPixel {
  const [red, green, blue] = curves.map((curve) =>
    Float32Array.from({ length: 256 }, (_, value) => curve(value / 255)),
  );
  const encoded = Uint8ClampedArray.from({ length: ENCODE_STEPS + 1 }, (_, i) => encodeSrgb(i / ENCODE_STEPS) * 255);
  const [m0 = 0, m1 = 0, m2 = 0, m3 = 0, m4 = 0, m5 = 0, m6 = 0, m7 = 0, m8 = 0] = matrix;
  const encode = (linear: number) =>
    encoded[linear <= 0 ? 0 : linear >= 1 ? ENCODE_STEPS : (linear * ENCODE_STEPS + 0.5) | 0] ?? 0;
  const level = (value: number) => (value >= 255 ? 255 : (value + 0.5) | 0);
  return (r, g, b, into) => {
    const [x, y, z] = [red?.[level(r)] ?? 0, green?.[level(g)] ?? 0, blue?.[level(b)] ?? 0];
    into[0] = encode(m0 * x + m1 * y + m2 * z);
    into[1] = encode(m3 * x + m4 * y + m5 * z);
    into[2] = encode(m6 * x + m7 * y + m8 * z);
  };
}

/** Converts inks of 0..255 to RGB of 0..255. */
export type ConvertInks = (cyan: number, magenta: number, yellow: number, black: number) => readonly number[];

export function createInkConverter(conversion: Conversion): ConvertInks | null {
  if (conversion.kind !== "function") return null;
  const interpolate = createInterpolator(sampleGrid(conversion, GRID.cmyk, 4), new Array(4).fill(GRID.cmyk));
  return (cyan, magenta, yellow, black) =>
    interpolate([cyan / 255, magenta / 255, yellow / 255, black / 255]).map((value) =>
      Math.max(0, Math.min(255, value)),
    );
}

/** The colours of all nodes as 0..255, with the last channel varying fastest. */
function sampleGrid({ convert }: Conversion & { kind: "function" }, grid: number, channels: number): Float32Array {
  const nodes = new Float32Array(grid ** channels * 3);
  const values = new Array<number>(channels).fill(0);
  for (let node = 0; node < nodes.length; node += 3) {
    let rest = node / 3;
    for (let channel = channels - 1; channel >= 0; channel--) {
      values[channel] = (rest % grid) / (grid - 1);
      rest = Math.floor(rest / grid);
    }
    for (const [at, value] of convert(values).entries()) nodes[node + at] = value * 255;
  }
  return nodes;
}

function isNeutral(convert: ConvertPixel): boolean {
  const levels = [0, 26, 64, 128, 192, 255];
  const pixel = new Uint8ClampedArray(3);
  return levels.every((red) =>
    levels.every((green) =>
      levels.every((blue) => {
        convert(red, green, blue, pixel);
        return [red, green, blue].every((value, at) => Math.abs(value - (pixel[at] ?? 0)) <= NEGLIGIBLE);
      }),
    ),
  );
}
