// Reads the header of a JPEG for embedding it in a PDF.
import { readExifOrientation } from "../../media/image/exif.ts";
import { at as byteAt } from "../../shared/at.ts";

export interface JpegInfo {
  /** As stored; `orientation` 5 to 8 swaps width and height for display. */
  width: number;
  height: number;
  orientation: number;
  components: number;
  /** Adobe CMYK files store inverted values. */
  inverted: boolean;
}

const APP1 = 0xe1;
const APP14 = 0xee;
const EXIF = [0x45, 0x78, 0x69, 0x66, 0, 0];
const ADOBE = [0x41, 0x64, 0x6f, 0x62, 0x65];

/** Returns null when the file is not a JPEG or these bytes do not contain its frame header. */
export function readJpegHeader(bytes: Uint8Array): JpegInfo | null {
  if (!startsWith(bytes, [0xff, 0xd8, 0xff])) return null;
  let orientation = 1;
  let adobe = false;
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = byteAt(bytes, at + 1);
    // Fill bytes may precede a marker.
    if (bytes[at] === 0xff && marker === 0xff) {
      at += 1;
      continue;
    }
    const length = byteAt(bytes, at + 2) * 256 + byteAt(bytes, at + 3);
    const content = bytes.subarray(at + 4, at + 2 + length);
    if (bytes[at] !== 0xff || length < 2) return null;
    if (marker === APP1 && startsWith(content, EXIF)) orientation = readExifOrientation(content.subarray(6));
    if (marker === APP14 && startsWith(content, ADOBE)) adobe = true;
    if (isFrameMarker(marker)) return readFrame(content, orientation, adobe);
    at += 2 + length;
  }
  return null;
}

/** C4, C8 and CC are in the range of frame markers but are not frames. */
function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readFrame(content: Uint8Array, orientation: number, adobe: boolean): JpegInfo | null {
  const [depth = 0, high = 0, low = 0, wide = 0, narrow = 0, components = 0] = content;
  const height = high * 256 + low;
  const width = wide * 256 + narrow;
  if (depth !== 8 || width === 0 || height === 0 || ![1, 3, 4].includes(components)) return null;
  return { width, height, orientation, components, inverted: adobe && components === 4 };
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => bytes[at] === byte);
}
