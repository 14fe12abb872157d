// Width and height of an image: the known ones, else from the header of the file.
import { readJpegHeader } from "../linkedin/jpeg.ts";
import { getMediaSize, openRange } from "../media.ts";
import { contentFailure, type Job, type MediaFile } from "../platform.ts";

const HEADER_BYTES = 256 * 1024;

interface Dimensions {
  width: number;
  height: number;
}

export async function readDimensions(job: Job, file: MediaFile): Promise<Dimensions> {
  const { width, height } = file;
  if (width && height) return { width, height };
  const total = await getMediaSize(job, file);
  const last = Math.min(total, HEADER_BYTES) - 1;
  const stream = await openRange(job, file.url, { first: 0, last, total });
  const dimensions = parseDimensions(new Uint8Array(await new Response(stream).arrayBuffer()));
  if (dimensions) return dimensions;
  throw contentFailure(
    "image_unreadable",
    "The width and height of an image could not be read. Use a valid JPEG, PNG or WebP file.",
  );
}

/** Returns null when the bytes are not the beginning of a JPEG, PNG or WebP file. */
function parseDimensions(bytes: Uint8Array): Dimensions | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return parseWebp(view);
    return parseJpeg(bytes);
  } catch (error) {
    // The file ends within its header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function parseWebp(view: DataView): Dimensions | null {
  const chunk = view.getUint32(12);
  // `VP8X`: both sides minus one, in 24 bits each.
  if (chunk === 0x56503858) {
    const read = (at: number) => (view.getUint16(at, true) | (view.getUint8(at + 2) << 16)) + 1;
    return { width: read(24), height: read(27) };
  }
  // `VP8L`: both sides minus one, in 14 bits each.
  if (chunk === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (chunk !== 0x56503820) return null;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** As displayed: some orientations swap the stored sides. */
function parseJpeg(bytes: Uint8Array): Dimensions | null {
  const header = readJpegHeader(bytes);
  if (!header) return null;
  const { width, height, orientation } = header;
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}
