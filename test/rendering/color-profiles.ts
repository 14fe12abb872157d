// Builds ICC profiles of common colour spaces, so that the tests need no profile files.
import { deflateSync } from "node:zlib";
import { buildPngChunk } from "../media/png-writer.ts";
import { concatBytes } from "../media/sources.ts";

type Primaries = [red: [number, number], green: [number, number], blue: [number, number]];
type Xyz = [number, number, number];

const D65: [number, number] = [0.3127, 0.329];
const D50: [number, number] = [0.3457, 0.3585];
/** From https://www.color.org/chardata/rgb/rgb_registry.xalter, read 2026-11-24. */
const PRIMARIES: Record<string, { primaries: Primaries; white: [number, number] }> = {
  sRGB: {
    primaries: [
      [0.64, 0.33],
      [0.3, 0.6],
      [0.15, 0.06],
    ],
    white: D65,
  },
  "Display P3": {
    primaries: [
      [0.68, 0.32],
      [0.265, 0.69],
      [0.15, 0.06],
    ],
    white: D65,
  },
  "Adobe RGB": {
    primaries: [
      [0.64, 0.33],
      [0.21, 0.71],
      [0.15, 0.06],
    ],
    white: D65,
  },
  "Rec. 2020": {
    primaries: [
      [0.708, 0.292],
      [0.17, 0.797],
      [0.131, 0.046],
    ],
    white: D65,
  },
  ProPhoto: {
    primaries: [
      [0.7347, 0.2653],
      [0.1596, 0.8404],
      [0.0366, 0.0001],
    ],
    white: D50,
  },
};

const SRGB_CURVE = buildParametricCurve([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]);
const CURVES: Record<string, Uint8Array> = {
  sRGB: SRGB_CURVE,
  "Display P3": SRGB_CURVE,
  "Adobe RGB": buildSampledCurve([Math.round(2.19921875 * 256)]),
  "Rec. 2020": buildSampledCurve(Array.from({ length: 1024 }, (_, i) => decodeRec2020(i / 1023) * 65_535)),
  ProPhoto: buildSampledCurve([Math.round(1.8 * 256)]),
};

export function buildRgbProfile(name: string): Uint8Array {
  const { primaries, white } = PRIMARIES[name] ?? { primaries: [], white: D65 };
  const columns = adaptToD50(scaleToWhite(primaries as Primaries, white), white);
  const curve = CURVES[name] ?? SRGB_CURVE;
  const colorants = Object.fromEntries(
    ["rXYZ", "gXYZ", "bXYZ"].map((tag, at) => [tag, buildXyz(columns[at] ?? [0, 0, 0])]),
  );
  return buildProfile(name, "RGB ", "XYZ ", { ...colorants, rTRC: curve, gTRC: curve, bTRC: curve });
}

export function buildGrayProfile(): Uint8Array {
  return buildProfile("Gray gamma 1.8", "GRAY", "XYZ ", { kTRC: buildSampledCurve([Math.round(1.8 * 256)]) });
}

/** Inks whose overprints are darker than their product, as on paper: a lut16Type of 6 nodes per ink. */
export function buildCmykProfile(): Uint8Array {
  const table = buildLut16(4, 6, ([c = 0, m = 0, y = 0, k = 0]) => toLegacyLab(mixInks(c, m, y, k)));
  return buildProfile("Paper", "CMYK", "Lab ", { A2B0: table });
}

/** Inks that each take away one light, which is gone between two nodes: a lut16Type of 5 nodes per ink, to XYZ. */
export function buildLightProfile(): Uint8Array {
  const table = buildLut16(4, 5, ([c = 0, m = 0, y = 0, k = 0]) => {
    const [red = 0, green = 0, blue = 0] = [c, m, y].map((ink) => Math.max(0, 1 - ink - k));
    return mixLights(red, green, blue).map((value) => value * 32_768);
  });
  return buildProfile("Lights", "CMYK", "XYZ ", { A2B0: table });
}

