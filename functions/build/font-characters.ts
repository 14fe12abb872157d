import { create, type Font } from "fontkit";

/** The code points that have glyphs, in ascending order. */
export function readCharacters(woff2: Buffer): number[] {
  const font = create(woff2) as Font;
  // The set also has U+FFFF, which ends a character map.
  return font.characterSet.filter((code) => font.hasGlyphForCodePoint(code)).sort((a, b) => a - b);
}
