// Helpers that write small binary files: numbers in either byte order, and concatenation.

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

export function encodeText(letters: string): Uint8Array {
  return new TextEncoder().encode(letters);
}

export const u8 = (...values: number[]): Uint8Array => Uint8Array.from(values);
/** Big-endian, for MP4. */
export const u16 = (value: number): Uint8Array => u8(value >> 8, value);
export const u32 = (value: number): Uint8Array => u8(value >>> 24, value >>> 16, value >>> 8, value);
/** Little-endian, for WAV and Ogg. */
export const le16 = (value: number): Uint8Array => u16(value).reverse();
export const le32 = (value: number): Uint8Array => u32(value).reverse();
