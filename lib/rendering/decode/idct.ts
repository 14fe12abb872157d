// Inverse DCT of a JPEG block at full size, or at half size from the low frequencies only.

const cosine = (k: number, of: number) => Math.cos((k * Math.PI) / of);
const [C1, C2, C3, C4, C5, C6, C7] = [1, 2, 3, 4, 5, 6, 7].map((k) => cosine(k, 16)) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
/** Of the transform of four points: k π / 8 is 2k π / 16. */
const [H1, H3] = [C2, C6];

/** Samples per side of a block. */
export type BlockSide = 8 | 4;

const work = new Float64Array(64);

/**
 * Reads `coefficients` in natural order from index `at`; writes to `samples` from index `to`, with `stride` per row.
 * The factors of one half per dimension are applied in the last step.
 */
export function inverseDct(
  side: BlockSide,
  coefficients: Int16Array,
  at: number,
  quantizer: Uint16Array,
  samples: Uint8ClampedArray,
  to: number,
  stride: number,
): void {
  if (isFlat(coefficients, at)) {
    const value = ((coefficients[at] ?? 0) * (quantizer[0] ?? 0)) / 8 + 128;
    for (let y = 0; y < side; y++) samples.fill(value, to + y * stride, to + y * stride + side);
    return;
  }
  if (side === 8) inverse8x8(coefficients, at, quantizer, samples, to, stride);
  else inverse4x4(coefficients, at, quantizer, samples, to, stride);
}

function isFlat(coefficients: Int16Array, at: number): boolean {
  for (let k = 1; k < 64; k++) if (coefficients[at + k] !== 0) return false;
  return true;
}

function inverse8x8(
  coefficients: Int16Array,
  at: number,
  quantizer: Uint16Array,
  samples: Uint8ClampedArray,
  to: number,
  stride: number,
): void {
  for (let x = 0; x < 8; x++) {
    const value = (k: number) => (coefficients[at + k * 8 + x] ?? 0) * (quantizer[k * 8 + x] ?? 0);
    transform8(value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7), x, 8);
  }
  for (let y = 0; y < 8; y++) {
    const value = (k: number) => work[y * 8 + k] ?? 0;
    transform8(value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7), y * 8, 1);
    const row = to + y * stride;
    for (let x = 0; x < 8; x++) samples[row + x] = (work[y * 8 + x] ?? 0) / 4 + 128;
  }
}

function transform8(
  f0: number,
  f1: number,
  f2: number,
  f3: number,
  f4: number,
  f5: number,
  f6: number,
  f7: number,
  at: number,
  step: number,
): void {
  const even0 = (f0 + f4) * C4;
  const even1 = (f0 - f4) * C4;
  const even2 = f2 * C6 - f6 * C2;
  const even3 = f2 * C2 + f6 * C6;
  const odd0 = f1 * C1 + f3 * C3 + f5 * C5 + f7 * C7;
  const odd1 = f1 * C3 - f3 * C7 - f5 * C1 - f7 * C5;
  const odd2 = f1 * C5 - f3 * C1 + f5 * C7 + f7 * C3;
  const odd3 = f1 * C7 - f3 * C5 + f5 * C3 - f7 * C1;
  work[at] = even0 + even3 + odd0;
  work[at + step] = even1 + even2 + odd1;
  work[at + step * 2] = even1 - even2 + odd2;
  work[at + step * 3] = even0 - even3 + odd3;
  work[at + step * 4] = even0 - even3 - odd3;
  work[at + step * 5] = even1 - even2 - odd2;
  work[at + step * 6] = even1 + even2 - odd1;
  work[at + step * 7] = even0 + even3 - odd0;
}

function inverse4x4(
  coefficients: Int16Array,
  at: number,
  quantizer: Uint16Array,
  samples: Uint8ClampedArray,
  to: number,
  stride: number,
): void {
  for (let x = 0; x < 4; x++) {
    const value = (k: number) => (coefficients[at + k * 8 + x] ?? 0) * (quantizer[k * 8 + x] ?? 0);
    transform4(value(0), value(1), value(2), value(3), x, 4);
  }
  for (let y = 0; y < 4; y++) {
    const value = (k: number) => work[y * 4 + k] ?? 0;
    transform4(value(0), value(1), value(2), value(3), y * 4, 1);
    const row = to + y * stride;
    for (let x = 0; x < 4; x++) samples[row + x] = (work[y * 4 + x] ?? 0) / 4 + 128;
  }
}

function transform4(f0: number, f1: number, f2: number, f3: number, at: number, step: number): void {
  const even0 = (f0 + f2) * C4;
  const even1 = (f0 - f2) * C4;
  const odd0 = f1 * H1 + f3 * H3;
  const odd1 = f1 * H3 - f3 * H1;
  work[at] = even0 + odd0;
  work[at + step] = even1 + odd1;
  work[at + step * 2] = even1 - odd1;
  work[at + step * 3] = even0 - odd0;
}
