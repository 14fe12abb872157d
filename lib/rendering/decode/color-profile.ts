// Reads an ICC profile as a conversion to sRGB. Own code, because lcms-wasm 1.0.5, the only package that converts by
// profile in WebAssembly, adds 126 KiB gzip and 16 MiB of memory, and its last release is of 2024 (read 2026-11-24).
import { type Curve, readCurve, readFixed } from "./icc-curves.ts";
import { readTable } from "./icc-tables.ts";

export type ColorSpace = "gray" | "rgb" | "cmyk";

export interface ColorProfile {
  /** The description that the profile has of itself. */
  name: string;
  space: ColorSpace;
  /** Null when the profile is of a kind that cannot be converted. */
  conversion: Conversion | null;
}

/** Of channels of 0..1 to linear sRGB, below 0 or above 1 when out of gamut: by curves and the rows of a matrix, or in place. */
export type Conversion =
  | { kind: "matrix"; curves: Curve[]; matrix: number[] }
  | { kind: "function"; convert: (values: Float64Array) => void };

const SPACES: Record<string, ColorSpace> = { GRAY: "gray", "RGB ": "rgb", CMYK: "cmyk" };
const CHANNELS: Record<ColorSpace, number> = { gray: 1, rgb: 3, cmyk: 4 };

type Xyz = [number, number, number];

/** XYZ of the white point D50, which profiles connect by. */
const D50: Xyz = [0.9642, 1, 0.8249];
/** From XYZ at D50 to linear sRGB (http://www.brucelindbloom.com/Eqn_RGB_XYZ_Matrix.html, read 2026-11-24). */
const XYZ_TO_SRGB = [
  3.1338561, -1.6168667, -0.4906146, -0.9787684, 1.9161415, 0.033454, 0.0719453, -0.2289914, 1.4052427,
];

/** Null when the bytes are no profile of a gray, RGB or CMYK image. */
export function readColorProfile(bytes: Uint8Array): ColorProfile | null {
  if (bytes.length < 132) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const space = SPACES[readSignature(view, 16)];
  if (readSignature(view, 36) !== "acsp" || !space) return null;
  try {
    const tags = readTags(view);
    return { name: readName(tags), space, conversion: readConversion(tags, space, readSignature(view, 20) === "Lab ") };
  } catch (error) {
    // Offsets beyond the end of the profile.
    if (error instanceof RangeError) return { name: "a damaged profile", space, conversion: null };
    throw error;
  }
}

type Tags = Map<string, DataView>;

function readTags(view: DataView): Tags {
  const tags: Tags = new Map();
  const count = Math.min(view.getUint32(128), 100);
  for (let at = 132; at < 132 + count * 12; at += 12) {
    const [offset, length] = [view.getUint32(at + 4), view.getUint32(at + 8)];
    tags.set(readSignature(view, at), new DataView(view.buffer, view.byteOffset + offset, length));
  }
  return tags;
}

function readSignature(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}

function readConversion(tags: Tags, space: ColorSpace, lab: boolean): Conversion | null {
  // Tables take precedence over a matrix, as the specification demands.
  const tag = tags.get("A2B0");
  const table = tag && readTable(tag);
  if (table && table.inputs === CHANNELS[space]) {
    const toXyz = lab ? (table.legacyLab ? fromLegacyLab : fromLab) : fromEncodedXyz;
    return {
      kind: "function",
      convert(values) {
        table.transform(values);
        toXyz(values);
        toLinearSrgb(values);
      },
    };
  }
  if (space === "gray") return readGray(tags, lab);
  return space === "rgb" && !lab ? readMatrix(tags) : null;
}

function readGray(tags: Tags, lab: boolean): Conversion | null {
  const curve = readTagCurve(tags, "kTRC");
  if (!curve) return null;
  return {
    kind: "function",
    convert(values) {
      const value = curve(values[0] ?? 0);
      values.fill(lab ? cube((value * 100 + 16) / 116) : value);
    },
  };
}

function readMatrix(tags: Tags): Conversion | null {
  const curves = ["rTRC", "gTRC", "bTRC"].flatMap((name) => readTagCurve(tags, name) ?? []);
  const colorants = ["rXYZ", "gXYZ", "bXYZ"].flatMap((name) => [readXyz(tags.get(name)) ?? []]);
  if (curves.length < 3 || colorants.some(({ length }) => length < 3)) return null;
  const matrix = [0, 1, 2].flatMap((row) =>
    colorants.map((xyz) => xyz.reduce((sum, value, at) => sum + (XYZ_TO_SRGB[row * 3 + at] ?? 0) * value, 0)),
  );
  return { kind: "matrix", curves, matrix };
}

function readTagCurve(tags: Tags, name: string): Curve | null {
  const tag = tags.get(name);
  return (tag && readCurve(tag, 0)?.curve) ?? null;
}

function readXyz(tag: DataView | undefined): Xyz | null {
  return tag ? [readFixed(tag, 8), readFixed(tag, 12), readFixed(tag, 16)] : null;
}

function fromEncodedXyz(values: Float64Array): void {
  for (let at = 0; at < 3; at++) values[at] = ((values[at] ?? 0) * 65_535) / 32_768;
}

function fromLegacyLab(values: Float64Array): void {
  for (let at = 0; at < 3; at++) values[at] = ((values[at] ?? 0) * 65_535) / 65_280;
  fromLab(values);
}

/** L* of 0..100, a* and b* of -128..127, each as 0..1. */
function fromLab(values: Float64Array): void {
  const y = ((values[0] ?? 0) * 100 + 16) / 116;
  const x = y + ((values[1] ?? 0) * 255 - 128) / 500;
  const z = y - ((values[2] ?? 0) * 255 - 128) / 200;
  values[0] = D50[0] * cube(x);
  values[1] = cube(y);
  values[2] = D50[2] * cube(z);
}

const cube = (value: number) => (value > 6 / 29 ? value * value * value : (value - 4 / 29) * 3 * (6 / 29) ** 2);

function toLinearSrgb(values: Float64Array): void {
  const [x = 0, y = 0, z = 0] = values;
  for (let row = 0; row < 3; row++) {
    const at = row * 3;
    values[row] = (XYZ_TO_SRGB[at] ?? 0) * x + (XYZ_TO_SRGB[at + 1] ?? 0) * y + (XYZ_TO_SRGB[at + 2] ?? 0) * z;
  }
}

export function encodeSrgb(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** Of a textDescriptionType or a multiLocalizedUnicodeType; the first language is used. */
function readName(tags: Tags): string {
  const tag = tags.get("desc");
  if (!tag) return "a profile without a name";
  const bytes = (from: number, length: number) =>
    new Uint8Array(tag.buffer, tag.byteOffset + from, Math.max(0, Math.min(length, 200, tag.byteLength - from)));
  const name =
    readSignature(tag, 0) === "mluc"
      ? new TextDecoder("utf-16be").decode(bytes(tag.getUint32(24), tag.getUint32(20)))
      : new TextDecoder("latin1").decode(bytes(12, tag.getUint32(8)));
  return name.replace(/[\p{Cc}]/gu, "").trim() || "a profile without a name";
}
