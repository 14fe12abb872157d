// Walks the top level of an MP4 or QuickTime file: every box must lie inside the file, and the index (moov) must exist.

import { LIMITS } from "../limits.ts";
import type { MediaSource } from "../media-source.ts";
import { createPageCache } from "../page-cache.ts";
import { verificationError } from "../verification-error.ts";
import { type Movie, readMovie } from "./mp4-moov.ts";

const TOP_LEVEL_BOXES = [
  "ftyp",
  "styp",
  "moov",
  "mdat",
  "moof",
  "mfra",
  "sidx",
  "ssix",
  "prft",
  "emsg",
  "free",
  "skip",
  "wide",
  "udta",
  "meta",
  "uuid",
  "pnot",
  "pdin",
];

/** The file type of a QuickTime file that has none, as those from before the `ftyp` box. */
const QUICKTIME_FILE_TYPE = new TextEncoder().encode("\0\0\0\u0014ftypqt  \0\0\0\0qt  ");

export interface Box {
  name: string;
  start: number;
  content: number;
  end: number;
}

export interface IndexedFile {
  movie: Movie;
  /**
   * The parts that the demuxer needs to describe the streams: the file type, which it requires at the start, and the index.
   * Without media data, so that offsets in the index are those of the file only.
   */
  head: Uint8Array[];
  /** Byte offset after the last box, or after the index of a fragmented file. */
  end: number;
}

/** Rejects a file whose boxes or tables point outside of it. Fragments are checked later, when the file is streamed. */
export async function readMovieIndex(source: MediaSource): Promise<IndexedFile> {
  const read = createPageCache(source, LIMITS.pageBytes);
  let fileType: Uint8Array | null = null;
  let index: { movie: Movie; bytes: Uint8Array } | null = null;
  let media = false;
  let position = 0;
  for (let count = 0; position < source.size; count++) {
    if (count > LIMITS.topLevelBoxes) throw tooManyBoxesError();
    const box = parseTopLevelBox(await read(position, 16), position, source.size, index !== null && media);
    if (!box) break;
    if (box.name === "moof") throw damagedStructureError();
    if (box.name === "mdat") media = true;
    if (box.name === "ftyp")
      fileType ??= (await readBoxContent(read, { ...box, content: box.start }, LIMITS.pageBytes)).slice();
    if (box.name === "moov") {
      // With two indexes, players would disagree on which one to follow.
      if (index) throw damagedStructureError();
      const bytes = await readBoxContent(source.read, { ...box, content: box.start }, LIMITS.indexBytes);
      index = { movie: readMovie(bytes.subarray(box.content - box.start), source.size), bytes };
    }
    position = box.end;
    if (index?.movie.fragments) break;
  }
  if (!index)
    throw verificationError(
      "truncated",
      "The video has no index (moov), so it cannot be played; it may be incomplete.",
    );
  return { movie: index.movie, head: [fileType ?? QUICKTIME_FILE_TYPE, index.bytes], end: position };
}

export async function readBoxContent(
  read: (offset: number, length: number) => Promise<Uint8Array>,
  box: Box,
  maxBytes: number,
): Promise<Uint8Array> {
  const length = box.end - box.content;
  if (length > maxBytes) throw verificationError("too_complex", "The index of the video is too large to check.");
  return await read(box.content, length);
}

/** Null when only a trailer without boxes remains, as some cameras append. Throws when it appears before the end. */
export function parseTopLevelBox(header: Uint8Array, start: number, fileSize: number, complete: boolean): Box | null {
  const box = header.length >= 8 ? parseBoxHeader(header, start, fileSize) : null;
  const known = box !== null && TOP_LEVEL_BOXES.includes(box.name);
  if (box && box.end <= fileSize) return box;
  if (box && known) throw verificationError("truncated", `The video ends in the middle of its '${box.name}' part.`);
  if (complete) return null;
  throw damagedStructureError();
}

export function tooManyBoxesError(): Error {
  return verificationError("too_complex", "The video is split into too many parts to check.");
}

export function damagedStructureError(): Error {
  return verificationError("malformed", "The video is damaged: its parts are out of order or corrupt.");
}

function parseBoxHeader(header: Uint8Array, start: number, fileSize: number): Box | null {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const name = String.fromCharCode(...header.subarray(4, 8));
  if (!/^[\x20-\x7e\xa9]{4}$/.test(name)) return null;
  const size = view.getUint32(0);
  if (size === 0) return { name, start, content: start + 8, end: Math.max(fileSize, start + 8) };
  if (size !== 1) return size < 8 ? null : { name, start, content: start + 8, end: start + size };
  if (header.length < 16) return { name, start, content: start + 16, end: start + 16 };
  const large = Number(view.getBigUint64(8));
  return large < 16 ? null : { name, start, content: start + 16, end: start + large };
}
