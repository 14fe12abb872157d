// Adds a border of one transparent pixel to an image.
import type { Size } from "../settings.ts";

/** RGBA. */
type Pixels = Size & { data: Uint8Array; premultiplied: boolean };

/** Multiplies colours by their alpha, so that blending with the border does not darken them. */
export function addTransparentBorder({ data, width, height, premultiplied }: Pixels): Pixels {
  const bordered = new Uint8Array((width + 2) * (height + 2) * 4);
  for (let row = 0; row < height; row++) {
    const to = ((row + 1) * (width + 2) + 1) * 4;
    bordered.set(data.subarray(row * width * 4, (row + 1) * width * 4), to);
  }
  if (!premultiplied) multiplyByAlpha(bordered);
  return { data: bordered, width: width + 2, height: height + 2, premultiplied: true };
}

function multiplyByAlpha(data: Uint8Array): void {
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    if (alpha === 255) continue;
    for (let channel = 0; channel < 3; channel++) {
      data[at + channel] = ((data[at + channel] ?? 0) * alpha) / 255 + 0.5;
    }
  }
}
