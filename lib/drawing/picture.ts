// From the bytes of an image to upright pixels of the size that a slide needs, within little memory.

import { checkGif } from "../media/gif.ts";
import { cutImage, damagedImage } from "../media/image-facts.ts";
import { checkJpeg } from "../media/jpeg.ts";
import { refusalOf, refuse } from "../media/refusal.ts";
import type { Buffers } from "./buffers.ts";
import { type Fit, fitOf } from "./decode/fit.ts";
import { type Head, headOf, type Kind } from "./decode/head.ts";
import { decodeJpeg } from "./decode/jpeg.ts";
import { decodePng } from "./decode/png.ts";
import { liesOnItsSide, turned } from "./decode/turn.ts";
import type { Picture, Wanted } from "./scene.ts";
import type { Size } from "./settings.ts";

export interface Tools {
  /** Draws an encoded image so that it covers the size; RGBA. Throws when it can't be decoded. */
  rasterize(bytes: Uint8Array, size: Size): Promise<Uint8Array>;
  buffers: Buffers;
}

const MEGAPIXEL = 1_000_000;

/**
 * What the renderer may decode as a whole, which takes it 8 to 10 bytes per pixel that its memory keeps for good. Larger
 * JPEGs and PNGs are decoded row by row here.
 */
const WHOLE_AT_MOST: Record<Kind, number> = {
  "image/jpeg": 4 * MEGAPIXEL,
  "image/png": 4 * MEGAPIXEL,
  "image/webp": 8 * MEGAPIXEL,
  "image/gif": 4 * MEGAPIXEL,
};

type Stream = (bytes: Uint8Array, fit: Fit, into: Uint8Array) => void | Promise<void>;
const ROW_BY_ROW: Partial<Record<Kind, Stream>> = {
  "image/jpeg": decodeJpeg,
  "image/png": decodePng,
};
/** Far above any camera. */
const PIXELS_AT_MOST = 100 * MEGAPIXEL;

/** Throws a refusal that says why the image can't be drawn. */
export async function pictureOf(bytes: Uint8Array, wanted: Wanted, tools: Tools): Promise<Picture> {
  const head = headOf(bytes);
  const { fit, width, height } = wanted;
  const asStored = liesOnItsSide(head.orientation) ? { fit, width: height, height: width } : { fit, width, height };
  const placed = fitOf(head, asStored);
  const pixels = head.width * head.height;
  const stream = ROW_BY_ROW[head.kind];
  const most = stream ? PIXELS_AT_MOST : WHOLE_AT_MOST[head.kind];
  if (pixels > most) throw tooLarge(head, most);
  const large = pixels > WHOLE_AT_MOST[head.kind];
  const decoding = large && stream ? decodeRows(bytes, placed, stream, tools) : decodeWhole(bytes, head, placed, tools);
  // Row by row a PNG comes out multiplied by its alpha; a JPEG has none.
  return { ...turned(await decoding, placed.out, head.orientation, tools.buffers), premultiplied: large };
}

async function decodeWhole(bytes: Uint8Array, { kind }: Head, { out }: Fit, { rasterize }: Tools): Promise<Uint8Array> {
  // The renderer draws as much of a damaged one as it can read, or nothing, and says neither.
  if (kind === "image/jpeg") checkJpeg(bytes);
  if (kind === "image/gif") checkGif(bytes);
  const data = await rasterize(bytes, out).catch((error: unknown) => {
    throw /end of file|unexpected eof|truncated/i.test(String(error)) ? cutImage() : damagedImage();
  });
  if (data.every((value) => value === 0)) {
    throw refuse("image_data", "The image is damaged and cannot be decoded, or it is transparent all over.");
  }
  return data;
}

async function decodeRows(bytes: Uint8Array, fit: Fit, stream: Stream, { buffers }: Tools): Promise<Uint8Array> {
  const data = buffers.take(fit.out.width * fit.out.height * 4);
  try {
    await stream(bytes, fit, data);
    return data;
  } catch (error) {
    // A decoder reads past the end of something only when a length in the file lies.
    throw refusalOf(error) ? error : damagedImage();
  }
}

function tooLarge({ kind, width, height }: Head, most: number): Error {
  const name = kind.slice("image/".length).toUpperCase();
  const millions = (count: number) => `${Math.round(count / MEGAPIXEL)} megapixels`;
  const sentence = `The image has ${width} x ${height} pixels; a ${name} is drawn with up to ${millions(most)}.`;
  return refuse("too_many_pixels", sentence);
}
