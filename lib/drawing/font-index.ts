// Which font file has which characters: written when the fonts are laid out, read where slides are drawn.

export interface FontFile {
  name: string;
  /** Ascending code points. */
  characters: number[];
}

export interface FontFamily {
  family: string;
  files: FontFile[];
}

/** Ranges of one file: gap to the range before and length, both in base 36. */
type Packed = { family: string; files: { name: string; ranges: string }[] }[];

export function writeIndex(families: FontFamily[]): string {
  const packed: Packed = families.map(({ family, files }) => ({
    family,
    files: files.map(({ name, characters }) => ({ name, ranges: pack(characters) })),
  }));
  return JSON.stringify(packed);
}

/** A file as it is registered, and the ranges that it serves. */
export interface Face {
  family: string;
  file: string;
  ranges: [number, number][];
}

export interface FaceIndex {
  /** The families that there are. */
  families: string[];
  /** The file of a family that has this character. */
  find(family: string, character: number): Face | null;
}

export function readIndex(json: string): FaceIndex {
  const families = new Map((JSON.parse(json) as Packed).map(({ family, files }) => [family, lookup(family, files)]));
  return {
    families: [...families.keys()],
    find: (family, character) => families.get(family)?.(character) ?? null,
  };
}

/** One sorted list of ranges per family, searched by halves. Where files overlap, the earlier one serves. */
function lookup(family: string, files: Packed[number]["files"]): (character: number) => Face | null {
  const faces = files.map(({ name, ranges }): Face => ({ family, file: name, ranges: unpack(ranges) }));
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
    let best: (typeof entries)[number] | null = null;
    for (let at = low - 1; at >= 0; at--) {
      const entry = entries[at];
      if (!entry || entry.from + widest < character) break;
      if (entry.to >= character && (!best || entry.rank < best.rank)) best = entry;
    }
    return best?.face ?? null;
  };
}

function pack(characters: number[]): string {
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

function unpack(packed: string): [number, number][] {
  let end = -1;
  return packed.split(",").map((range) => {
    const [gap = "0", length = "1"] = range.split(":");
    const from = end + 1 + Number.parseInt(gap, 36);
    end = from + Number.parseInt(length, 36) - 1;
    return [from, end];
  });
}
