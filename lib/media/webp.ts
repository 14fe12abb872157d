// Walks a WebP file chunk by chunk to its end, and decodes every picture in it whose pixels fit the memory.
import { exifOrientation } from "./exif.ts";
import { checkPixels, cutImage, damagedImage, type Walked } from "./image-facts.ts";
import { LIMITS } from "./limits.ts";
import { checkBlanks, zerosAtMost } from "./nal.ts";
import { refuse } from "./refusal.ts";
import { ascii } from "./sniff.ts";
import { vp8Frame } from "./vpx.ts";
import { type DecodeWebp, openWebp } from "./webp-decoder.ts";

interface Size {
  width: number;
  height: number;
}

interface Picture extends Size {
  /** Transparency of a lossy picture, which lies in a chunk of its own. */
  alpha: Uint8Array | null;
  name: string;
  content: Uint8Array;
}

interface Pictures {
  /** Of the picture that comes next. */
  alpha: Uint8Array | null;
  pictures: Picture[];
}

interface Found extends Pictures {
  canvas: Size | null;
  orientation: number;
}

export async function checkWebp(bytes: Uint8Array): Promise<Walked> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20) throw cutImage();
  const end = 8 + view.getUint32(4, true);
  if (end > bytes.length) throw cutImage();
  const found: Found = { canvas: null, alpha: null, pictures: [], orientation: 1 };
  chunks(bytes.subarray(0, end), 12, (name, content) => topChunk(name, content, found));
  const { canvas, pictures, orientation } = found;
  const [first] = pictures;
  if (!first) throw damagedImage();
  const { width, height } = canvas ?? first;
  checkPixels(width, height);
  const pixels = pictures.reduce((sum, picture) => sum + picture.width * picture.height, 0);
  if (pixels > LIMITS.animationPixels) throw refuse("too_many_pixels", "The animation has too many pixels to check.");
  await decodeAll(pictures);
  return { facts: { width, height, orientation, frames: pictures.length }, end };
}

async function decodeAll(pictures: Picture[]): Promise<void> {
  let decode: DecodeWebp | null = null;
  let decoded = 0;
  for (const picture of pictures) {
    const area = picture.width * picture.height;
    decoded += area;
    if (area > LIMITS.decodedPixels || decoded > LIMITS.animationDecoded) return;
    decode ??= await openWebp();
    const size = decode(fileOf(picture));
    if (size?.width !== picture.width || size.height !== picture.height) throw damagedImage();
  }
}

type Visit = (name: string, content: Uint8Array) => void;

function chunks(bytes: Uint8Array, start: number, visit: Visit): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = start;
  while (position < bytes.length) {
    if (position + 8 > bytes.length) throw damagedImage();
    const name = ascii(bytes, position, 4);
    const length = view.getUint32(position + 4, true);
    const content = bytes.subarray(position + 8, position + 8 + length);
    if (!/^[\x20-\x7e]{4}$/.test(name) || content.length !== length) throw damagedImage();
    visit(name, content);
    position += 8 + length + (length % 2);
  }
}

/** A still picture lies at the top, those of an animation lie in frames. */
function topChunk(name: string, content: Uint8Array, found: Found): void {
  if (name === "VP8X") found.canvas = { width: triple(content, 4) + 1, height: triple(content, 7) + 1 };
  if (name === "ANMF") found.pictures.push(frame(content, found.canvas));
  if (name === "EXIF") {
    const tiff = ascii(content, 0, 4) === "Exif" ? content.subarray(6) : content;
    found.orientation = exifOrientation(tiff);
  }
  pictureChunk(name, content, found);
}

function pictureChunk(name: string, content: Uint8Array, found: Pictures): void {
  if (name === "ALPH") found.alpha = content;
  if (name !== "VP8 " && name !== "VP8L") return;
  const size = name === "VP8 " ? lossy(content) : lossless(content);
  checkPixels(size.width, size.height);
  found.pictures.push({ ...size, name, content, alpha: name === "VP8 " ? found.alpha : null });
}

function frame(content: Uint8Array, canvas: Size | null): Picture {
  if (content.length < 24) throw damagedImage();
  const found: Pictures = { alpha: null, pictures: [] };
  chunks(content, 16, (name, inner) => pictureChunk(name, inner, found));
  const [picture] = found.pictures;
  const [left, top] = [triple(content, 0) * 2, triple(content, 3) * 2];
  if (picture?.width !== triple(content, 6) + 1 || picture.height !== triple(content, 9) + 1) throw damagedImage();
  if (!canvas || left + picture.width > canvas.width || top + picture.height > canvas.height) throw damagedImage();
  return picture;
}

/** A file of its own for one picture. */
function fileOf({ width, height, alpha, name, content }: Picture): Uint8Array {
  const parts: [string, Uint8Array][] = [[name, content]];
  if (alpha) {
    const head = new Uint8Array(10);
    const view = new DataView(head.buffer);
    view.setUint8(0, 0x10);
    view.setUint32(4, width - 1, true);
    view.setUint16(7, (height - 1) & 0xffff, true);
    view.setUint8(9, (height - 1) >> 16);
    parts.unshift(["VP8X", head], ["ALPH", alpha]);
  }
  const total = parts.reduce((sum, [, part]) => sum + 8 + part.length + (part.length % 2), 12);
  const file = new Uint8Array(total);
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode("RIFF....WEBP"));
  view.setUint32(4, total - 8, true);
  let at = 12;
  for (const [label, part] of parts) {
    file.set(new TextEncoder().encode(label), at);
    view.setUint32(at + 4, part.length, true);
    file.set(part, at + 8);
    at += 8 + part.length + (part.length % 2);
  }
  return file;
}

function triple(bytes: Uint8Array, at: number): number {
  if (at + 3 > bytes.length) throw damagedImage();
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}

function lossy(content: Uint8Array): Size {
  const size = pictureSize(content);
  if (!size) throw damagedImage();
  return size;
}

/** The still picture is a key frame of the video codec, whose refusals speak of videos. */
function pictureSize(content: Uint8Array): Size | null {
  try {
    const { size } = vp8Frame(content, content.length);
    if (size) checkBlanks(content, zerosAtMost(size.width, size.height));
    return size;
  } catch {
    return null;
  }
}

function lossless(content: Uint8Array): Size {
  if (content.length < 6 || content[0] !== 0x2f) throw damagedImage();
  const bits = new DataView(content.buffer, content.byteOffset, content.byteLength).getUint32(1, true);
  if (bits >>> 29 !== 0) throw damagedImage();
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
