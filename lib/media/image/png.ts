// Checks a PNG: every checksum, the order of chunks, and that the pixel data inflates to exactly the expected size.
import { crc32 } from "node:zlib";
import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";
import { checkPixels, damagedImageError, type ImageCheckResult, truncatedImageError } from "./image-facts.ts";
import { iteratePngChunks, type Png, readPng } from "./png-chunks.ts";
import { countPngBytes, readPngRows } from "./png-rows.ts";

/** Bit depths by color type. */
const DEPTHS: Record<number, number[]> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] };
const CRITICAL = ["IHDR", "PLTE", "IDAT", "IEND"];

export async function checkPng(bytes: Uint8Array): Promise<ImageCheckResult> {
  if (bytes.length < 33) throw truncatedImageError();
  const png = readPng(bytes);
  const { width, height, orientation, frames } = png;
  checkHeader(bytes, png);
  const end = checkChunks(bytes, png);
  if (countPngBytes(png) > LIMITS.inflatedBytes)
    throw verificationError("too_many_pixels", "The image takes too much memory when decoded.");
  await readPngRows(png, () => undefined);
  return { facts: { width, height, orientation, frames }, end };
}

function checkHeader(bytes: Uint8Array, { width, height, depth, color }: Png): void {
  const [first] = iteratePngChunks(bytes);
  if (first?.name !== "IHDR" || first.length !== 13 || !DEPTHS[color]?.includes(depth)) throw damagedImageError();
  const [compression = 0, filter = 0, interlace = 0] = first.content.subarray(10);
  if (compression !== 0 || filter !== 0 || interlace > 1) throw damagedImageError();
  checkPixels(width, height);
}

/** Returns the byte offset after the last chunk. */
function checkChunks(bytes: Uint8Array, png: Png): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seen = new Set<string>();
  let last = "";
  let position = 8;
  for (const { name, content, length, start, end } of iteratePngChunks(bytes)) {
    if (!/^[A-Za-z]{4}$/.test(name)) throw damagedImageError();
    if (end > bytes.length) throw truncatedImageError();
    if (crc32(bytes.subarray(start + 4, end - 4)) !== view.getUint32(end - 4)) throw damagedImageError();
    const critical = name.charAt(0) === name.charAt(0).toUpperCase();
    if (critical && !CRITICAL.includes(name)) throw damagedImageError();
    if ((name === "IHDR") !== (start === 8)) throw damagedImageError();
    if (name === "IDAT" && seen.has(name) && last !== name) throw damagedImageError();
    if (name === "PLTE") {
      if (seen.has(name) || seen.has("IDAT") || png.color % 4 === 0) throw damagedImageError();
      if (length === 0 || length % 3 !== 0 || length > 768) throw damagedImageError();
    }
    if (name === "IEND" && content.length > 0) throw damagedImageError();
    seen.add(name);
    last = name;
    position = end;
  }
  if (last !== "IEND") throw truncatedImageError();
  if (!seen.has("IDAT") || (png.color === 3 && !seen.has("PLTE"))) throw damagedImageError();
  return position;
}
