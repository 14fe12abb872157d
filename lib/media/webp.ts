// Walks a WebP file: chunk sizes must add up to the file, and picture headers and partitions must fit their chunks.
import { exifOrientation } from "./exif.ts";
import { checkPixels, cutImage, damagedImage, type ImageFacts } from "./image-facts.ts";
import { ascii } from "./sniff.ts";
import { vp8Frame } from "./vpx.ts";

interface Walked {
  canvas: { width: number; height: number } | null;
  picture: { width: number; height: number } | null;
  frames: number;
  orientation: number;
}

export function checkWebp(bytes: Uint8Array): ImageFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20) throw cutImage();
  const end = 8 + view.getUint32(4, true);
  if (end > bytes.length) throw cutImage();
  const walked: Walked = { canvas: null, picture: null, frames: 0, orientation: 1 };
  chunks(bytes.subarray(0, end), 12, walked);
  const size = walked.canvas ?? walked.picture;
  if (!size || walked.frames === 0) throw damagedImage();
  checkPixels(size.width, size.height);
  return { ...size, orientation: walked.orientation, frames: walked.frames };
}

function chunks(bytes: Uint8Array, start: number, walked: Walked): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = start;
  while (position < bytes.length) {
    if (position + 8 > bytes.length) throw damagedImage();
    const length = view.getUint32(position + 4, true);
    const content = bytes.subarray(position + 8, position + 8 + length);
    if (content.length !== length) throw damagedImage();
    chunk(ascii(bytes, position, 4), content, walked);
    position += 8 + length + (length % 2);
  }
}

function chunk(name: string, content: Uint8Array, walked: Walked): void {
  if (!/^[\x20-\x7e]{4}$/.test(name)) throw damagedImage();
  if (name === "VP8X") walked.canvas = { width: triple(content, 4) + 1, height: triple(content, 7) + 1 };
  if (name === "VP8 " || name === "VP8L") {
    walked.frames += 1;
    walked.picture = name === "VP8 " ? lossy(content) : lossless(content);
    checkPixels(walked.picture.width, walked.picture.height);
  }
  if (name === "ANMF") {
    if (content.length < 24) throw damagedImage();
    chunks(content, 16, walked);
  }
  if (name === "EXIF") {
    const tiff = ascii(content, 0, 4) === "Exif" ? content.subarray(6) : content;
    walked.orientation = exifOrientation(tiff);
  }
}

function triple(bytes: Uint8Array, at: number): number {
  if (at + 3 > bytes.length) throw damagedImage();
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}

function lossy(content: Uint8Array): { width: number; height: number } {
  const size = pictureSize(content);
  if (!size) throw damagedImage();
  return size;
}

/** The still picture is a key frame of the video codec, whose refusals speak of videos. */
function pictureSize(content: Uint8Array): { width: number; height: number } | null {
  try {
    return vp8Frame(content).size;
  } catch {
    return null;
  }
}

function lossless(content: Uint8Array): { width: number; height: number } {
  if (content.length < 6 || content[0] !== 0x2f) throw damagedImage();
  const bits = new DataView(content.buffer, content.byteOffset, content.byteLength).getUint32(1, true);
  if (bits >>> 29 !== 0) throw damagedImage();
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
