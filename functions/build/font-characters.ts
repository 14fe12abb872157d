import { create, type Font } from "fontkit";

/** The code points that have glyphs, in ascending order. */
export function readCharacters(woff2: Buffer): number[] {
  const font = create(woff2) as Font;
  // The set also has U+FFFF, which ends a character map.
  return font.characterSet.filter((code) => font.hasGlyphForCodePoint(code)).sort((a, b) => a - b);
}

/** The tables that fontkit parses and its types leave out: https://github.com/foliojs/fontkit, read 2026-11-28. */
interface Ligatures {
  lookupType: number;
  subTables: {
    coverage: { version: number; glyphs?: number[]; rangeRecords?: { start: number; end: number }[] };
    ligatureSets: { toArray(): { components: number[] }[][] };
  }[];
}

const LIGATURES = 4;

/** The sequences of characters that the font joins to one picture. */
export function readSequences(woff2: Buffer): string[] {
  const font = create(woff2) as Font & { GSUB?: { lookupList: { toArray(): Ligatures[] } } };
  const characters = new Map(font.characterSet.map((code) => [font.glyphForCodePoint(code).id, code]));
  const tables = (font.GSUB?.lookupList.toArray() ?? []).filter(({ lookupType }) => lookupType === LIGATURES);
  const sequences = tables.flatMap(({ subTables }) =>
    subTables.flatMap(({ coverage, ligatureSets }) => {
      const ranges = coverage.rangeRecords ?? [];
      const first =
        coverage.glyphs ??
        ranges.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, at) => start + at));
      return ligatureSets.toArray().flatMap((set, at) => set.map(({ components }) => [first[at] ?? 0, ...components]));
    }),
  );
  const toText = (glyphs: number[]) => String.fromCodePoint(...glyphs.map((glyph) => characters.get(glyph) ?? 0));
  return [...new Set(sequences.map(toText))].sort();
}
