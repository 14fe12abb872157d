// Walks the top level of an MP4 or QuickTime file: every box must lie inside the file, and the index must be there.
import { LIMITS } from "./limits.ts";
import { type Movie, readMovie } from "./movie.ts";
import { pages } from "./pages.ts";
import { refuse } from "./refusal.ts";
import type { MediaSource } from "./source.ts";

const TOP_LEVEL = [
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

export interface Box {
  name: string;
  start: number;
  content: number;
  end: number;
}

export interface Indexed {
  movie: Movie;
  /** What the demuxer needs to know of the streams: the pieces of a file that has an index and nothing else. */
  head: Uint8Array[];
  /** Where the walk ended: behind the last box, or behind the index of a file that goes on in fragments. */
  end: number;
}

/** Refuses a file whose boxes or tables point outside of it. Fragments are left to the pass over the whole file. */
export async function findMovie(source: MediaSource): Promise<Indexed> {
  const read = pages(source, LIMITS.hopPage);
  const head: Uint8Array[] = [];
  let found: Pick<Indexed, "movie"> | null = null;
  let media = false;
  let position = 0;
  for (let count = 0; position < source.size; count++) {
    if (count > LIMITS.topLevelBoxes) throw tooManyBoxes();
    const box = topLevelBox(await read(position, 16), position, source.size, found !== null && media);
    if (!box) break;
    if (box.name === "moof") throw damagedOrder();
    if (box.name === "mdat") media = true;
    if (box.name === "ftyp" && position === 0)
      head.push((await contentOf(read, { ...box, content: 0 }, LIMITS.hopPage)).slice());
    if (box.name === "moov") {
      // Players would differ in which of two indexes they follow.
      if (found) throw damagedOrder();
      const bytes = await contentOf(source.read, { ...box, content: box.start }, LIMITS.indexBytes);
      head.push(bytes);
      found = { movie: readMovie(bytes.subarray(box.content - box.start), source.size) };
      if (found.movie.fragments) return { ...found, head, end: box.end };
    }
    position = box.end;
  }
  if (!found) throw refuse("truncated", "The video has no index (moov), so it cannot be played; it may be incomplete.");
  return { ...found, head, end: position };
}

export async function contentOf(
  read: (offset: number, length: number) => Promise<Uint8Array>,
  box: Box,
  most: number,
): Promise<Uint8Array> {
  const length = box.end - box.content;
  if (length > most) throw refuse("too_complex", "The index of the video is too large to check.");
  return await read(box.content, length);
}

/** Null where only a trailer that is no box is left, as some cameras append; before that, it is damage. */
export function topLevelBox(header: Uint8Array, start: number, fileSize: number, complete: boolean): Box | null {
  const box = header.length >= 8 ? boxAt(header, start, fileSize) : null;
  const known = box !== null && TOP_LEVEL.includes(box.name);
  if (box && box.end <= fileSize) return box;
  if (box && known) throw refuse("truncated", `The video ends in the middle of its '${box.name}' part.`);
  if (complete) return null;
  throw damagedOrder();
}

export function tooManyBoxes(): Error {
  return refuse("too_complex", "The video is split into too many pieces to check.");
}

export function damagedOrder(): Error {
  return refuse("malformed", "The video is damaged: its parts do not follow each other.");
}

function boxAt(header: Uint8Array, start: number, fileSize: number): Box | null {
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
