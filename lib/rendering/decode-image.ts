// Decodes an image to upright pixels of the size that a slide needs, within bounded memory.

import { checkGif } from "../media/image/gif.ts";
import { damagedImageError, truncatedImageError } from "../media/image/image-facts.ts";
import { type ImageHeader, type ImageType, readImageHeader } from "../media/image/image-header.ts";
import { checkJpeg } from "../media/image/jpeg.ts";
import { getVerificationFailure, verificationError } from "../media/verification-error.ts";
import type { BufferPool } from "./buffer-pool.ts";
import { type ConvertInks, convertToSrgb, createInkConverter } from "./decode/convert-colors.ts";
import { type CropAndScale, computeCropAndScale } from "./decode/crop-and-downscale.ts";
import { isSideways, rotateUpright } from "./decode/exif-rotate.ts";
import { readImageProfile } from "./decode/image-profile.ts";
import { decodeJpeg } from "./decode/jpeg.ts";
import { decodePng } from "./decode/png.ts";
import type { DecodedImage, ImageRequest } from "./scene.ts";
import type { Size } from "./settings.ts";

export interface DecodeTools {
  /** Decodes an image so that it covers the size. Returns RGBA. Throws when it cannot be decoded. */
  rasterize(bytes: Uint8Array, size: Size): Promise<Uint8Array>;
  buffers: BufferPool;
}

/** Throws a verification error with the reason why the image cannot be rendered. */
export type DecodeImage = (bytes: Uint8Array, request: ImageRequest, tools: DecodeTools) => Promise<DecodedImage>;

const MEGAPIXEL = 1_000_000;

/**
 * Largest images that the renderer decodes whole: that takes 8 to 10 bytes per pixel, and its memory never shrinks.
 * Larger JPEGs and PNGs are decoded row by row here.
 */
const MAX_WHOLE_PIXELS: Record<ImageType, number> = {
  "image/jpeg": 4 * MEGAPIXEL,
  "image/png": 4 * MEGAPIXEL,
  "image/webp": 8 * MEGAPIXEL,
  "image/gif": 4 * MEGAPIXEL,
};

type RowDecoder = (
  bytes: Uint8Array,
  fit: CropAndScale,
  into: Uint8Array,
  convertInks: ConvertInks | null,
) => void | Promise<void>;
const ROW_DECODERS: Partial<Record<ImageType, RowDecoder>> = {
  "image/jpeg": decodeJpeg,
  "image/png": decodePng,
};
/** Far more than any camera. */
const MAX_PIXELS = 100 * MEGAPIXEL;

export const decodeImage: DecodeImage = async (bytes, request, tools) => {
  const header = readImageHeader(bytes);
  const { fit, width, height } = request;
  const asStored = isSideways(header.orientation) ? { fit, width: height, height: width } : { fit, width, height };
  const cropAndScale = computeCropAndScale(header, asStored);
  const pixels = header.width * header.height;
  const rowDecoder = ROW_DECODERS[header.kind];
  const maxPixels = rowDecoder ? MAX_PIXELS : MAX_WHOLE_PIXELS[header.kind];
  if (pixels > maxPixels) throw tooManyPixelsError(header, maxPixels);
  const profile = await readImageProfile(header);
  const convertInks = profile?.space === "cmyk" ? createInkConverter(profile.conversion) : null;
  const byRows = rowDecoder && (pixels > MAX_WHOLE_PIXELS[header.kind] || convertInks);
  const data = byRows
    ? await decodeRows(bytes, cropAndScale, (...input) => rowDecoder(...input, convertInks), tools)
    : await decodeWhole(bytes, header, cropAndScale, tools);
  // The row decoder of PNG multiplies colours by their alpha; JPEG has no alpha.
  const premultiplied = Boolean(byRows);
  if (profile && !convertInks) convertToSrgb(profile, data, premultiplied);
  return { ...rotateUpright(data, cropAndScale.out, header.orientation, tools.buffers), premultiplied };
};

/** For decoders that open what is left of a damaged image, without an error. */
export function checkCompleteness(bytes: Uint8Array, kind: ImageType): void {
  if (kind === "image/jpeg") checkJpeg(bytes);
  if (kind === "image/gif") checkGif(bytes);
}

async function decodeWhole(
  bytes: Uint8Array,
  { kind }: ImageHeader,
  { out }: CropAndScale,
  { rasterize }: DecodeTools,
): Promise<Uint8Array> {
  checkCompleteness(bytes, kind);
  const data = await rasterize(bytes, out).catch((error: unknown) => {
    throw /end of file|unexpected eof|truncated/i.test(String(error)) ? truncatedImageError() : damagedImageError();
  });
  if (data.every((value) => value === 0)) {
    throw verificationError("image_data", "The image is damaged and cannot be decoded, or it is fully transparent.");
  }
  return data;
}

async function decodeRows(
  bytes: Uint8Array,
  cropAndScale: CropAndScale,
  decode: (bytes: Uint8Array, fit: CropAndScale, into: Uint8Array) => void | Promise<void>,
  { buffers }: DecodeTools,
): Promise<Uint8Array> {
  const data = buffers.acquire(cropAndScale.out.width * cropAndScale.out.height * 4);
  try {
    await decode(bytes, cropAndScale, data);
    return data;
  } catch (error) {
    // Decoders read past the end only when a length field is wrong.
    throw getVerificationFailure(error) ? error : damagedImageError();
  }
}

function tooManyPixelsError({ kind, width, height }: ImageHeader, maxPixels: number): Error {
  const name = kind.slice("image/".length).toUpperCase();
  const millions = (count: number) => `${Math.round(count / MEGAPIXEL)} megapixels`;
  const sentence = `The image has ${width} x ${height} pixels, but a ${name} image must have at most ${millions(maxPixels)}. Scale it down.`;
  return verificationError("too_many_pixels", sentence);
}
