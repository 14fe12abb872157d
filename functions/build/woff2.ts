// Reads the character map of a WOFF2 font: the code points that have glyphs.
import { brotliDecompressSync } from "node:zlib";

/** Numbers of the WOFF2 tables that are needed here. */
const CMAP = 0;
const GLYF = 10;
const LOCA = 11;
const CUSTOM_TAG = 63;
const HEADER_BYTES = 48;

/** Returns the code points in ascending order. */
export function readCharacters(woff2: Buffer): number[] {
  const cmap = extractTable(woff2, CMAP);
  const found = new Set<number>();
  for (let at = 0; at < cmap.readUInt16BE(2); at++) {
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + at * 8 + 4));
    const format = subtable.readUInt16BE(0);
    const list = format === 4 ? readSegments(subtable) : format === 12 ? readGroups(subtable) : [];
    for (const code of list) found.add(code);
  }
  return [...found].sort((a, b) => a - b);
}

function extractTable(woff2: Buffer, wanted: number): Buffer {
  if (woff2.toString("latin1", 0, 4) !== "wOF2") throw new Error("not a WOFF2 file");
  let at = HEADER_BYTES;
  let offset = 0;
  let range: { from: number; to: number } | null = null;
  const readBase128 = () => {
    let value = 0;
    for (;;) {
      const byte = woff2.readUInt8(at++);
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  for (let table = 0; table < woff2.readUInt16BE(12); table++) {
    const flags = woff2.readUInt8(at++);
    const number = flags & 63;
    const version = flags >> 6;
    if (number === CUSTOM_TAG) at += 4;
    const plain = readBase128();
    const transformed = number === GLYF || number === LOCA ? version !== 3 : version !== 0;
    const length = transformed ? readBase128() : plain;
    if (number === wanted) range = { from: offset, to: offset + length };
    offset += length;
  }
  if (!range) throw new Error("the font has no character map");
  const tables = brotliDecompressSync(woff2.subarray(at, at + woff2.readUInt32BE(20)));
  return tables.subarray(range.from, range.to);
}

/** Format 4: segments of the basic multilingual plane, each with a delta or a list of glyphs. */
function* readSegments(table: Buffer): Generator<number> {
  const count = table.readUInt16BE(6) / 2;
  const [ends, starts] = [14, 16 + count * 2];
  const [shifts, offsets] = [starts + count * 2, starts + count * 4];
  for (let segment = 0; segment < count; segment++) {
    const [start, end] = [table.readUInt16BE(starts + segment * 2), table.readUInt16BE(ends + segment * 2)];
    const shift = table.readUInt16BE(shifts + segment * 2);
    const offset = table.readUInt16BE(offsets + segment * 2);
    for (let code = start; code <= end && code < 0xffff; code++) {
      const listed = offset === 0 ? code : table.readUInt16BE(offsets + segment * 2 + offset + (code - start) * 2);
      if (listed !== 0 && ((listed + shift) & 0xffff) !== 0) yield code;
    }
  }
}

/** Format 12: ranges of all of Unicode. */
function* readGroups(table: Buffer): Generator<number> {
  for (let group = 0; group < table.readUInt32BE(12); group++) {
    const at = 16 + group * 12;
    for (let code = table.readUInt32BE(at); code <= table.readUInt32BE(at + 4); code++) yield code;
  }
}