/** An RGB profile of version 4, with all stages of a lutAToBType: curves, a table of 7 nodes, curves, a matrix, curves. */
export function buildStagedProfile(): Uint8Array {
  const gamma = buildParametricCurve([1.4, 1, 0, 1, 0]);
  const curves = (curve: Uint8Array) => concatBytes(...new Array<Uint8Array>(3).fill(padToWords(curve)));
  const nodes = listNodes(3, 7).flatMap(([red = 0, green = 0, blue = 0]) => {
    const light = 0.2 * red + 0.7 * green + 0.1 * blue;
    return [0.9 * light + 0.1 * red * blue, 0.5 + 0.35 * (red - light), 0.5 + 0.35 * (light - blue)];
  });
  const grid = Buffer.alloc(20);
  grid.set([7, 7, 7]);
  grid[16] = 2;
  const matrix = Buffer.alloc(48);
  const numbers = [0.95, 0.02, 0.02, 0, 1, 0.05, 0, -0.05, 1, 0.01, -0.02, 0.03];
  for (const [at, value] of numbers.entries()) matrix.writeInt32BE(Math.round(value * 65_536), at * 4);
  const table = concatBytes(grid, toUint16(nodes.map((value) => value * 65_535)));
  const parts = [
    curves(buildSampledCurve([])),
    matrix,
    curves(buildSampledCurve([0, 30_000, 65_535])),
    padToWords(table),
    curves(gamma),
  ];
  const head = Buffer.alloc(32);
  head.write("mAB ");
  head.set([3, 3], 8);
  let offset = head.length;
  for (const [at, part] of parts.entries()) {
    head.writeUInt32BE(offset, 12 + at * 4);
    offset += part.length;
  }
  return buildProfile("Staged", "RGB ", "Lab ", { A2B0: concatBytes(head, ...parts) }, 4);
}

function listNodes(channels: number, grid: number): number[][] {
  const level = (node: number, place: number) => (Math.floor(node / grid ** place) % grid) / (grid - 1);
  return Array.from({ length: grid ** channels }, (_, node) =>
    Array.from({ length: channels }, (_, at) => level(node, channels - 1 - at)),
  );
}

function buildLut16(channels: number, grid: number, toConnection: (values: number[]) => number[]): Uint8Array {
  const head = Buffer.alloc(52);
  head.write("mft2");
  head.set([channels, 3, grid, 0], 8);
  for (const [at, value] of [1, 0, 0, 0, 1, 0, 0, 0, 1].entries()) head.writeInt32BE(value * 65_536, 12 + at * 4);
  head.writeUInt16BE(2, 48);
  head.writeUInt16BE(2, 50);
  const ramps = (count: number) => new Array<number[]>(count).fill([0, 65_535]).flat();
  const nodes = listNodes(channels, grid).flatMap(toConnection);
  return concatBytes(head, toUint16([...ramps(channels), ...nodes, ...ramps(3)]));
}

/** A profile without curves or tables, which cannot be converted. */
export function buildBareProfile(name: string): Uint8Array {
  return buildProfile(name, "RGB ", "Lab ", {});
}

/** Puts a profile into a PNG, before its data. */
export function embedInPng(png: Uint8Array, profile: Uint8Array): Uint8Array {
  const content = concatBytes(new TextEncoder().encode("icc\0\0"), deflateSync(profile));
  return concatBytes(png.subarray(0, 33), buildPngChunk("iCCP", content), png.subarray(33));
}

/** Puts a profile into a JPEG, in segments of at most `most` bytes, the last one first. */
export function embedInJpeg(jpeg: Uint8Array, profile: Uint8Array, most = 60_000): Uint8Array {
  const count = Math.ceil(profile.length / most);
  const segments = Array.from({ length: count }, (_, at) => {
    const content = concatBytes(
      new TextEncoder().encode("ICC_PROFILE\0"),
      new Uint8Array([at + 1, count]),
      profile.subarray(at * most, (at + 1) * most),
    );
    return concatBytes(new Uint8Array([0xff, 0xe2, (content.length + 2) >> 8, (content.length + 2) & 255]), content);
  });
  return concatBytes(jpeg.subarray(0, 2), ...segments.reverse(), jpeg.subarray(2));
}

function decodeRec2020(value: number): number {
  return value < 0.08124 ? value / 4.5 : ((value + 0.0993) / 1.0993) ** (1 / 0.45);
}

function mixInks(c: number, m: number, y: number, k: number): Xyz {
  const light = (1 - 0.92 * k) * (1 - 0.06 * (c + m + y));
  const red = light * (1 - 0.95 * c) * (1 - 0.1 * m);
  const green = light * (1 - 0.9 * m) * (1 - 0.25 * c) * (1 - 0.03 * y);
  const blue = light * (1 - 0.88 * y) * (1 - 0.12 * m) * (1 - 0.05 * c);
  return mixLights(red, green, blue);
}

/** XYZ of linear sRGB. */
function mixLights(red: number, green: number, blue: number): Xyz {
  const mix = (a: number, b: number, d: number) => a * red + b * green + d * blue;
  return [mix(0.4361, 0.3851, 0.1431), mix(0.2225, 0.7169, 0.0606), mix(0.0139, 0.0971, 0.7142)];
}

