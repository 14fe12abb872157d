// Reads the chunks of a PNG. Own code, because fast-png 8.0.0 takes 174 MB for 12 megapixels and @jsquash/png 3.1.1 checks no
// checksum (November 2026).
import { readAscii } from "../sniff-type.ts";
import { readExifOrientation } from "./exif.ts";
import type { HeaderFacts } from "./image-facts.ts";

export interface PngChunk {
  name: string;
  /** Shorter than `length` when the file ends before. */
  content: Uint8Array;
  length: number;
  /** Byte offsets of the chunk and after it. */
  start: number;
  end: number;
}

export interface Png extends HeaderFacts {
  depth: number;
  color: number;
  interlaced: boolean;
  /** Bits of a pixel; undefined when the color type does not exist. */
  bitsPerPixel: number | undefined;
  palette: Uint8Array;
  transparency: Uint8Array | null;
  data: Uint8Array[];
  frames: number;
  /** The file has its last chunk. */
  complete: boolean;
}

/** By color type. */
export const SAMPLES_PER_PIXEL: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Ends after the last chunk, or where no other chunk can begin. */
export function* iteratePngChunks(bytes: Uint8Array): Generator<PngChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 8, name = ""; name !== "IEND" && start + 12 <= bytes.length; ) {
    const length = view.getUint32(start);
    const end = start + 12 + length;
    name = readAscii(bytes, start + 4, 4);
    yield { name, content: bytes.subarray(start + 8, start + 8 + length), length, start, end };
    start = end;
  }
}

/** Neither checks the order of chunks nor their checksums. Throws a RangeError when the file ends before its size. */
export function readPng(bytes: Uint8Array): Png {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [depth, color] = [view.getUint8(24), view.getUint8(25)];
  const samples = SAMPLES_PER_PIXEL[color];
  const png: Png = {
    ...{ width: view.getUint32(16), height: view.getUint32(20), depth, color, interlaced: view.getUint8(28) !== 0 },
    ...{ orientation: 1, channels: color % 4 === 0 ? 1 : 3, profile: null, frames: 1, complete: false },
    ...{ palette: new Uint8Array(0), transparency: null, data: [] },
    bitsPerPixel: samples && samples * depth,
  };
  for (const { name, content } of iteratePngChunks(bytes)) {
    if (name === "PLTE") png.palette = content;
    if (name === "tRNS") png.transparency = content;
    if (name === "IDAT") png.data.push(content);
    if (name === "eXIf") png.orientation = readExifOrientation(content);
    if (name === "acTL" && content.length === 8) {
      png.frames = Math.max(1, new DataView(content.buffer, content.byteOffset).getUint32(0));
    }
    // A name of up to 79 bytes, its end and the method of compression come first.
    if (name === "iCCP") png.profile = { bytes: content.subarray(content.indexOf(0) + 2), compressed: true };
    if (name === "IEND") png.complete = true;
  }
  return png;
}
