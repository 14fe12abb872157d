// Walks a WebP file chunk by chunk to its end, and decodes its frames up to a memory limit.

import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";
import { checkZeroRuns, getMaxZeroRun } from "../video/nal.ts";
import { parseVp8Frame } from "../video/vp8.ts";
import { checkPixels, damagedImageError, type ImageCheckResult, truncatedImageError } from "./image-facts.ts";
import {
  iterateWebpChunks,
  readUint24,
  readWebpOrientation,
  readWebpSize,
  type Size,
  type WebpChunk,
} from "./webp-chunks.ts";
import { type DecodeWebp, openWebpDecoder } from "./webp-decoder.ts";

interface WebpFrame extends Size {
  /** The alpha chunk of a lossy frame. */
  alpha: Uint8Array | null;
  name: string;
  content: Uint8Array;
}

interface WebpFrames {
  /** The alpha chunk of the next frame. */
  alpha: Uint8Array | null;
  frames: WebpFrame[];
}

interface WebpContents extends WebpFrames {
  canvas: Size | null;
  orientation: number;
}

export async function checkWebp(bytes: Uint8Array): Promise<ImageCheckResult> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20) throw truncatedImageError();
  const end = 8 + view.getUint32(4, true);
  if (end > bytes.length) throw truncatedImageError();
  const contents: WebpContents = { canvas: null, alpha: null, frames: [], orientation: 1 };
  for (const chunk of iterateWebpChunks(bytes.subarray(0, end), 12)) readTopChunk(chunk, contents);
  const { canvas, frames, orientation } = contents;
  const [first] = frames;
  if (!first) throw damagedImageError();
  const { width, height } = canvas ?? first;
  checkPixels(width, height);
  const pixels = frames.reduce((sum, frame) => sum + frame.width * frame.height, 0);
  if (pixels > LIMITS.animationPixels)
    throw verificationError("too_many_pixels", "The animation has too many pixels to check.");
  await decodeFrames(frames);
  return { facts: { width, height, orientation, frames: frames.length }, end };
}

async function decodeFrames(frames: WebpFrame[]): Promise<void> {
  let decode: DecodeWebp | null = null;
  let decoded = 0;
  for (const frame of frames) {
    const area = frame.width * frame.height;
    decoded += area;
    if (area > LIMITS.decodedPixels || decoded > LIMITS.animationDecoded) return;
    decode ??= await openWebpDecoder();
    const size = decode(buildSingleFrameFile(frame));
    if (size?.width !== frame.width || size.height !== frame.height) throw damagedImageError();
  }
}

/** A still image is a top-level chunk; the frames of an animation are nested in ANMF chunks. */
function readTopChunk(chunk: WebpChunk, contents: WebpContents): void {
  const { name, content } = checkChunk(chunk);
  if (name === "VP8X") contents.canvas = readWebpSize(name, content);
  if (name === "ANMF") contents.frames.push(readAnimationFrame(content, contents.canvas));
  if (name === "EXIF") contents.orientation = readWebpOrientation(content);
  readFrameChunk(chunk, contents);
}

function checkChunk(chunk: WebpChunk): WebpChunk {
  if (!/^[\x20-\x7e]{4}$/.test(chunk.name) || chunk.content.length !== chunk.length) throw damagedImageError();
  return chunk;
}

function readFrameChunk(chunk: WebpChunk, contents: WebpFrames): void {
  const { name, content } = checkChunk(chunk);
  if (name === "ALPH") contents.alpha = content;
  const size = name === "VP8 " || name === "VP8L" ? readWebpSize(name, content) : null;
  if (!size) return;
  if (name === "VP8 ") checkVp8Frame(content, size);
  else if (content.length < 6 || content[0] !== 0x2f || (content[4] ?? 0) >> 5 !== 0) throw damagedImageError();
  checkPixels(size.width, size.height);
  contents.frames.push({ ...size, name, content, alpha: name === "VP8 " ? contents.alpha : null });
}

function readAnimationFrame(content: Uint8Array, canvas: Size | null): WebpFrame {
  if (content.length < 24) throw damagedImageError();
  const contents: WebpFrames = { alpha: null, frames: [] };
  for (const chunk of iterateWebpChunks(content, 16)) readFrameChunk(chunk, contents);
  const [frame] = contents.frames;
  const [left, top] = [readUint24(content, 0) * 2, readUint24(content, 3) * 2];
  if (frame?.width !== readUint24(content, 6) + 1 || frame.height !== readUint24(content, 9) + 1)
    throw damagedImageError();
  if (!canvas || left + frame.width > canvas.width || top + frame.height > canvas.height) throw damagedImageError();
  return frame;
}

/** Wraps one frame in a WebP file. */
function buildSingleFrameFile({ width, height, alpha, name, content }: WebpFrame): Uint8Array {
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

/** A lossy frame is a VP8 key frame. The messages of the VP8 parser are about videos, so its errors are replaced. */
function checkVp8Frame(content: Uint8Array, { width, height }: Size): void {
  try {
    if (!parseVp8Frame(content, content.length).key) throw damagedImageError();
    checkZeroRuns(content, getMaxZeroRun(width, height));
  } catch {
    throw damagedImageError();
  }
}