function toLegacyLab([x, y, z]: Xyz): number[] {
  const root = (value: number) => (value > (6 / 29) ** 3 ? Math.cbrt(value) : value / (3 * (6 / 29) ** 2) + 4 / 29);
  const [fx, fy, fz] = [root(x / 0.9642), root(y), root(z / 0.8249)];
  return [((116 * fy - 16) * 65_280) / 100, (500 * (fx - fy) + 128) * 256, (200 * (fy - fz) + 128) * 256];
}

/** XYZ of each primary, so that all three add up to the white point. */
function scaleToWhite(primaries: Primaries, white: [number, number]): Xyz[] {
  const columns = primaries.map(([x, y]): Xyz => [x / y, 1, (1 - x - y) / y]);
  const target: Xyz = [white[0] / white[1], 1, (1 - white[0] - white[1]) / white[1]];
  const whole = determinant(columns);
  return columns.map((column, at) => {
    const share = determinant(columns.map((one, other) => (other === at ? target : one))) / whole;
    return column.map((value) => value * share) as Xyz;
  });
}

function determinant([a, b, c]: Xyz[]): number {
  if (!a || !b || !c) return 1;
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}

const BRADFORD: Xyz[] = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const BRADFORD_INVERSE: Xyz[] = [
  [0.9869929, -0.1470543, 0.1599627],
  [0.4323053, 0.5183603, 0.0492912],
  [-0.0085287, 0.0400428, 0.9684867],
];

function adaptToD50(columns: Xyz[], white: [number, number]): Xyz[] {
  const multiply = (matrix: Xyz[], v: Xyz) => matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as Xyz;
  const from = multiply(BRADFORD, [white[0] / white[1], 1, (1 - white[0] - white[1]) / white[1]]);
  const to = multiply(BRADFORD, [0.9642, 1, 0.8249]);
  return columns.map((column) => {
    const cone = multiply(BRADFORD, column).map((value, at) => (value * (to[at] ?? 1)) / (from[at] ?? 1)) as Xyz;
    return multiply(BRADFORD_INVERSE, cone);
  });
}

function buildProfile(
  name: string,
  space: string,
  connection: string,
  content: Record<string, Uint8Array>,
  version = 2,
): Uint8Array {
  const description = Buffer.alloc(12 + name.length + 1 + 78);
  description.write("desc");
  description.writeUInt32BE(name.length + 1, 8);
  description.write(name, 12);
  const tags = Object.entries({ desc: description, wtpt: buildXyz([0.9642, 1, 0.8249]), ...content });
  const parts: Uint8Array[] = [];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length);
  let offset = 128 + table.length;
  for (const [at, [tag, bytes]] of tags.entries()) {
    table.write(tag, 4 + at * 12);
    table.writeUInt32BE(offset, 8 + at * 12);
    table.writeUInt32BE(bytes.length, 12 + at * 12);
    const padded = padToWords(bytes);
    parts.push(padded);
    offset += padded.length;
  }
  const header = Buffer.alloc(128);
  header.writeUInt32BE(offset);
  header.writeUInt32BE((version << 24) | 0x400000, 8);
  header.write(`${space === "CMYK" ? "prtr" : "mntr"}${space}${connection}`, 12);
  header.write("acsp", 36);
  for (const [at, value] of [0.9642, 1, 0.8249].entries()) header.writeInt32BE(Math.round(value * 65_536), 68 + at * 4);
  return concatBytes(header, table, ...parts);
}

function padToWords(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes, new Uint8Array((4 - (bytes.length % 4)) % 4));
}

function buildXyz(values: Xyz): Uint8Array {
  const tag = Buffer.alloc(20);
  tag.write("XYZ ");
  for (const [at, value] of values.entries()) tag.writeInt32BE(Math.round(value * 65_536), 8 + at * 4);
  return tag;
}

function buildParametricCurve(parameters: number[]): Uint8Array {
  const tag = Buffer.alloc(12 + parameters.length * 4);
  tag.write("para");
  tag.writeUInt16BE(3, 8);
  for (const [at, value] of parameters.entries()) tag.writeInt32BE(Math.round(value * 65_536), 12 + at * 4);
  return tag;
}

function buildSampledCurve(samples: number[]): Uint8Array {
  const tag = Buffer.alloc(12);
  tag.write("curv");
  tag.writeUInt32BE(samples.length, 8);
  return concatBytes(tag, toUint16(samples));
}

function toUint16(values: number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries())
    bytes.writeUInt16BE(Math.max(0, Math.min(65_535, Math.round(value))), at * 2);
  return bytes;
}
