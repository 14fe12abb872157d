// EBML, the binary format of WebM: element headers, and the numbers inside elements.
import { verificationError } from "../verification-error.ts";

export interface Element {
  id: number;
  /** Byte offset at which its content begins. */
  content: number;
  /** Infinity when the file does not state its size. */
  end: number;
}

/** The most bytes that an element header can take: 4 for the id, 8 for the size. */
export const MAX_HEADER_BYTES = 12;

/** Parses the element at the beginning of `bytes`, which lie at offset `start`. Null when its header is incomplete. */
export function parseElementHeader(bytes: Uint8Array, start: number): Element | null {
  const idLength = getVintLength(bytes[0]);
  const sizeLength = getVintLength(bytes[idLength]);
  if (bytes.length < idLength + sizeLength) return null;
  if (idLength > 4 || sizeLength > 8) throw damagedVideoError();
  let id = 0;
  for (let i = 0; i < idLength; i++) id = id * 256 + (bytes[i] ?? 0);
  const content = start + idLength + sizeLength;
  const size = readSize(bytes, idLength, sizeLength);
  return { id, content, end: size === null ? Number.POSITIVE_INFINITY : content + size };
}

/** Null for the reserved size that means "unknown". */
function readSize(bytes: Uint8Array, at: number, length: number): number | null {
  let size = (bytes[at] ?? 0) & (255 >> length);
  let unknown = size === 255 >> length;
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    unknown = unknown && byte === 255;
    size = size * 256 + byte;
  }
  return unknown ? null : size;
}

function getVintLength(first: number | undefined): number {
  return first === undefined || first === 0 ? 9 : Math.clz32(first) - 23;
}

/** The elements in `bytes`, each with its content. */
export function* iterateChildren(bytes: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  let position = 0;
  while (position < bytes.length) {
    const at = parseElementHeader(bytes.subarray(position, position + MAX_HEADER_BYTES), position);
    if (!at || at.end > bytes.length) throw damagedVideoError();
    yield { id: at.id, content: bytes.subarray(at.content, at.end) };
    position = at.end;
  }
}

export function readUnsigned(content: Uint8Array): number {
  if (content.length > 8) throw damagedVideoError();
  return content.reduce((value, byte) => value * 256 + byte, 0);
}

export function readFloat(content: Uint8Array): number {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length === 0) return 0;
  if (content.length === 4) return view.getFloat32(0);
  if (content.length === 8) return view.getFloat64(0);
  throw damagedVideoError();
}

/** The track number at the beginning of a block, and how many bytes it takes. */
export function readTrackNumber(block: Uint8Array): { track: number; bytes: number } {
  const bytes = getVintLength(block[0]);
  const track = bytes > 8 || block.length < bytes ? null : readSize(block, 0, bytes);
  if (track === null) throw damagedVideoError();
  return { track, bytes };
}

export function truncatedVideoError(): Error {
  return verificationError("truncated", "The video is incomplete: the file ends before its last part.");
}

export function damagedVideoError(): Error {
  return verificationError("malformed", "The video is damaged: its parts are out of order or corrupt.");
}
