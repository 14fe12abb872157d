// What the image walkers share: the facts they find, and how they say that an image is cut, damaged or too large.
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";

export interface ImageFacts {
  /** As stored; `orientation` 5 to 8 swaps the two when shown. */
  width: number;
  height: number;
  /** The EXIF value, 1 to 8; 1 is upright. */
  orientation: number;
  frames: number;
}

/** What a walk over a picture finds. */
export interface Walked {
  facts: ImageFacts;
  /** Where the picture ends as its own format has it. */
  end: number;
}

export function checkPixels(width: number, height: number): void {
  if (width < 1 || height < 1) throw damagedImage();
  if (width * height <= LIMITS.imagePixels) return;
  throw refuse("too_many_pixels", `The image has ${width} x ${height} pixels, more than the 100 million allowed.`);
}

export function cutImage(): Error {
  return refuse("truncated", "The image is incomplete: the file ends in the middle of it.");
}

export function damagedImage(): Error {
  return refuse("image_data", "The image is damaged and cannot be decoded.");
}
