// Width and height of an image: the known ones, else from the header of the file.
import { readImageHeader } from "../../media/image/image-header.ts";
import { getVerificationFailure } from "../../media/verification-error.ts";
import { getMediaSize, openRange } from "../media.ts";
import { contentFailure, type Job, type MediaFile } from "../platform.ts";

const HEADER_BYTES = 256 * 1024;

interface Dimensions {
  width: number;
  height: number;
}

/** Null when the file is no image whose header can be read. */
export async function readDimensions(job: Job, file: MediaFile): Promise<Dimensions | null> {
  const { width, height } = file;
  if (width && height) return { width, height };
  const total = await getMediaSize(job, file);
  const last = Math.min(total, HEADER_BYTES) - 1;
  const stream = await openRange(job, file.url, { first: 0, last, total });
  return parseDimensions(new Uint8Array(await new Response(stream).arrayBuffer()));
}

export function unreadableImageFailure() {
  return contentFailure(
    "image_unreadable",
    "The width and height of an image could not be read. Use a valid JPEG, PNG or WebP file.",
  );
}

/** As displayed: some orientations swap the stored sides. Null when the bytes are not the beginning of a JPEG, PNG or WebP file. */
function parseDimensions(bytes: Uint8Array): Dimensions | null {
  try {
    const { kind, width, height, orientation } = readImageHeader(bytes);
    if (kind === "image/gif") return null;
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch (error) {
    if (getVerificationFailure(error)) return null;
    throw error;
  }
}
