// Bit reader for codec headers: fixed-width fields and Exp-Golomb numbers. Throws RangeError on a read past the end.

export interface BitReader {
  /** Bits read so far. */
  position: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

export function createBitReader(bytes: Uint8Array): BitReader {
  return { position: 0, length: bytes.length * 8, bytes };
}

export function readBit(bits: BitReader): number {
  if (bits.position >= bits.length) throw new RangeError("read past the end of the bits");
  const byte = bits.bytes[bits.position >> 3] ?? 0;
  const value = (byte >> (7 - (bits.position & 7))) & 1;
  bits.position += 1;
  return value;
}

/** Reads up to 32 bits as an unsigned number. */
export function readBits(bits: BitReader, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 2 + readBit(bits);
  return value;
}

export function skipBits(bits: BitReader, count: number): void {
  if (bits.position + count > bits.length) throw new RangeError("read past the end of the bits");
  bits.position += count;
}

export function readUnsignedGolomb(bits: BitReader): number {
  let zeros = 0;
  while (readBit(bits) === 0) {
    zeros += 1;
    if (zeros > 32) throw new RangeError("Exp-Golomb number too long");
  }
  return 2 ** zeros - 1 + readBits(bits, zeros);
}

export function readSignedGolomb(bits: BitReader): number {
  const code = readUnsignedGolomb(bits);
  return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
}

/** True when only the stop bit and zeros remain, which is how the payload of a parameter set must end. */
export function endsWithStopBit(bits: BitReader): boolean {
  if (bits.position >= bits.length || readBit(bits) !== 1) return false;
  while (bits.position < bits.length) if (readBit(bits) === 1) return false;
  return true;
}
