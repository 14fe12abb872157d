// Bit reader for codec headers: fixed-width fields and Exp-Golomb numbers, refusing to read past the end.

export interface Bits {
  /** Bits read so far. */
  position: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

export function bitsOf(bytes: Uint8Array): Bits {
  return { position: 0, length: bytes.length * 8, bytes };
}

export function bit(bits: Bits): number {
  if (bits.position >= bits.length) throw new RangeError("bits ran out");
  const byte = bits.bytes[bits.position >> 3] ?? 0;
  const value = (byte >> (7 - (bits.position & 7))) & 1;
  bits.position += 1;
  return value;
}

/** Reads up to 32 bits as an unsigned number. */
export function take(bits: Bits, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 2 + bit(bits);
  return value;
}

export function skip(bits: Bits, count: number): void {
  if (bits.position + count > bits.length) throw new RangeError("bits ran out");
  bits.position += count;
}

export function unsignedGolomb(bits: Bits): number {
  let zeros = 0;
  while (bit(bits) === 0) {
    zeros += 1;
    if (zeros > 32) throw new RangeError("number too long");
  }
  return 2 ** zeros - 1 + take(bits, zeros);
}

export function signedGolomb(bits: Bits): number {
  const code = unsignedGolomb(bits);
  return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
}

/** True when what is left is exactly the stop bit and zeros, as the payload of a parameter set must end. */
export function atStopBit(bits: Bits): boolean {
  if (bits.position >= bits.length || bit(bits) !== 1) return false;
  while (bits.position < bits.length) if (bit(bits) === 1) return false;
  return true;
}
