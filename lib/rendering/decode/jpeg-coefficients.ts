// Decodes the quantized coefficients of the blocks of baseline and progressive JPEG scans: ITU-T T.81, annexes F and G.
import { type EntropyStream, type HuffmanTable, readBits, readSymbol } from "../../media/image/huffman.ts";
import { damagedImageError } from "../../media/image/image-facts.ts";

/** The scan's spectral selection (Ss, Se) and successive approximation (Ah, Al). */
export interface SpectralBand {
  from: number;
  to: number;
  high: number;
  low: number;
}

export interface BlockReader {
  stream: EntropyStream;
  band: SpectralBand;
  /** Remaining blocks of an end-of-band run; 0 at the start of a restart interval. */
  run: number;
}

export interface ScanComponent {
  dc: HuffmanTable;
  ac: HuffmanTable;
  prediction: number;
}

/**
 * Decodes what the scan has of the block that starts at index `at`, in natural order. `into` is zero before the first scan.
 */
export type ReadBlock = (reader: BlockReader, part: ScanComponent, into: Int16Array, at: number) => void;

/** The natural-order index of the k-th coefficient in zigzag order, as the stream has it. */
export const NATURAL_ORDER = new Uint8Array([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

const toNaturalIndex = (k: number) => NATURAL_ORDER[k] ?? 0;

export function selectBlockReader(progressive: boolean, { from, high }: SpectralBand): ReadBlock {
  if (!progressive) return readBaseline;
  if (from === 0) return high === 0 ? readDcFirst : readDcRefine;
  return high === 0 ? readAcFirst : readAcRefine;
}

/** Reads a signed value of `size` bits; one whose first bit is 0 is negative. */
function readSigned(stream: EntropyStream, size: number): number {
  const raw = readBits(stream, size);
  return size > 0 && raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
}

function readDc({ stream }: BlockReader, part: ScanComponent): number {
  const size = readSymbol(stream, part.dc);
  if (size > 11) throw damagedImageError();
  part.prediction += readSigned(stream, size);
  return part.prediction;
}

const readBaseline: ReadBlock = (reader, part, into, at) => {
  into[at] = readDc(reader, part);
  const { stream } = reader;
  for (let k = 1; k < 64; k++) {
    const code = readSymbol(stream, part.ac);
    const size = code & 15;
    if (size === 0) {
      if (code === 0) return;
      if (code !== 0xf0) throw damagedImageError();
      k += 15;
      continue;
    }
    k += code >> 4;
    if (k > 63) throw damagedImageError();
    into[at + toNaturalIndex(k)] = readSigned(stream, size);
  }
};

const readDcFirst: ReadBlock = (reader, part, into, at) => {
  into[at] = readDc(reader, part) << reader.band.low;
};

const readDcRefine: ReadBlock = ({ stream, band }, _part, into, at) => {
  if (readBits(stream, 1) === 1) into[at] = (into[at] ?? 0) | (1 << band.low);
};

const readAcFirst: ReadBlock = (reader, part, into, at) => {
  if (reader.run > 0) {
    reader.run -= 1;
    return;
  }
  const { stream, band } = reader;
  for (let k = band.from; k <= band.to; k++) {
    const code = readSymbol(stream, part.ac);
    const [run, size] = [code >> 4, code & 15];
    if (size === 0 && run < 15) {
      reader.run = (1 << run) - 1 + readBits(stream, run);
      return;
    }
    k += run;
    if (size === 0) continue;
    if (k > band.to) throw damagedImageError();
    into[at + toNaturalIndex(k)] = readSigned(stream, size) * (1 << band.low);
  }
};

/** Refinement scan: each skipped coefficient that is nonzero already has a correction bit in the stream. */
const readAcRefine: ReadBlock = (reader, part, into, at) => {
  const { stream, band } = reader;
  const bitValue = 1 << band.low;
  let k = band.from;
  while (reader.run === 0 && k <= band.to) {
    const code = readSymbol(stream, part.ac);
    const size = code & 15;
    let zeros = code >> 4;
    if (size > 1) throw damagedImageError();
    if (size === 0 && zeros < 15) {
      reader.run = (1 << zeros) + readBits(stream, zeros);
      break;
    }
    const newCoefficient = size === 0 ? 0 : readBits(stream, 1) === 1 ? bitValue : -bitValue;
    for (; k <= band.to; k++) {
      const index = at + toNaturalIndex(k);
      if (into[index] !== 0) refineCoefficient(stream, into, index, bitValue);
      else if (zeros === 0) break;
      else zeros -= 1;
    }
    if (newCoefficient !== 0) {
      if (k > band.to) throw damagedImageError();
      into[at + toNaturalIndex(k)] = newCoefficient;
    }
    k += 1;
  }
  if (reader.run === 0) return;
  for (; k <= band.to; k++) {
    const index = at + toNaturalIndex(k);
    if (into[index] !== 0) refineCoefficient(stream, into, index, bitValue);
  }
  reader.run -= 1;
};

function refineCoefficient(stream: EntropyStream, into: Int16Array, index: number, bitValue: number): void {
  const value = into[index] ?? 0;
  if (readBits(stream, 1) === 1) into[index] = value + (value > 0 ? bitValue : -bitValue);
}
