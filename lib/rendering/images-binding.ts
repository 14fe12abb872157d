// Decodes images with Cloudflare's Images binding, where one is bound, instead of with the decoders of this folder.
// https://developers.cloudflare.com/images/optimization/transformations/bindings/, read 2026-11-24.

import { readImageHeader } from "../media/image/image-header.ts";
import { getVerificationFailure } from "../media/verification-error.ts";
import { computeCropAndScale } from "./decode/crop-and-downscale.ts";
import { isSideways } from "./decode/exif-rotate.ts";
import { checkCompleteness, type DecodeImage, decodeImage } from "./decode-image.ts";
import type { Size } from "./settings.ts";

export type ImagesService = Pick<ImagesBinding, "input">;

/**
 * Images returns a PNG of the size that the slide needs, which the decoders here open. When it fails, for example
 * because the images of a month are used up, they decode the original, or say why they cannot.
 */
export function createBindingDecoder(images: ImagesService): DecodeImage {
  return async (bytes, request, tools) => {
    const header = readImageHeader(bytes);
    const { width, height } = header;
    const upright = isSideways(header.orientation) ? { width: height, height: width } : { width, height };
    // Never larger than the image, so that `cover` does not enlarge it.
    const { out } = computeCropAndScale(upright, request);
    checkCompleteness(bytes, header.kind);
    try {
      return await decodeImage(await transform(images, bytes, out), { ...request, ...out, fit: "cover" }, tools);
    } catch (error) {
      console.warn(JSON.stringify({ event: "images_binding_failed", error: describeError(error) }));
      return decodeImage(bytes, request, tools);
    }
  };
}

/**
 * Images applies colour profile and EXIF rotation, `cover` returns exactly the given size, and PNG has no metadata:
 * https://developers.cloudflare.com/images/optimization/features/, read 2026-11-24.
 */
async function transform(images: ImagesService, bytes: Uint8Array, { width, height }: Size): Promise<Uint8Array> {
  const input = new Blob([bytes.slice()]).stream();
  const transformed = images.input(input).transform({ width, height, fit: "cover" });
  const result = await transformed.output({ format: "image/png", anim: false });
  const png = new Uint8Array(await new Response(result.image()).arrayBuffer());
  const found = readImageHeader(png);
  if (found.width === width && found.height === height) return png;
  throw new Error(`Images returned ${found.width} x ${found.height} pixels instead of ${width} x ${height}`);
}

function describeError(error: unknown): string {
  const { code } = error as { code?: unknown };
  return getVerificationFailure(error)?.message ?? `${code === undefined ? "" : `${code}: `}${error}`;
}
