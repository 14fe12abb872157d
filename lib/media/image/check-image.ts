// Checks that a file is a complete image of the declared type.

import { checkImagePolyglot } from "../polyglot.ts";
import { getVerificationFailure, verificationError } from "../verification-error.ts";
import { checkGif } from "./gif.ts";
import type { ImageCheckResult, ImageFacts } from "./image-facts.ts";
import { checkJpeg } from "./jpeg.ts";
import { checkPng } from "./png.ts";
import { checkWebp } from "./webp.ts";

type ImageCheck = (bytes: Uint8Array) => ImageCheckResult | Promise<ImageCheckResult>;

const IMAGE_CHECKS: Record<string, ImageCheck> = {
  "image/jpeg": checkJpeg,
  "image/png": checkPng,
  "image/webp": checkWebp,
  "image/gif": checkGif,
};

export async function checkImage(bytes: Uint8Array, contentType: string): Promise<ImageFacts> {
  const check = IMAGE_CHECKS[contentType];
  if (!check)
    throw verificationError(
      "unsupported_type",
      `Files of type ${contentType} are not supported. Use JPEG, PNG, WebP or GIF.`,
    );
  try {
    const { facts, end } = await check(bytes);
    checkImagePolyglot(bytes, end, contentType);
    return facts;
  } catch (error) {
    if (getVerificationFailure(error)) throw error;
    // Parsers read past the end only when a length field is wrong.
    throw verificationError("image_data", "The image is damaged: its structure cannot be read.");
  }
}
