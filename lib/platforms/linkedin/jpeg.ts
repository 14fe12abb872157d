// Reads the header of a JPEG for embedding it in a PDF.
import { readJpegHeader as readHeader } from "../../media/image/jpeg-header.ts";
import { sniffType } from "../../media/sniff-type.ts";
import { getVerificationFailure } from "../../media/verification-error.ts";

export interface JpegInfo {
  /** As stored; `orientation` 5 to 8 swaps width and height for display. */
  width: number;
  height: number;
  orientation: number;
  components: number;
  /** Adobe CMYK files store inverted values. */
  inverted: boolean;
}

/** Returns null when the file is not a JPEG that a PDF may contain, or when these bytes do not contain its frame header. */
export function readJpegHeader(bytes: Uint8Array): JpegInfo | null {
  if (sniffType(bytes.subarray(0, 4096)) !== "image/jpeg") return null;
  try {
    const { width, height, orientation, channels, bitsPerChannel, adobe } = readHeader(bytes);
    if (bitsPerChannel !== 8 || width === 0 || height === 0 || ![1, 3, 4].includes(channels)) return null;
    return { width, height, orientation, components: channels, inverted: adobe !== null && channels === 4 };
  } catch (error) {
    if (getVerificationFailure(error)) return null;
    throw error;
  }
}
