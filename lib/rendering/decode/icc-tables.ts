// Reads the lookup tables of an ICC profile: lut8Type, lut16Type and lutAToBType (ICC.1:2022, sections 10.10 to 10.12).
import { type Curve, clampUnit, interpolateSamples, readCurve, readFixed } from "./icc-curves.ts";

/** Replaces the channels of a device by the three numbers of a connection space, all from 0 to 1. */
export type TableTransform = (values: Float64Array) => void;

export interface ProfileTable {
  inputs: number;
  transform: TableTransform;
  /** lut16Type encodes L*a*b* in its own way. */
  legacyLab: boolean;
}

const [LUT8, LUT16, LUT_A_TO_B] = [0x6d667431, 0x6d667432, 0x6d414220];
/** Twice the largest table of common profiles. */
const MAX_TABLE_ENTRIES = 4_000_000;

/** Null when the table is of an unknown kind. Throws a RangeError when it is truncated. */
export function readTable(tag: DataView): ProfileTable | null {
  const type = tag.getUint32(0);
  const [inputs, outputs] = [tag.getUint8(8), tag.getUint8(9)];
  if (outputs !== 3 || inputs < 1 || inputs > 4) return null;
  if (type === LUT_A_TO_B) return readStages(tag, inputs);
  if (type !== LUT8 && type !== LUT16) return null;
  return { inputs, transform: readLut(tag, inputs, type === LUT16), legacyLab: type === LUT16 };
}

function readLut(tag: DataView, inputs: number, wide: boolean): TableTransform {
  const grid = tag.getUint8(10);
  const [inputEntries, outputEntries] = wide ? [tag.getUint16(48), tag.getUint16(50)] : [256, 256];
  let at = wide ? 52 : 48;
  const readSamples = (count: number) => {
    const samples = readNumbers(tag, at, count, wide);
    at += count * (wide ? 2 : 1);
    return samples;
  };
  const readCurves = (count: number, entries: number) =>
    Array.from({ length: count }, () => interpolateSamples(readSamples(entries)));
  const before = readCurves(inputs, inputEntries);
  const nodes = readSamples(grid ** inputs * 3);
  const after = readCurves(3, outputEntries);
  const table = createInterpolator(nodes, new Array(inputs).fill(grid));
  return (values) => {
    applyCurves(before, values);
    table(values);
    applyCurves(after, values);
  };
}

/** Curves, table, curves, matrix, curves; all but the last are optional. */
function readStages(tag: DataView, inputs: number): ProfileTable | null {
  const [last, matrixAt, middle, tableAt, first] = [12, 16, 20, 24, 28].map((at) => tag.getUint32(at));
  const stages: TableTransform[] = [];
  const addCurves = (offset: number | undefined, count: number) => {
    if (!offset) return true;
    const curves = readCurveList(tag, offset, count);
    if (curves) stages.push((values) => applyCurves(curves, values));
    return curves !== null;
  };
  if (!addCurves(first, inputs)) return null;
  if (tableAt) {
    const grids = Array.from({ length: inputs }, (_, i) => tag.getUint8(tableAt + i));
    const count = grids.reduce((product, grid) => product * grid, 3);
    stages.push(createInterpolator(readNumbers(tag, tableAt + 20, count, tag.getUint8(tableAt + 16) === 2), grids));
  } else if (inputs !== 3) return null;
  if (!addCurves(middle, 3)) return null;
  if (matrixAt) stages.push(readMatrix(tag, matrixAt));
  if (!addCurves(last, 3)) return null;
  return {
    inputs,
    transform(values) {
      for (const stage of stages) stage(values);
    },
    legacyLab: false,
  };
}

function readCurveList(tag: DataView, offset: number, count: number): Curve[] | null {
  const curves: Curve[] = [];
  for (let at = offset; curves.length < count; ) {
    const read = readCurve(tag, at);
    if (!read) return null;
    curves.push(read.curve);
    at += Math.ceil(read.bytes / 4) * 4;
  }
  return curves;
}

function readMatrix(tag: DataView, at: number): TableTransform {
  const numbers = Array.from({ length: 12 }, (_, i) => readFixed(tag, at + i * 4));
  return (values) => {
    const [x = 0, y = 0, z = 0] = values;
    for (let row = 0; row < 3; row++) {
      const [a = 0, b = 0, c = 0] = numbers.slice(row * 3, row * 3 + 3);
      values[row] = clampUnit(a * x + b * y + c * z + (numbers[9 + row] ?? 0));
    }
  };
}

function readNumbers(tag: DataView, at: number, count: number, wide: boolean): Float32Array {
  if (count > MAX_TABLE_ENTRIES) throw new RangeError("The table of the profile is too large.");
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    numbers[i] = wide ? tag.getUint16(at + i * 2) / 65_535 : tag.getUint8(at + i) / 255;
  }
  return numbers;
}

function applyCurves(curves: Curve[], values: Float64Array): void {
  for (let at = 0; at < curves.length; at++) values[at] = curves[at]?.(values[at] ?? 0) ?? 0;
}

/**
 * Interpolates between the nodes of a table with three outputs as Little CMS does: tetrahedral for up to three
 * channels, that is from the corner of a cell along the channels in the order of their fractions; linear along a fourth,
 * the first one.
 */
function createInterpolator(nodes: Float32Array, grids: readonly number[]): TableTransform {
  if (grids.some((grid) => grid < 2)) throw new RangeError("A table of the profile has fewer than two nodes.");
  const channels = grids.length;
  const strides = grids.map((_, at) => grids.slice(at + 1).reduce((product, grid) => product * grid, 3));
  const tetrahedral = channels < 4 ? 0 : 1;
  const slice = tetrahedral === 0 ? 0 : (strides[0] ?? 0);
  const fractions = new Float64Array(channels);
  return (values) => {
    let node = 0;
    for (let at = 0; at < channels; at++) {
      const last = (grids[at] ?? 2) - 1;
      const position = clampUnit(values[at] ?? 0) * last;
      const low = Math.min(last - 1, Math.floor(position));
      fractions[at] = position - low;
      node += low * (strides[at] ?? 0);
    }
    const high = tetrahedral === 0 ? 0 : (fractions[0] ?? 0);
    let [x, y, z, rest] = [0, 0, 0, 1];
    while (rest > 0) {
      let next = tetrahedral;
      for (let at = next + 1; at < channels; at++) if ((fractions[at] ?? 0) > (fractions[next] ?? 0)) next = at;
      const share = Math.max(0, fractions[next] ?? 0);
      const [near, far] = [(rest - share) * (1 - high), (rest - share) * high];
      x += near * (nodes[node] ?? 0) + far * (nodes[node + slice] ?? 0);
      y += near * (nodes[node + 1] ?? 0) + far * (nodes[node + 1 + slice] ?? 0);
      z += near * (nodes[node + 2] ?? 0) + far * (nodes[node + 2 + slice] ?? 0);
      rest = share;
      node += strides[next] ?? 0;
      fractions[next] = -1;
    }
    values[0] = x;
    values[1] = y;
    values[2] = z;
  };
}
