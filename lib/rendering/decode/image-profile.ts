// Reads the colour profile that is embedded in an image.

import type { EncodedProfile } from "../../media/image/image-facts.ts";
import type { ImageHeader } from "../../media/image/image-header.ts";
import { verificationError } from "../../media/verification-error.ts";
import { CHANNEL_COUNT, type ConvertibleProfile, readColorProfile } from "./color-profile.ts";

/** Of a profile once inflated: twice what cameras and print shops use, against decompression bombs. */
const MAX_INFLATED_BYTES = 4 * 1024 * 1024;

/**
 * Returns null when the image has no profile that applies, as viewers do: none, an unreadable or too large one, or one for
 * another number of channels. Throws a verification error that names a profile that cannot be converted.
 */
export async function readImageProfile({ profile, channels }: ImageHeader): Promise<ConvertibleProfile | null> {
  if (!profile) return null;
  const bytes = profile.compressed ? await inflateProfile(profile) : profile.bytes;
  const colorProfile = bytes && readColorProfile(bytes);
  if (!colorProfile || CHANNEL_COUNT[colorProfile.space] !== channels) return null;
  const { name, conversion } = colorProfile;
  if (conversion) return { ...colorProfile, conversion };
  throw verificationError(
    "image_data",
    `The image has the colour profile ${JSON.stringify(name)}, which cannot be converted to sRGB. Save the image as sRGB.`,
  );
}

async function inflateProfile({ bytes }: EncodedProfile): Promise<Uint8Array | null> {
  // Copied, because a body must not lie in a shared buffer.
  const inflatedStream = new Response(bytes.slice()).body?.pipeThrough(new DecompressionStream("deflate"));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for await (const chunk of (inflatedStream ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
      length += chunk.length;
      if (length > MAX_INFLATED_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
