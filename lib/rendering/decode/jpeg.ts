// Decodes a large JPEG row by row into the required size, so that a 12-megapixel photo is never in memory whole.
import { checkStarted, type JpegImage, openJpeg, readScan, readScanHeader } from "../../media/image/jpeg.ts";
import type { JpegFrame } from "../../media/image/jpeg-scan.ts";
import { verificationError } from "../../media/verification-error.ts";
import type { ConvertInks } from "./convert-colors.ts";
import { type CropAndScale, createDownscaler } from "./crop-and-downscale.ts";
import type { BlockSide } from "./idct.ts";
import { createRowWriter } from "./jpeg-rows.ts";

/** Progressive scans are kept until the last one: enough for 24 megapixels with 4:2:0 subsampling. */
const MAX_COEFFICIENT_BYTES = 72 * 1024 * 1024;

/** Writes RGBA of the size `fit.out`. Throws a verification error when the image is truncated or damaged. */
export function decodeJpeg(
  bytes: Uint8Array,
  fit: CropAndScale,
  into: Uint8Array,
  convertInks: ConvertInks | null = null,
): void {
  const image = openJpeg(bytes);
  const { frame } = image;
  const { progressive, components } = frame;
  for (let scan = readScanHeader(image); scan; scan = readScanHeader(image)) {
    if (!progressive && scan.parts.length === components.length) {
      for (const one of components) one.coefficients = new Int16Array(one.stride * one.v * 64);
      const write = createScaledWriter(image, fit, into, convertInks);
      readScan(image, scan, (row) => write(row, 0));
      return;
    }
    allocateCoefficients(frame);
    readScan(image, scan);
  }
  checkStarted(frame);
  const write = createScaledWriter(image, fit, into, convertInks);
  for (let row = 0; row < frame.rows; row++) write(row, row);
}

/** Allocates the coefficients of the whole image, for files with several scans. */
function allocateCoefficients({ components }: JpegFrame): void {
  if (components.some(({ coefficients }) => coefficients)) return;
  const blocks = components.reduce((sum, { stride, rows }) => sum + stride * rows, 0);
  if (blocks * 128 > MAX_COEFFICIENT_BYTES) {
    throw verificationError(
      "too_many_pixels",
      "A progressive JPEG must have at most 24 megapixels. Scale the image down, or save it as a baseline JPEG.",
    );
  }
  for (const one of components) one.coefficients = new Int16Array(one.stride * one.rows * 64);
}

function createScaledWriter(
  { frame, quantizers, adobe }: JpegImage,
  fit: CropAndScale,
  into: Uint8Array,
  convertInks: ConvertInks | null,
) {
  const halved = fit.out.width * 2 <= fit.crop.width && fit.out.height * 2 <= fit.crop.height;
  const side: BlockSide = halved ? 4 : 8;
  const scale = side / 8;
  const edge = (value: number) => Math.floor(value * scale);
  const crop = {
    left: edge(fit.crop.left),
    top: edge(fit.crop.top),
    width: Math.max(fit.out.width, edge(fit.crop.width)),
    height: Math.max(fit.out.height, edge(fit.crop.height)),
  };
  const { addRow } = createDownscaler({ crop, out: fit.out }, 3, into);
  return createRowWriter(frame, quantizers, { adobe, convertInks }, side, crop, addRow);
}
