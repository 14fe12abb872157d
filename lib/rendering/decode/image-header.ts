// Reads the type, size, EXIF orientation and colour profile of an image from its header.
import { readExifOrientation } from "../../media/image/exif.ts";
import { damagedImageError, truncatedImageError } from "../../media/image/image-facts.ts";
import { readAscii, sniffType } from "../../media/sniff-type.ts";
import { verificationError } from "../../media/verification-error.ts";
import type { Size } from "../settings.ts";

export type ImageType = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

export interface ImageHeader extends Size {
  kind: ImageType;
  /** The EXIF value, 1 to 8; 1 is upright. */
  orientation: number;
  /** 1 gray, 3 RGB, 4 CMYK; without alpha. */
  channels: number;
  profile: EncodedProfile | null;
}

/** An ICC profile; that of a PNG is compressed. */
export interface EncodedProfile {
  bytes: Uint8Array;
  compressed: boolean;
}

type HeaderFacts = Omit<ImageHeader, "kind">;

const READERS: Record<ImageType, (bytes: Uint8Array, view: DataView) => HeaderFacts | null> = {
  "image/jpeg": readJpegHeader,
  "image/png": readPngHeader,
  "image/webp": readWebpHeader,
  "image/gif": (bytes, view) =>
    bytes.length < 13
      ? null
      : { width: view.getUint16(6, true), height: view.getUint16(8, true), orientation: 1, channels: 3, profile: null },
};

/** Throws a verification error when the bytes are not an image that can be rendered. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  if (bytes.length === 0) throw verificationError("empty", "The image is empty.");
  const kind = sniffType(bytes.subarray(0, 4096));
  if (!isImageType(kind)) {
    const found = kind ?? "of an unknown type";
    throw verificationError("unsupported_type", `The image must be JPEG, PNG, WebP or GIF, but the file is ${found}.`);
  }
  const facts = tryReadHeader(kind, bytes);
  if (!facts) throw truncatedImageError();
  if (facts.width < 1 || facts.height < 1) throw damagedImageError();
  return { kind, ...facts };
}

function isImageType(kind: string | null): kind is ImageType {
  return kind !== null && Object.hasOwn(READERS, kind);
}

function tryReadHeader(kind: ImageType, bytes: Uint8Array): HeaderFacts | null {
  try {
    return READERS[kind](bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    // Parsers read past the end only when the file is truncated or a length field is wrong.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readJpegHeader(bytes: Uint8Array, view: DataView): HeaderFacts | null {
  let orientation = 1;
  const profile = new Map<number, Uint8Array>();
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) throw damagedImageError();
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = view.getUint16(at + 2);
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) {
      const size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
      return { ...size, orientation, channels: bytes[at + 9] ?? 3, profile: joinSegments(profile) };
    }
    if (marker === 0xda || marker === 0xd9 || length < 2) throw damagedImageError();
    if (marker === 0xe1 && readAscii(bytes, at + 4, 6) === "Exif\0\0") {
      orientation = readExifOrientation(bytes.subarray(at + 10, at + 2 + length));
    }
    // A number of the segment, counted from 1, and their count follow the name.
    if (marker === 0xe2 && readAscii(bytes, at + 4, 12) === "ICC_PROFILE\0") {
      profile.set(bytes[at + 16] ?? 0, bytes.subarray(at + 18, at + 2 + length));
    }
    at += 2 + length;
  }
  return null;
}

/** A profile of more than 64 KiB is split into segments. */
function joinSegments(segments: Map<number, Uint8Array>): EncodedProfile | null {
  if (segments.size === 0) return null;
  const ordered = [...segments].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
  const bytes = new Uint8Array(ordered.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const segment of ordered) {
    bytes.set(segment, at);
    at += segment.length;
  }
  return { bytes, compressed: false };
}

function readPngHeader(bytes: Uint8Array, view: DataView): HeaderFacts | null {
  const channels = (bytes[25] ?? 2) % 4 === 0 ? 1 : 3;
  const facts: HeaderFacts = {
    ...{ width: view.getUint32(16), height: view.getUint32(20), orientation: 1 },
    ...{ channels, profile: null },
  };
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = readAscii(bytes, at + 4, 4);
    if (name === "eXIf") facts.orientation = readExifOrientation(bytes.subarray(at + 8, at + 8 + length));
    if (name === "iCCP") {
      // A name of up to 79 bytes, its end and the method of compression come first.
      const content = bytes.subarray(at + 8, at + 8 + length);
      facts.profile = { bytes: content.subarray(content.indexOf(0) + 2), compressed: true };
    }
    at += 12 + length;
  }
  return facts;
}

function readWebpHeader(bytes: Uint8Array, view: DataView): HeaderFacts | null {
  let size: Size | null = null;
  let orientation = 1;
  let profile: EncodedProfile | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = readAscii(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    if (!size) size = readWebpSize(name, view, at + 8);
    if (name === "EXIF") {
      const content = bytes.subarray(at + 8, at + 8 + length);
      orientation = readExifOrientation(readAscii(content, 0, 4) === "Exif" ? content.subarray(6) : content);
    }
    if (name === "ICCP") profile = { bytes: bytes.subarray(at + 8, at + 8 + length), compressed: false };
    at += 8 + length + (length % 2);
  }
  return size ? { ...size, orientation, channels: 3, profile } : null;
}

/** The size of the canvas, or of a still image without one. */
function readWebpSize(name: string, view: DataView, at: number): Size | null {
  if (name === "VP8X") {
    return { width: (view.getUint32(at + 4, true) & 0xffffff) + 1, height: (view.getUint32(at + 6, true) >>> 8) + 1 };
  }
  if (name === "VP8L") {
    const bits = view.getUint32(at + 1, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (name !== "VP8 ") return null;
  return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff };
}
