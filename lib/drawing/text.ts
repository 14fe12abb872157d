// Makes texts ready to be drawn: cleaned of what is not seen, and with the font files that have every character of them.
import type { Face, FaceIndex } from "./font-index.ts";

export interface Typeset {
  /** In the order that they were given. */
  texts: string[];
  /** Preferred families first. */
  families: string[];
  faces: Face[];
  /** Which forms of Han characters are meant. */
  language: "en" | "ja" | "ko" | "zh-Hans";
  /** What no font has; nothing may be drawn then, or it shows boxes. */
  missing: string[];
}

const LATIN = "Inter";
const EMOJI = "Twemoji";
const JAPANESE = "Noto Sans JP";
const KOREAN = "Noto Sans KR";
const CHINESE = "Noto Sans SC";
const SYMBOLS = ["Noto Sans Symbols", "Noto Sans Symbols 2"];

/** Japanese and Korean write Han characters in forms of their own; kana or hangul beside them tell. */
const HAN = {
  ja: [JAPANESE, CHINESE, KOREAN],
  ko: [KOREAN, CHINESE, JAPANESE],
  "zh-Hans": [CHINESE, JAPANESE, KOREAN],
};

const SHOWN_AS_EMOJI = /\p{Emoji_Presentation}|\p{Regional_Indicator}|\uFE0F|\u20E3/u;
/** A byte order mark counts as a space otherwise. */
const BLANK = /^[^\S\uFEFF]+$/u;
const TEXT_STYLE = /\uFE0E/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;
const UNSEEN_BUT_NEW_LINE = /[^\n\P{Cc}]/gu;
/** They shape an emoji without being drawn, so no font needs to have them. */
const SHAPES_EMOJI = /\p{Default_Ignorable_Code_Point}|\u20E3/u;

export function typeset(texts: string[], index: FaceIndex): Typeset {
  const all = texts.join("\n");
  const language = languageOf(all);
  const families = [LATIN, ...HAN[language === "en" ? "zh-Hans" : language], ...SYMBOLS, EMOJI];
  const faces = new Map<string, Face>();
  const missing = new Set<string>();
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

  const facesFor = (text: string, from: string[]): Face[] | null => {
    const found = [...text].map((character) => faceOf(index, from, character.codePointAt(0) ?? 0));
    return found.every((face) => face !== null) ? found : null;
  };
  const take = (text: string, from: string[]): string | null => {
    const found = facesFor(text, from);
    for (const face of found ?? []) faces.set(face.file, face);
    return found && text;
  };
  const drawable = (grapheme: string): string => {
    if (grapheme === "\n") return grapheme;
    if (BLANK.test(grapheme)) return take(grapheme, families) ?? " ";
    if (SHOWN_AS_EMOJI.test(grapheme) && !TEXT_STYLE.test(grapheme)) {
      const bones = [...grapheme].filter((character) => !SHAPES_EMOJI.test(character)).join("");
      if (take(bones, [EMOJI]) !== null) return grapheme;
    }
    const seen = grapheme.replace(UNSEEN, "");
    // Styled letters of other alphabets, such as mathematical bold, fall back to the plain ones.
    const drawn = take(seen, families) ?? take(seen.normalize("NFKC"), families);
    if (drawn === null) missing.add(grapheme);
    return drawn ?? "";
  };

  const clean = texts.map((text) =>
    [...segmenter.segment(tidy(text))].map(({ segment }) => drawable(segment)).join(""),
  );
  const used = new Set([...faces.values()].map(({ family }) => family));
  return {
    texts: clean,
    families: families.filter((family) => used.has(family) || family === LATIN),
    faces: [...faces.values()].sort((a, b) => (a.file < b.file ? -1 : 1)),
    language,
    missing: [...missing],
  };
}

function tidy(text: string): string {
  const lines = text.normalize("NFC").replace(/\r\n?|[\u2028\u2029]/g, "\n");
  return lines.replace(/\t/g, " ").replace(UNSEEN_BUT_NEW_LINE, "").trim();
}

function languageOf(text: string): Typeset["language"] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja";
  if (/\p{Script=Hangul}/u.test(text)) return "ko";
  return /\p{Script=Han}/u.test(text) ? "zh-Hans" : "en";
}

function faceOf(index: FaceIndex, families: string[], character: number): Face | null {
  for (const family of families) {
    const face = index.find(family, character);
    if (face) return face;
  }
  return null;
}
