// Proves that a file is an image of the declared type, complete to its last coded byte.
import { checkGif } from "./gif.ts";
import type { ImageFacts, Walked } from "./image-facts.ts";
import { checkJpeg } from "./jpeg.ts";
import { checkPng } from "./png.ts";
import { checkImageTail } from "./polyglot.ts";
import { refusalOf, refuse } from "./refusal.ts";
import { checkWebp } from "./webp.ts";

type ImageCheck = (bytes: Uint8Array) => Walked | Promise<Walked>;

const IMAGE_CHECKS: Record<string, ImageCheck> = {
  "image/jpeg": checkJpeg,
  "image/png": checkPng,
  "image/webp": checkWebp,
  "image/gif": checkGif,
};

export async function checkImage(bytes: Uint8Array, contentType: string): Promise<ImageFacts> {
  const check = IMAGE_CHECKS[contentType];
  if (!check) throw refuse("unsupported_type", `Files of type ${contentType} are not supported.`);
  try {
    const { facts, end } = await check(bytes);
    checkImageTail(bytes, end, contentType);
    return facts;
  } catch (error) {
    if (refusalOf(error)) throw error;
    // Parsers read past the end of a field only when the field lies.
    throw refuse("image_data", "The image is damaged: its structure cannot be read.");
  }
}
