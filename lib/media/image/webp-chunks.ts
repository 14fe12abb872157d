// Reads the chunks of a WebP file, and the size, orientation and color profile that they contain.
import { readAscii } from "../sniff-type.ts";
import { readExifOrientation } from "./exif.ts";
import { damagedImageError, type HeaderFacts } from "./image-facts.ts";

export interface Size {
  width: number;
  height: number;
}

export interface WebpChunk {
  name: string;
  /** Shorter than `length` when the file ends before. */
  content: Uint8Array;
  length: number;
  /** Byte offset of the content. */
  start: number;
}

/** The last chunk may be cut: one of less than eight bytes has no content and the length 1. */
export function* iterateWebpChunks(bytes: Uint8Array, start: number): Generator<WebpChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = start; at < bytes.length; ) {
    const length = at + 8 <= bytes.length ? view.getUint32(at + 4, true) : 1;
    const start = at + 8;
    yield { name: readAscii(bytes, at, 4), content: bytes.subarray(start, start + length), length, start };
    at += 8 + length + (length % 2);
  }
}

/** Null when the file ends before its size. */
export function readWebpHeader(bytes: Uint8Array): HeaderFacts | null {
  let size: Size | null = null;
  const facts: Omit<HeaderFacts, keyof Size> = { orientation: 1, channels: 3, profile: null };
  for (const { name, content, start } of iterateWebpChunks(bytes, 12)) {
    // Encoders that stream leave the length at zero.
    size ??= readWebpSize(name, bytes.subarray(start));
    if (name === "EXIF") facts.orientation = readWebpOrientation(content);
    if (name === "ICCP") facts.profile = { bytes: content, compressed: false };
  }
  return size && { ...size, ...facts };
}

/** The size of the canvas or of a frame; null for other chunks. Throws a RangeError when the chunk is too short. */
export function readWebpSize(name: string, content: Uint8Array): Size | null {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (name === "VP8X") return { width: readUint24(content, 4) + 1, height: readUint24(content, 7) + 1 };
  if (name === "VP8L") {
    const bits = view.getUint32(1, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (name !== "VP8 ") return null;
  return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff };
}

/** Some encoders begin the chunk as a segment of a JPEG begins. */
export function readWebpOrientation(content: Uint8Array): number {
  return readExifOrientation(readAscii(content, 0, 4) === "Exif" ? content.subarray(6) : content);
}

export function readUint24(bytes: Uint8Array, at: number): number {
  const [low = 0, middle = 0, high] = bytes.subarray(at, at + 3);
  if (high === undefined) throw damagedImageError();
  return low | (middle << 8) | (high << 16);
}
