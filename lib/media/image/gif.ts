// Walks a GIF block by block to its trailer and checks the codes of every frame; small ones are decoded into pixels.
import { GifReader } from "omggif";
import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";
import { checkPixels, damagedImageError, type ImageCheckResult, truncatedImageError } from "./image-facts.ts";
import { readGifSize } from "./image-header.ts";

export function checkGif(bytes: Uint8Array): ImageCheckResult {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 14) throw truncatedImageError();
  const { width, height } = readGifSize(bytes);
  checkPixels(width, height);
  let position = 13 + getPaletteBytes(bytes[10] ?? 0);
  let frames = 0;
  let pixels = 0;
  for (;;) {
    const kind = bytes[position];
    if (kind === undefined) throw truncatedImageError();
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      position = readSubBlocks(bytes, position + 2).end;
      continue;
    }
    if (kind !== 0x2c || position + 11 > bytes.length)
      throw kind === 0x2c ? truncatedImageError() : damagedImageError();
    const area = view.getUint16(position + 5, true) * view.getUint16(position + 7, true);
    pixels += area;
    if (pixels > LIMITS.animationPixels)
      throw verificationError("too_many_pixels", "The animation has too many pixels to check.");
    const codes = position + 10 + getPaletteBytes(bytes[position + 9] ?? 0);
    const { data, end } = readSubBlocks(bytes, codes + 1);
    checkLzwCodes(data, bytes[codes] ?? 0, area);
    frames += 1;
    position = end;
  }
  if (frames === 0) throw damagedImageError();
  decodeFrames(bytes, width, height);
  return { facts: { width, height, orientation: 1, frames }, end: position + 1 };
}

/** The code stream of every frame is checked already; frames over the memory limit are not decoded into pixels. */
function decodeFrames(bytes: Uint8Array, width: number, height: number): void {
  const reader = openReader(bytes);
  if (!reader || width * height > LIMITS.decodedPixels) return;
  const canvas = new Uint8Array(width * height * 4);
  let decoded = 0;
  for (let frame = 0; frame < reader.numFrames(); frame++) {
    const info = reader.frameInfo(frame);
    const area = info.width * info.height;
    decoded += area;
    if (area > LIMITS.decodedPixels || decoded > LIMITS.animationDecoded) return;
    reader.decodeAndBlitFrameRGBA(frame, canvas);
  }
}

/** Null when the GIF has extensions that the library rejects; players skip them. */
function openReader(bytes: Uint8Array): GifReader | null {
  try {
    return new GifReader(bytes);
  } catch {
    return null;
  }
}

function getPaletteBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Joins the sub-blocks that begin at `start`; `end` is the offset after their terminator. */
function readSubBlocks(bytes: Uint8Array, start: number): { data: Uint8Array; end: number } {
  let end = start;
  let total = 0;
  for (;;) {
    const length = bytes[end];
    if (length === undefined || end + 1 + length > bytes.length) throw truncatedImageError();
    end += 1 + length;
    total += length;
    if (length === 0) break;
  }
  const data = new Uint8Array(total);
  let written = 0;
  for (let at = start; at < end - 1; at += 1 + (bytes[at] ?? 0)) {
    const piece = bytes.subarray(at + 1, at + 1 + (bytes[at] ?? 0));
    data.set(piece, written);
    written += piece.length;
  }
  return { data, end };
}

/** LZW: the string length of each code is enough to count the decoded pixels. */
function checkLzwCodes(data: Uint8Array, minimum: number, area: number): void {
  if (minimum < 1 || minimum > 8) throw damagedImageError();
  const clear = 2 ** minimum;
  const lengths = new Uint32Array(4096).fill(1, 0, clear);
  let next = clear + 2;
  let size = minimum + 1;
  let previous = -1;
  let pixels = 0;
  let buffer = 0;
  let bitCount = 0;
  for (const byte of data) {
    buffer |= byte << bitCount;
    bitCount += 8;
    while (bitCount >= size) {
      const code = buffer & ((1 << size) - 1);
      buffer >>>= size;
      bitCount -= size;
      if (code === clear) {
        next = clear + 2;
        size = minimum + 1;
        previous = -1;
        continue;
      }
      if (code === clear + 1) {
        if (pixels !== area) throw damagedImageError();
        return;
      }
      const length = code < next ? (lengths[code] ?? 0) : (lengths[previous] ?? 0) + 1;
      if (code > next || (code === next && previous < 0) || length === 0) throw damagedImageError();
      pixels += length;
      if (pixels > area) throw damagedImageError();
      if (previous >= 0 && next < 4096) {
        lengths[next] = (lengths[previous] ?? 0) + 1;
        next += 1;
        if (next === 2 ** size && size < 12) size += 1;
      }
      previous = code;
    }
  }
  // Some encoders omit the end code.
  if (pixels !== area) throw damagedImageError();
}
