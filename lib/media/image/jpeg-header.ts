// Reads a JPEG segment by segment, and the size, orientation and color profile that precede its first scan.
import { readAscii } from "../sniff-type.ts";
import { readExifOrientation } from "./exif.ts";
import { damagedImageError, type HeaderFacts, truncatedImageError } from "./image-facts.ts";

export interface JpegSegment {
  marker: number;
  content: Uint8Array;
  /** Byte offset after the segment. */
  end: number;
}

/** The facts that application segments contain. */
export interface JpegMetadata {
  orientation: number;
  /** Color transform of the Adobe marker: 0 none, 1 YCbCr, 2 YCCK; null without the marker. */
  adobe: number | null;
  /** By number: a profile of more than 64 KiB is split into segments. */
  profileParts: Map<number, Uint8Array>;
}

export interface JpegHeader extends HeaderFacts {
  bitsPerChannel: number;
  adobe: number | null;
}

/** A marker without content, as are the restart markers. */
const TEM = 0x01;
const RST0 = 0xd0;
const SOI = 0xd8;
/** The first marker with content. */
export const SOF_BASELINE = 0xc0;
export const EOI = 0xd9;
export const SOS = 0xda;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
/** DHT, JPG and DAC have numbers between those of the frame headers. */
const NO_FRAMES = [0xc4, 0xc8, 0xcc];

export function createJpegMetadata(): JpegMetadata {
  return { orientation: 1, adobe: null, profileParts: new Map() };
}

/** Throws for a file that ends before its first frame header. */
export function readJpegHeader(bytes: Uint8Array): JpegHeader {
  const metadata = createJpegMetadata();
  for (let at = 2; ; ) {
    const { marker, content, end } = readSegment(bytes, at, false);
    if (marker >= SOF_BASELINE && marker < RST0 && !NO_FRAMES.includes(marker)) return buildHeader(content, metadata);
    if (marker === SOS || marker === EOI) throw damagedImageError();
    readMetadata(marker, content, metadata);
    at = end;
  }
}

function buildHeader(content: Uint8Array, { orientation, adobe, profileParts }: JpegMetadata): JpegHeader {
  if (content.length < 6) throw damagedImageError();
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const parts = [...profileParts].sort(([a], [b]) => a - b).map(([, part]) => part);
  return {
    ...{ width: view.getUint16(3), height: view.getUint16(1), orientation },
    ...{ channels: view.getUint8(5), bitsPerChannel: view.getUint8(0), adobe },
    profile: parts.length === 0 ? null : { bytes: concatBytes(parts), compressed: false },
  };
}

function concatBytes(parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** `afterScan`: the segment before was a scan. The end of the image is a segment without content. */
export function readSegment(bytes: Uint8Array, start: number, afterScan: boolean): JpegSegment {
  const { marker, at } = readMarker(bytes, start, afterScan);
  if (marker === EOI) return { marker, content: bytes.subarray(at, at), end: at };
  const length = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  if (at + 2 > bytes.length || at + length > bytes.length) throw truncatedImageError();
  if (length < 2) throw damagedImageError();
  return { marker, content: bytes.subarray(at + 2, at + length), end: at + length };
}

/**
 * Skips fill bytes, stray bytes and empty markers between segments, as viewers do. Throws for a second start, and for stray
 * bytes after a scan, which belong to it: a wrong restart marker would otherwise end it unseen.
 */
function readMarker(bytes: Uint8Array, start: number, afterScan: boolean): { marker: number; at: number } {
  let at = start;
  for (;;) {
    const stray = at;
    while (at < bytes.length && bytes[at] !== 0xff) at += 1;
    while (bytes[at] === 0xff) at += 1;
    const marker = bytes[at];
    if (marker === undefined) throw truncatedImageError();
    at += 1;
    const isEmpty = marker <= TEM || (marker >= RST0 && marker < SOI);
    if (afterScan && (isEmpty || bytes[stray] !== 0xff)) throw damagedImageError();
    if (isEmpty) continue;
    if (marker < SOF_BASELINE || marker === SOI) throw damagedImageError();
    return { marker, at };
  }
}

export function readMetadata(marker: number, content: Uint8Array, metadata: JpegMetadata): void {
  if (marker === APP1 && readAscii(content, 0, 6) === "Exif\0\0") {
    metadata.orientation = readExifOrientation(content.subarray(6));
  }
  // The number of the part, counted from 1, and the count of parts follow the name.
  if (marker === APP2 && readAscii(content, 0, 12) === "ICC_PROFILE\0") {
    metadata.profileParts.set(content[12] ?? 0, content.subarray(14));
  }
  if (marker === APP14 && readAscii(content, 0, 5) === "Adobe") metadata.adobe = content[11] ?? null;
}
