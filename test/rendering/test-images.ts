// Images of plain colours, so that a test knows the expected pixels of a slide.
import { buildPng } from "../media/png-writer.ts";
import { concatBytes } from "../media/sources.ts";

/** Red, green, blue, and alpha where it is not opaque. */
export type Color = readonly [number, number, number, number?];

export const RED: Color = [200, 30, 30];
export const GREEN: Color = [30, 160, 60];
export const BLUE: Color = [30, 60, 200];
export const YELLOW: Color = [230, 200, 40];
export const WHITE: Color = [255, 255, 255];
export const BLACK: Color = [0, 0, 0];

/** An RGBA PNG; `color` returns the colour at x and y, from 0 to 1. */
export function buildImage(width: number, height: number, color: (x: number, y: number) => Color): Uint8Array {
  const raw = new Uint8Array((1 + width * 4) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue, alpha = 255] = color(x / width, y / height);
      raw.set([red, green, blue, alpha], y * (1 + width * 4) + 1 + x * 4);
    }
  }
  return buildPng(width, height, raw, "rgba");
}

export function buildPlainImage(color: Color): Uint8Array {
  return buildImage(64, 64, () => color);
}

/** Red and green at the top, blue and yellow at the bottom. */
export function buildQuartersImage(width: number, height: number): Uint8Array {
  return buildImage(width, height, (x, y) => (y < 0.5 ? (x < 0.5 ? RED : GREEN) : x < 0.5 ? BLUE : YELLOW));
}

/** The same JPEG with an EXIF orientation. */
export function withOrientation(jpeg: Uint8Array, orientation: number): Uint8Array {
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0];
  const content = new Uint8Array([...new TextEncoder().encode("Exif\0\0"), ...tiff]);
  const head = new Uint8Array([0xff, 0xe1, 0, content.length + 2]);
  return concatBytes(jpeg.subarray(0, 2), head, content, jpeg.subarray(2));
}
