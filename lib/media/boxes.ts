// Walks the top level of an MP4 or QuickTime file: every box must lie inside the file, and the index must be there.
import { checkFragment, type RunDefaults } from "./fragments.ts";
import { LIMITS } from "./limits.ts";
import { checkMovie, type Movie } from "./movie.ts";
import { refuse } from "./refusal.ts";
import { type MediaSource, pages } from "./source.ts";

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

interface Box {
  name: string;
  start: number;
  content: number;
  end: number;
}

/** Refuses a file whose boxes or tables point outside of it; the answer is what the index says. */
export async function checkBoxes(source: MediaSource): Promise<Movie> {
  const read = pages(source, LIMITS.hopPage);
  const seen = new Set<string>();
  const defaults: RunDefaults = { sizes: new Map(), samples: 0 };
  let movie: Movie | null = null;
  let last: Box | null = null;
  let position = 0;
  for (let count = 0; position < source.size; count++) {
    if (count > LIMITS.topLevelBoxes) throw refuse("too_complex", "The video is split into too many pieces to check.");
    const box = topLevelBox(await read(position, 16), position, source.size, movie !== null && seen.has("media"));
    if (!box) break;
    if (box.name === "mdat" || box.name === "moof") seen.add("media");
    if (box.name === "moov" && !movie) movie = checkMovie(await contentOf(source.read, box), source.size, defaults);
    if (box.name === "moof") checkFragment(await contentOf(read, box), box.start, source.size, defaults);
    last = box;
    position = box.end;
  }
  if (!movie) throw refuse("truncated", "The video has no index (moov), so it cannot be played; it may be incomplete.");
  const indexed = [...movie.samples.values()].some((count) => count > 0);
  // Players and our demuxer see either the index or the fragments, so the facts about such a file would be wrong.
  if (indexed && defaults.samples > 0) {
    throw refuse("unsupported_layout", "The video mixes an index with fragments; please export it as a plain MP4.");
  }
  return { ...movie, seekTable: movie.fragmented ? await seekTable(read, source.size, last) : null };
}

/** The last word of a fragmented file may lead to a table for seeking, which must then be the last box. */
async function seekTable(read: MediaSource["read"], fileSize: number, last: Box | null): Promise<number | null> {
  const word = await read(fileSize - 4, 4);
  const at = fileSize - new DataView(word.buffer, word.byteOffset, 4).getUint32(0);
  if (at < 0 || at + 16 > fileSize) return null;
  const header = boxAt(await read(at, 16), at, fileSize);
  if (header?.name !== "mfra") return null;
  if (last?.start !== at) throw refuse("malformed", "The video is damaged: its parts do not follow each other.");
  return at;
}

async function contentOf(read: MediaSource["read"], box: Box): Promise<Uint8Array> {
  const length = box.end - box.content;
  if (length > LIMITS.indexBytes) throw refuse("too_complex", "The index of the video is too large to check.");
  return await read(box.content, length);
}

/** Null where only a trailer that is no box is left, as some cameras append; before that, it is damage. */
function topLevelBox(header: Uint8Array, start: number, fileSize: number, complete: boolean): Box | null {
  const box = header.length >= 8 ? boxAt(header, start, fileSize) : null;
  const known = box !== null && TOP_LEVEL.includes(box.name);
  if (box && box.end <= fileSize) return box;
  if (box && known) throw refuse("truncated", `The video ends in the middle of its '${box.name}' part.`);
  if (complete) return null;
  throw refuse("malformed", "The video is damaged: its parts do not follow each other.");
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
