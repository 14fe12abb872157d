// Reads from the head of a JPEG what a PDF must say of it.
import { exifOrientation } from "../../media/exif.ts";

export interface JpegFacts {
  /** As stored; `orientation` 5 to 8 swaps the two when shown. */
  width: number;
  height: number;
  orientation: number;
  components: number;
  /** Adobe's four-colour files hold their values upside down. */
  inverted: boolean;
}

const APP1 = 0xe1;
const APP14 = 0xee;
const EXIF = [0x45, 0x78, 0x69, 0x66, 0, 0];
const ADOBE = [0x41, 0x64, 0x6f, 0x62, 0x65];

/** Null for anything that is no JPEG, or whose size is not told within these bytes. */
export function readJpegHead(bytes: Uint8Array): JpegFacts | null {
  if (!startsWith(bytes, [0xff, 0xd8, 0xff])) return null;
  let orientation = 1;
  let adobe = false;
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    // Fill bytes may stand before a marker.
    if (bytes[at] === 0xff && marker === 0xff) {
      at += 1;
      continue;
    }
    const length = (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
    const content = bytes.subarray(at + 4, at + 2 + length);
    if (bytes[at] !== 0xff || length < 2) return null;
    if (marker === APP1 && startsWith(content, EXIF)) orientation = exifOrientation(content.subarray(6));
    if (marker === APP14 && startsWith(content, ADOBE)) adobe = true;
    if (isFrame(marker)) return frameOf(content, orientation, adobe);
    at += 2 + length;
  }
  return null;
}

/** C4, C8 and CC lie among the frame markers and are none. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function frameOf(content: Uint8Array, orientation: number, adobe: boolean): JpegFacts | null {
  const [depth = 0, high = 0, low = 0, wide = 0, narrow = 0, components = 0] = content;
  const height = high * 256 + low;
  const width = wide * 256 + narrow;
  if (depth !== 8 || width === 0 || height === 0 || ![1, 3, 4].includes(components)) return null;
  return { width, height, orientation, components, inverted: adobe && components === 4 };
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => bytes[at] === byte);
}
