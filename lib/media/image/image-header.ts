// Reads the type, size, EXIF orientation and color profile of an image from its header.
import { sniffType } from "../sniff-type.ts";
import { verificationError } from "../verification-error.ts";
import { damagedImageError, type HeaderFacts, truncatedImageError } from "./image-facts.ts";
import { readJpegHeader } from "./jpeg-header.ts";
import { readPng } from "./png-chunks.ts";
import { readWebpHeader } from "./webp-chunks.ts";

export type ImageType = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

export interface ImageHeader extends HeaderFacts {
  kind: ImageType;
}

const READERS: Record<ImageType, (bytes: Uint8Array) => HeaderFacts | null> = {
  "image/jpeg": readJpegHeader,
  "image/png": readPng,
  "image/webp": readWebpHeader,
  "image/gif": (bytes) => ({ ...readGifSize(bytes), orientation: 1, channels: 3, profile: null }),
};

/** Throws a verification error when the bytes are not the beginning of an image that can be rendered. */
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
  const { width, height, orientation, channels, profile } = facts;
  return { kind, width, height, orientation, channels, profile };
}

function isImageType(kind: string | null): kind is ImageType {
  return kind !== null && Object.hasOwn(READERS, kind);
}

function tryReadHeader(kind: ImageType, bytes: Uint8Array): HeaderFacts | null {
  try {
    return READERS[kind](bytes);
  } catch (error) {
    // Readers read past the end only when the file is truncated or a length field is wrong.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Throws a RangeError for a shorter header. */
export function readGifSize({ buffer, byteOffset }: Uint8Array): { width: number; height: number } {
  const view = new DataView(buffer, byteOffset, 13);
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}
