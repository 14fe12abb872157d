// Index of the characters in each font file: written at build time, read by the rendering Worker.

export interface FontFile {
  name: string;
  /** Ascending code points. */
  characters: number[];
}

export interface FontFamily {
  family: string;
  files: FontFile[];
  /** Of emoji: characters that are one picture together, with the variation selectors that the font expects. */
  sequences?: string[];
}

/** `ranges` of a file: gap to the previous range and length, both in base 36. */
type PackedIndex = { family: string; files: { name: string; ranges: string }[]; sequences?: string[] }[];

export function writeFontIndex(families: FontFamily[]): string {
  const packed: PackedIndex = families.map(({ family, files, sequences }) => ({
    family,
    ...(sequences ? { sequences } : {}),
    files: files.map(({ name, characters }) => ({ name, ranges: packRanges(characters) })),
  }));
  return JSON.stringify(packed);
}

/** A font file and the character ranges that it covers. */
export interface FontFace {
  family: string;
  file: string;
  ranges: [number, number][];
}

export interface FontIndex {
  /** All families. */
  families: string[];
  /** The first file of the family that contains all of these characters, or null. */
  findFace(family: string, ...characters: number[]): FontFace | null;
  /** These characters with the variation selectors by which a font joins them to one picture, or null if none does. */
  findSequence(characters: string): string | null;
}

export function readFontIndex(json: string): FontIndex {
  const packed = JSON.parse(json) as PackedIndex;
  const families = new Map(packed.map(({ family, files }) => [family, createFaceLookup(family, files)]));
  const sequences = new Map(
    packed.flatMap((family) => (family.sequences ?? []).map((sequence) => [removeSelectors(sequence), sequence])),
  );
  return {
    families: [...families.keys()],
    findFace(family, first = 0, ...others) {
      const listFaces = families.get(family) ?? (() => []);
      return listFaces(first).find((face) => others.every((other) => listFaces(other).includes(face))) ?? null;
    },
    findSequence: (characters) => sequences.get(removeSelectors(characters)) ?? null,
  };
}

/** Variation selectors, which writers leave out or add, tell a picture from a sign of the text. */
function removeSelectors(characters: string): string {
  return characters.replace(/[\ufe0e\ufe0f]/g, "");
}

/** Binary search in one sorted list of ranges per family. Returns the files that contain a character, in their order. */
function createFaceLookup(family: string, files: PackedIndex[number]["files"]): (character: number) => FontFace[] {
  const faces = files.map(({ name, ranges }): FontFace => ({ family, file: name, ranges: unpackRanges(ranges) }));
  const entries = faces.flatMap((face, rank) => face.ranges.map(([from, to]) => ({ from, to, face, rank })));
  entries.sort((a, b) => a.from - b.from || a.rank - b.rank);
  const widest = Math.max(...entries.map(({ from, to }) => to - from));
  return (character) => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle]?.from ?? 0) <= character) low = middle + 1;
      else high = middle;
    }
    const found: typeof entries = [];
    for (let at = low - 1; at >= 0; at--) {
      const entry = entries[at];
      if (!entry || entry.from + widest < character) break;
      if (entry.to >= character) found.push(entry);
    }
    return found.sort((a, b) => a.rank - b.rank).map(({ face }) => face);
  };
}

function packRanges(characters: number[]): string {
  const ranges: string[] = [];
  let end = -1;
  for (let at = 0; at < characters.length; ) {
    const from = characters[at] ?? 0;
    let length = 1;
    while (characters[at + length] === from + length) length += 1;
    ranges.push(`${(from - end - 1).toString(36)}${length > 1 ? `:${length.toString(36)}` : ""}`);
    end = from + length - 1;
    at += length;
  }
  return ranges.join(",");
}

function unpackRanges(packed: string): [number, number][] {
  let end = -1;
  return packed.split(",").map((range) => {
    const [gap = "0", length = "1"] = range.split(":");
    const from = end + 1 + Number.parseInt(gap, 36);
    end = from + Number.parseInt(length, 36) - 1;
    return [from, end];
  });
}
