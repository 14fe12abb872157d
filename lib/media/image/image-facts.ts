// Types that the readers of all image formats share, and the errors for truncated, damaged and oversized images.
import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";

export interface ImageFacts {
  /** Stored size; `orientation` 5 to 8 swaps width and height when displayed. */
  width: number;
  height: number;
  /** The EXIF value, 1 to 8; 1 is upright. */
  orientation: number;
  frames: number;
}

/** The result of a check that passed. */
export interface ImageCheckResult {
  facts: ImageFacts;
  /** Byte offset at which the image ends according to its format. */
  end: number;
}

/** The facts that precede the pixels. */
export interface HeaderFacts extends Omit<ImageFacts, "frames"> {
  /** 1 gray, 3 RGB, 4 CMYK; without alpha. */
  channels: number;
  profile: EncodedProfile | null;
}

/** An ICC profile; that of a PNG is compressed. */
export interface EncodedProfile {
  bytes: Uint8Array;
  compressed: boolean;
}

export function checkPixels(width: number, height: number): void {
  if (width < 1 || height < 1) throw damagedImageError();
  if (width * height <= LIMITS.imagePixels) return;
  throw verificationError(
    "too_many_pixels",
    `The image has ${width} x ${height} pixels, more than the 100 million allowed.`,
  );
}

export function truncatedImageError(): Error {
  return verificationError("truncated", "The image is incomplete: the file ends before its last part.");
}

export function damagedImageError(): Error {
  return verificationError("image_data", "The image is damaged and cannot be decoded.");
}
