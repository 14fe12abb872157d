// Rotates and mirrors pixels upright according to the EXIF orientation.
import type { BufferPool } from "../buffer-pool.ts";
import type { Size } from "../settings.ts";

type RotatedImage = Size & { data: Uint8Array };

/** EXIF orientations 5 to 8 are rotated by 90 degrees. */
export function isSideways(orientation: number): boolean {
  return orientation >= 5 && orientation <= 8;
}

/** Converts RGBA from the stored to the upright orientation; releases `data` when it uses another buffer. */
export function rotateUpright(data: Uint8Array, stored: Size, orientation: number, buffers: BufferPool): RotatedImage {
  const { width, height } = stored;
  if (orientation <= 1 || orientation > 8) return { data, width, height };
  const displayed = isSideways(orientation) ? { width: height, height: width } : { width, height };
  const upright = buffers.acquire(data.length);
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const to = new Uint32Array(upright.buffer, upright.byteOffset, width * height);
  const mirrored = orientation === 2 || orientation === 3 || orientation === 7 || orientation === 8;
  const flipped = orientation === 3 || orientation === 4 || orientation === 6 || orientation === 7;
  for (let y = 0; y < displayed.height; y++) {
    for (let x = 0; x < displayed.width; x++) {
      const [across, down] = isSideways(orientation) ? [y, x] : [x, y];
      const column = mirrored ? width - 1 - across : across;
      const row = flipped ? height - 1 - down : down;
      to[y * displayed.width + x] = from[row * width + column] ?? 0;
    }
  }
  buffers.release(data);
  return { ...displayed, data: upright };
}
