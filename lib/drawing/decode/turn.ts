// Turns pixels upright: cameras store what the sensor saw and write beside it how the camera was held.
import type { Buffers } from "../buffers.ts";
import type { Size } from "../settings.ts";

type Turned = Size & { data: Uint8Array };

/** EXIF orientations 5 to 8 lie on their side. */
export function liesOnItsSide(orientation: number): boolean {
  return orientation >= 5 && orientation <= 8;
}

/** RGBA of a picture as it is stored becomes RGBA of it as it is seen, in another buffer. */
export function turned(data: Uint8Array, stored: Size, orientation: number, buffers: Buffers): Turned {
  const { width, height } = stored;
  if (orientation <= 1 || orientation > 8) return { data, width, height };
  const seen = liesOnItsSide(orientation) ? { width: height, height: width } : { width, height };
  const upright = buffers.take(data.length);
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const to = new Uint32Array(upright.buffer, upright.byteOffset, width * height);
  const mirrored = orientation === 2 || orientation === 3 || orientation === 7 || orientation === 8;
  const upended = orientation === 3 || orientation === 4 || orientation === 6 || orientation === 7;
  for (let y = 0; y < seen.height; y++) {
    for (let x = 0; x < seen.width; x++) {
      const [across, down] = liesOnItsSide(orientation) ? [y, x] : [x, y];
      const column = mirrored ? width - 1 - across : across;
      const row = upended ? height - 1 - down : down;
      to[y * seen.width + x] = from[row * width + column] ?? 0;
    }
  }
  buffers.giveBack(data);
  return { ...seen, data: upright };
}
