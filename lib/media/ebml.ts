// EBML, which WebM is written in: the header of an element, and the numbers inside elements.
import { refuse } from "./refusal.ts";

export interface Element {
  id: number;
  /** Where its content begins. */
  content: number;
  /** Infinity when the writer did not know it. */
  end: number;
}

/** Longer is no header. */
export const HEADER_BYTES = 12;

/** The element that `bytes` begin with, which lie at `start`; null where they end before its header does. */
export function elementAt(bytes: Uint8Array, start: number): Element | null {
  const idLength = width(bytes[0]);
  const sizeLength = width(bytes[idLength]);
  if (bytes.length < idLength + sizeLength) return null;
  if (idLength > 4 || sizeLength > 8) throw damaged();
  let id = 0;
  for (let i = 0; i < idLength; i++) id = id * 256 + (bytes[i] ?? 0);
  const content = start + idLength + sizeLength;
  const size = sizeOf(bytes, idLength, sizeLength);
  return { id, content, end: size === null ? Number.POSITIVE_INFINITY : content + size };
}

/** Null for the size that stands for "not known". */
function sizeOf(bytes: Uint8Array, at: number, length: number): number | null {
  let size = (bytes[at] ?? 0) & (255 >> length);
  let unknown = size === 255 >> length;
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    unknown = unknown && byte === 255;
    size = size * 256 + byte;
  }
  return unknown ? null : size;
}

function width(first: number | undefined): number {
  return first === undefined || first === 0 ? 9 : Math.clz32(first) - 23;
}

/** The elements inside a piece of memory, each with its content. */
export function* children(bytes: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  let position = 0;
  while (position < bytes.length) {
    const at = elementAt(bytes.subarray(position, position + HEADER_BYTES), position);
    if (!at || at.end > bytes.length) throw damaged();
    yield { id: at.id, content: bytes.subarray(at.content, at.end) };
    position = at.end;
  }
}

export function unsigned(content: Uint8Array): number {
  if (content.length > 8) throw damaged();
  return content.reduce((value, byte) => value * 256 + byte, 0);
}

export function float(content: Uint8Array): number {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length === 0) return 0;
  if (content.length === 4) return view.getFloat32(0);
  if (content.length === 8) return view.getFloat64(0);
  throw damaged();
}

/** The track number that a block begins with, and how many bytes it takes. */
export function trackNumber(block: Uint8Array): { track: number; bytes: number } {
  const bytes = width(block[0]);
  const track = bytes > 8 || block.length < bytes ? null : sizeOf(block, 0, bytes);
  if (track === null) throw damaged();
  return { track, bytes };
}

export function cut(): Error {
  return refuse("truncated", "The video is incomplete: the file ends in the middle of it.");
}

export function damaged(): Error {
  return refuse("malformed", "The video is damaged: its parts do not follow each other.");
}
