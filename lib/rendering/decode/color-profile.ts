// Reads an ICC profile as a conversion to sRGB. Own code, because lcms-wasm 1.0.5, the only package that converts by
// profile in WebAssembly, adds 126 KiB gzip and 16 MiB of memory, and its last release is of 2024 (read 2026-11-24).
import { type Curve, readCurve, readFixed } from "./icc-curves.ts";
import { readTable } from "./icc-tables.ts";

export type ColorSpace = "gray" | "rgb" | "cmyk";

export interface ColorProfile {
  /** The text of its tag `desc`, for messages. */
  name: string;
  space: ColorSpace;
  /** Null when the profile is of a kind that cannot be converted. */
  conversion: Conversion | null;
}

export type ConvertibleProfile = ColorProfile & { conversion: Conversion };

/**
 * Converts channels of 0..1 to linear sRGB, below 0 or above 1 when out of gamut. `matrix`: a curve per channel, then a
 * matrix of 3 x 3 by rows. `function`: writes red, green and blue over the first three values.
 */
export type Conversion =
  | { kind: "matrix"; curves: Curve[]; matrix: number[] }
  | { kind: "function"; convert: (values: Float64Array) => void };

const SPACES: Record<string, ColorSpace> = { GRAY: "gray", "RGB ": "rgb", CMYK: "cmyk" };
/** The number of channels of an image in each color space. */
export const CHANNEL_COUNT: Record<ColorSpace, number> = { gray: 1, rgb: 3, cmyk: 4 };

/** Offsets in the header (ICC.1:2022, section 7.2). */
const HEADER = { space: 16, pcs: 20, signature: 36, tagCount: 128, tagTable: 132 };

type Xyz = [number, number, number];

/** XYZ of D50, the white point of the profile connection space (PCS). */
const D50: Xyz = [0.9642, 1, 0.8249];
/** From XYZ at D50 to linear sRGB (http://www.brucelindbloom.com/Eqn_RGB_XYZ_Matrix.html, read 2026-11-24). */
const XYZ_TO_SRGB = [
  3.1338561, -1.6168667, -0.4906146, -0.9787684, 1.9161415, 0.033454, 0.0719453, -0.2289914, 1.4052427,
];

/** Returns null unless the bytes are an ICC profile of gray, RGB or CMYK. A damaged profile has no conversion. */
export function readColorProfile(bytes: Uint8Array): ColorProfile | null {
  if (bytes.length < HEADER.tagTable) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const space = SPACES[readSignature(view, HEADER.space)];
  if (readSignature(view, HEADER.signature) !== "acsp" || !space) return null;
  try {
    const tags = readTags(view);
    const isPcsLab = readSignature(view, HEADER.pcs) === "Lab ";
    return { name: readName(tags), space, conversion: readConversion(tags, space, isPcsLab) };
  } catch (error) {
    // A tag is truncated or lies outside the profile.
    if (error instanceof RangeError) return { name: "a damaged profile", space, conversion: null };
    throw error;
  }
}

type Tags = Map<string, DataView>;

function readTags(view: DataView): Tags {
  const tags: Tags = new Map();
  const count = Math.min(view.getUint32(HEADER.tagCount), 100);
  for (let at = HEADER.tagTable; at < HEADER.tagTable + count * 12; at += 12) {
    const [offset, length] = [view.getUint32(at + 4), view.getUint32(at + 8)];
    // The buffer may be larger than the profile: that of a WebP is the whole file.
    if (offset + length > view.byteLength) throw new RangeError("A tag lies outside the profile.");
    tags.set(readSignature(view, at), new DataView(view.buffer, view.byteOffset + offset, length));
  }
  return tags;
}

function readSignature(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}

function readConversion(tags: Tags, space: ColorSpace, isPcsLab: boolean): Conversion | null {
  // A table takes precedence over the matrix, as the specification demands; one of an unknown type is ignored.
  const tag = tags.get("A2B0");
  const table = tag && readTable(tag);
  if (table && table.inputs === CHANNEL_COUNT[space]) {
    const toXyz = isPcsLab ? (table.legacyLab ? fromLegacyLab : fromLab) : fromEncodedXyz;
    return {
      kind: "function",
      convert(values) {
        table.transform(values);
        toXyz(values);
        toLinearSrgb(values);
      },
    };
  }
  if (space === "gray") return readGray(tags, isPcsLab);
  return space === "rgb" && !isPcsLab ? readMatrix(tags) : null;
}

function readGray(tags: Tags, isPcsLab: boolean): Conversion | null {
  const curve = readTagCurve(tags, "kTRC");
  if (!curve) return null;
  return {
    kind: "function",
    convert(values) {
      const value = curve(values[0] ?? 0);
      values.fill(isPcsLab ? invertLabF((value * 100 + 16) / 116) : value);
    },
  };
}

function readMatrix(tags: Tags): Conversion | null {
  const curves = ["rTRC", "gTRC", "bTRC"].flatMap((name) => readTagCurve(tags, name) ?? []);
  const colorants = ["rXYZ", "gXYZ", "bXYZ"].map((name) => readXyz(tags.get(name)) ?? []);
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
  values[0] = D50[0] * invertLabF(x);
  values[1] = invertLabF(y);
  values[2] = D50[2] * invertLabF(z);
}

/** The inverse of the function f of CIE L*a*b*: linear up to 6/29, cubic above. */
const invertLabF = (value: number) => (value > 6 / 29 ? value * value * value : (value - 4 / 29) * 3 * (6 / 29) ** 2);

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

/** Reads a textDescriptionType or a multiLocalizedUnicodeType, of which the first language is used. */
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
