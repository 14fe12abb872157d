// Reads the coefficients of JPEG blocks out of the entropy-coded stream, baseline and progressive.
import { bits, type Entropy, type HuffmanTable, symbol } from "../../media/huffman.ts";
import { damagedImage } from "../../media/image-facts.ts";

export interface Band {
  from: number;
  to: number;
  high: number;
  low: number;
}

export interface Reader {
  stream: Entropy;
  band: Band;
  /** Blocks whose end of band was announced by a run. */
  run: number;
}

export interface Part {
  dc: HuffmanTable;
  ac: HuffmanTable;
  prediction: number;
}

/** Fills the 64 coefficients that begin at `at`, in natural order. */
export type ReadBlock = (reader: Reader, part: Part, into: Int16Array, at: number) => void;

/** Where the k-th coefficient of the stream stands in its block. */
export const NATURAL = new Uint8Array([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

const place = (k: number) => NATURAL[k] ?? 0;

export function readerOf(progressive: boolean, { from, high }: Band): ReadBlock {
  if (!progressive) return baseline;
  if (from === 0) return high === 0 ? dcFirst : dcRefine;
  return high === 0 ? acFirst : acRefine;
}

/** A coefficient of so many bits: the upper half of the values is positive. */
function signed(stream: Entropy, size: number): number {
  const raw = bits(stream, size);
  return size > 0 && raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
}

function difference({ stream }: Reader, part: Part): number {
  const size = symbol(stream, part.dc);
  if (size > 11) throw damagedImage();
  part.prediction += signed(stream, size);
  return part.prediction;
}

const baseline: ReadBlock = (reader, part, into, at) => {
  into[at] = difference(reader, part);
  const { stream } = reader;
  for (let k = 1; k < 64; k++) {
    const code = symbol(stream, part.ac);
    const size = code & 15;
    if (size === 0) {
      if (code === 0) return;
      if (code !== 0xf0) throw damagedImage();
      k += 15;
      continue;
    }
    k += code >> 4;
    if (k > 63) throw damagedImage();
    into[at + place(k)] = signed(stream, size);
  }
};

const dcFirst: ReadBlock = (reader, part, into, at) => {
  into[at] = difference(reader, part) << reader.band.low;
};

const dcRefine: ReadBlock = ({ stream, band }, _part, into, at) => {
  if (bits(stream, 1) === 1) into[at] = (into[at] ?? 0) | (1 << band.low);
};

const acFirst: ReadBlock = (reader, part, into, at) => {
  if (reader.run > 0) {
    reader.run -= 1;
    return;
  }
  const { stream, band } = reader;
  for (let k = band.from; k <= band.to; k++) {
    const code = symbol(stream, part.ac);
    const [run, size] = [code >> 4, code & 15];
    if (size === 0 && run < 15) {
      reader.run = (1 << run) - 1 + bits(stream, run);
      return;
    }
    k += run;
    if (size === 0) continue;
    if (k > band.to) throw damagedImage();
    into[at + place(k)] = signed(stream, size) * (1 << band.low);
  }
};

/** Refinement: every coefficient that is not zero takes a correction bit on the way. */
const acRefine: ReadBlock = (reader, part, into, at) => {
  const { stream, band } = reader;
  const one = 1 << band.low;
  let k = band.from;
  while (reader.run === 0 && k <= band.to) {
    const code = symbol(stream, part.ac);
    const size = code & 15;
    let zeros = code >> 4;
    if (size > 1) throw damagedImage();
    if (size === 0 && zeros < 15) {
      reader.run = (1 << zeros) + bits(stream, zeros);
      break;
    }
    const fresh = size === 0 ? 0 : bits(stream, 1) === 1 ? one : -one;
    for (; k <= band.to; k++) {
      const index = at + place(k);
      if (into[index] !== 0) correct(stream, into, index, one);
      else if (zeros === 0) break;
      else zeros -= 1;
    }
    if (fresh !== 0) {
      if (k > band.to) throw damagedImage();
      into[at + place(k)] = fresh;
    }
    k += 1;
  }
  if (reader.run === 0) return;
  for (; k <= band.to; k++) {
    const index = at + place(k);
    if (into[index] !== 0) correct(stream, into, index, one);
  }
  reader.run -= 1;
};

function correct(stream: Entropy, into: Int16Array, index: number, one: number): void {
  const value = into[index] ?? 0;
  if (bits(stream, 1) === 1) into[index] = value + (value > 0 ? one : -one);
}
