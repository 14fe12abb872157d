// Reads the colour profile that is embedded in an image.
import { verificationError } from "../../media/verification-error.ts";
import { type ColorProfile, type Conversion, readColorProfile } from "./color-profile.ts";
import type { EncodedProfile, ImageHeader } from "./image-header.ts";

/** Profiles of cameras and print shops have up to 2 MiB. */
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
const CHANNELS = { gray: 1, rgb: 3, cmyk: 4 };

/**
 * Null when there is none, or one for other channels than those of the image, which every viewer ignores.
 * Throws a verification error that names a profile that cannot be converted.
 */
export async function readImageProfile({
  profile,
  channels,
}: ImageHeader): Promise<(ColorProfile & { conversion: Conversion }) | null> {
  if (!profile) return null;
  const bytes = profile.compressed ? await inflateProfile(profile) : profile.bytes;
  const read = bytes && readColorProfile(bytes);
  if (!read || CHANNELS[read.space] !== channels) return null;
  const { name, conversion } = read;
  if (conversion) return { ...read, conversion };
  throw verificationError(
    "image_data",
    `The image has the colour profile ${JSON.stringify(name)}, which cannot be converted to sRGB. Save the image as sRGB.`,
  );
}

async function inflateProfile({ bytes }: EncodedProfile): Promise<Uint8Array | null> {
  const inflated = new Response(bytes.slice()).body?.pipeThrough(new DecompressionStream("deflate"));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for await (const chunk of (inflated ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      length += chunk.length;
      if (length > MAX_PROFILE_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
