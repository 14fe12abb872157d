// Converts pixels from the colour space of a profile to sRGB. It evaluates the tables of a profile for every pixel: interpolation
// between sRGB colours, as in faster converters, differs by up to 38 of 255 where colours leave the gamut between two nodes.
import { type ColorProfile, type Conversion, type ConvertibleProfile, encodeSrgb } from "./color-profile.ts";

/** A profile that changes no colour by more than this is that of sRGB. */
const NEGLIGIBLE = 1.2;

/** Writes the sRGB of a pixel; all values are 0..255. */
type ConvertPixel = (red: number, green: number, blue: number, into: Uint8ClampedArray) => void;

/** Converts RGBA in place. Colours multiplied by their alpha are divided by it first. */
export function convertToSrgb(
  { space, conversion }: ConvertibleProfile,
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
  const encode = createEncoder();
  const values = new Float64Array(3);
  if (space === "gray") {
    const levels = Array.from({ length: 256 }, (_, value) => {
      values[0] = value / 255;
      conversion.convert(values);
      return encode(values[0]);
    });
    return (red, _green, _blue, into) => into.fill(levels[Math.min(255, Math.round(red))] ?? 0);
  }
  const convert: ConvertPixel = (red, green, blue, into) => {
    values[0] = red / 255;
    values[1] = green / 255;
    values[2] = blue / 255;
    conversion.convert(values);
    for (let at = 0; at < 3; at++) into[at] = encode(values[at] ?? 0);
  };
  return isNeutral(convert) ? null : convert;
}

/** Steps of the table of sRGB's curve, which is steep near black. */
const ENCODE_STEPS = 8192;

/** Maps linear sRGB to 0..255. */
function createEncoder(): (linear: number) => number {
  const encoded = Uint8ClampedArray.from({ length: ENCODE_STEPS + 1 }, (_, i) => encodeSrgb(i / ENCODE_STEPS) * 255);
  return (linear) => encoded[linear <= 0 ? 0 : linear >= 1 ? ENCODE_STEPS : (linear * ENCODE_STEPS + 0.5) | 0] ?? 0;
}

function createMatrixConverter({ curves, matrix }: Conversion & { kind: "matrix" }): ConvertPixel {
  const [red, green, blue] = curves.map((curve) =>
    Float32Array.from({ length: 256 }, (_, value) => curve(value / 255)),
  );
  const encode = createEncoder();
  const [m0 = 0, m1 = 0, m2 = 0, m3 = 0, m4 = 0, m5 = 0, m6 = 0, m7 = 0, m8 = 0] = matrix;
  const level = (value: number) => (value >= 255 ? 255 : (value + 0.5) | 0);
  return (r, g, b, into) => {
    const [x, y, z] = [red?.[level(r)] ?? 0, green?.[level(g)] ?? 0, blue?.[level(b)] ?? 0];
    into[0] = encode(m0 * x + m1 * y + m2 * z);
    into[1] = encode(m3 * x + m4 * y + m5 * z);
    into[2] = encode(m6 * x + m7 * y + m8 * z);
  };
}

/** Replaces four inks of 0..255 by RGB of 0..255. */
export type ConvertInks = (inks: Float64Array) => void;

export function createInkConverter(conversion: Conversion): ConvertInks | null {
  if (conversion.kind !== "function") return null;
  const encode = createEncoder();
  return (inks) => {
    for (let at = 0; at < 4; at++) inks[at] = (inks[at] ?? 0) / 255;
    conversion.convert(inks);
    for (let at = 0; at < 3; at++) inks[at] = encode(inks[at] ?? 0);
  };
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
