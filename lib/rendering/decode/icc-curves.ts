// Reads the tone curves of an ICC profile: sampled, gamma or parametric (ICC.1:2022, sections 10.6 and 10.18).

/** Maps 0..1 to 0..1. */
export type Curve = (value: number) => number;

/** The curve, and its length in bytes. Null when it is of an unknown type. */
export function readCurve(tag: DataView, at: number): { curve: Curve; bytes: number } | null {
  const type = tag.getUint32(at);
  if (type === CURV) return readSampledCurve(tag, at);
  return type === PARA ? readParametricCurve(tag, at) : null;
}

const CURV = 0x63757276;
const PARA = 0x70617261;

function readSampledCurve(tag: DataView, at: number): { curve: Curve; bytes: number } {
  const count = tag.getUint32(at + 8);
  const bytes = 12 + count * 2;
  if (count === 0) return { curve: (value) => value, bytes };
  if (count === 1) {
    const gamma = tag.getUint16(at + 12) / 256;
    return { curve: (value) => value ** gamma, bytes };
  }
  const samples = Float32Array.from({ length: count }, (_, i) => tag.getUint16(at + 12 + i * 2) / 65_535);
  return { curve: interpolateSamples(samples), bytes };
}

export function interpolateSamples(samples: Float32Array): Curve {
  const last = samples.length - 1;
  return (value) => {
    const position = clampUnit(value) * last;
    const low = Math.min(last - 1, Math.floor(position));
    const [from, to] = [samples[low] ?? 0, samples[low + 1] ?? 0];
    return from + (to - from) * (position - low);
  };
}

/** Number of parameters by function type. */
const PARAMETERS = [1, 3, 4, 5, 7];

function readParametricCurve(tag: DataView, at: number): { curve: Curve; bytes: number } | null {
  const type = tag.getUint16(at + 8);
  const count = PARAMETERS[type];
  if (count === undefined) return null;
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from({ length: count }, (_, i) =>
    readFixed(tag, at + 12 + i * 4),
  );
  const power = (value: number) => Math.max(0, a * value + b) ** g;
  const curves: Curve[] = [
    (value) => value ** g,
    (value) => (value >= -b / a ? power(value) : 0),
    (value) => (value >= -b / a ? power(value) + c : c),
    (value) => (value >= d ? power(value) : c * value),
    (value) => (value >= d ? power(value) + e : c * value + f),
  ];
  const curve = curves[type];
  return curve ? { curve: (value) => clampUnit(curve(value)), bytes: 12 + count * 4 } : null;
}

/** A signed fixed-point number of 16 and 16 bits. */
export function readFixed(tag: DataView, at: number): number {
  return tag.getInt32(at) / 65_536;
}

export function clampUnit(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}
