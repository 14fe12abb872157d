// Prepares texts for rendering: removes invisible characters, and selects font files that have all the others.
import { cleanText } from "../shared/post-text.ts";
import type { FontFace, FontIndex } from "./font-index.ts";
import { splitGraphemes } from "./line-breaks.ts";

export interface FontSelection {
  /** In the order of the input. */
  texts: string[];
  /** Preferred families first. */
  families: string[];
  faces: FontFace[];
  /** Selects the regional forms of Han characters. */
  language: "en" | "ja" | "ko" | "zh-Hans" | "zh-Hant";
  /** Characters that no font has; rendering them would show boxes. */
  missing: string[];
}

const LATIN = "Inter";
const PHONETIC = "Noto Sans";
const EMOJI = "Twemoji";
const JAPANESE = "Noto Sans JP";
const KOREAN = "Noto Sans KR";
const SIMPLIFIED = "Noto Sans SC";
const TRADITIONAL = "Noto Sans TC";
const SYMBOLS = ["Noto Sans Symbols", "Noto Sans Symbols 2"];
/** Have what the others lack: letters with marks, rare punctuation and signs. */
const RARE = ["DejaVu Sans", "Noto Sans Math"];
/** Fonts that serve only the characters that none before them has. */
const FALLBACKS = [...SYMBOLS, ...RARE];
/** Each has the letters of one script. */
const SCRIPTS = [
  ...["Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Anek Bangla", "Noto Sans Tamil"],
  ...["Noto Sans Thai", "Noto Sans Georgian", "Noto Sans Armenian", "Noto Sans Ethiopic", "Noto Sans Gujarati"],
  ...["Noto Sans Gurmukhi", "Noto Sans Kannada", "Noto Sans Khmer", "Noto Sans Lao", "Noto Sans Malayalam"],
  ...["Noto Sans Myanmar", "Noto Sans Oriya", "Noto Sans Sinhala", "Noto Sans Telugu"],
];

/** Han characters have regional forms; kana, hangul or the characters that only one form of Chinese has tell them apart. */
const HAN = {
  en: [SIMPLIFIED, TRADITIONAL, JAPANESE, KOREAN],
  ja: [JAPANESE, TRADITIONAL, SIMPLIFIED, KOREAN],
  ko: [KOREAN, TRADITIONAL, SIMPLIFIED, JAPANESE],
  "zh-Hans": [SIMPLIFIED, TRADITIONAL, JAPANESE, KOREAN],
  "zh-Hant": [TRADITIONAL, SIMPLIFIED, JAPANESE, KOREAN],
};

/** Frequent characters in their traditional and their simplified form, in pairs. */
const CHINESE_PAIRS =
  "這这個个們们來来說说時时會会學学國国對对開开過过還还沒没從从經经點点樣样應应該该問问題题車车門门見见長长東东書书電电話话買买賣卖樂乐愛爱" +
  "為为無无與与萬万業业義义習习產产親亲隻只雙双發发變变歡欢氣气漢汉灣湾熱热獎奖環环現现畫画異异療疗盡尽監监礎础禮礼種种積积穩稳節节範范" +
  "簡简級级紅红純纯紙纸細细終终結结給给統统綠绿網网緊紧線线練练總总績绩織织繼继續续聯联聲声職职聽听腦脑膚肤臺台興兴舉举舊旧著着藝艺" +
  "藥药處处號号術术衛卫裝装裡里複复規规視视覺觉觀观計计訂订記记許许設设評评試试詩诗誰谁調调請请論论證证識识護护讀读讓让豐丰貓猫財财責责" +
  "費费資资質质趕赶跡迹輕轻輛辆轉转農农運运達达遊游遠远適适選选邊边鄉乡醫医釋释針针錢钱錯错鐘钟關关陽阳隊队階阶際际隨随險险難难雲云";
const [TRADITIONAL_ONLY, SIMPLIFIED_ONLY] = [0, 1].map(
  (offset) => new Set([...CHINESE_PAIRS].filter((_, at) => at % 2 === offset)),
);

const EMOJI_PRESENTATION = /\p{Emoji_Presentation}|\p{Regional_Indicator}|\uFE0F|\u20E3/u;
/** `\s` without the byte order mark. */
const WHITESPACE = /^[^\S\uFEFF]+$/u;
const TEXT_STYLE = /\uFE0E/u;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;
/** Zero-width joiner and non-joiner within words of scripts whose letters they shape. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Telugu}].*[\u200c\u200d]/u;
const JOINER = /[\u200c\u200d]/;
/** Pictures of several characters: joined emoji, flags and keycaps. Fonts that lack one draw its parts one after the other. */
const SEQUENCE = /\p{Extended_Pictographic}.*\u200D|^\p{Regional_Indicator}{2}$|\u20E3/u;
/** A text that was shortened inside of joined emoji ends with their joiner. */
const DANGLING_JOINERS = /\u200D[\u200D\uFE0F]*$/;
const REPEATED_JOINERS = /\u200D{2,}/g;
/** Symbols whose emoji are black on a transparent ground, so that they take the colour of the text. */
const TEXT_SYMBOLS = /^[©®™♠♣✔✖✴➕➖➗〰▪💲🟰]\uFE0F?$/u;
/** The characters of those that only the emoji font has. */
const PLAIN_SYMBOLS: Record<string, string> = { "➕": "+", "➖": "−", "➗": "÷", "💲": "$", "🟰": "=" };
/** Marks where a word may be broken, with a hyphen. */
const SOFT_HYPHEN = "\u00ad";
/** The currency sign of Unicode 17, which fonts lack, by its ISO 4217 code. */
const CURRENCY_CODES: Record<string, string> = { "\u20c1": "SAR" };
/** The lower case of the Turkish İ outside of Turkish, which looks like an i. */
const DOTTED_I = "i\u0307";
/** Modifiers of an emoji that are not rendered, so fonts may lack them. */
const EMOJI_MODIFIER = /\p{Default_Ignorable_Code_Point}|\u20E3/u;

export function selectFonts(texts: string[], index: FontIndex): FontSelection {
  const all = texts.join("\n");
  const language = detectLanguage(all);
  const textFamilies = [LATIN, PHONETIC, ...SCRIPTS, ...HAN[language], ...SYMBOLS];
  const families = [...textFamilies, EMOJI, ...RARE];
  const faces = new Map<string, FontFace>();
  const fallbackCharacters = new Map<string, Set<number>>();
  const missing = new Set<string>();

  /** Returns the text in the form that the fonts have, or null. One file has all characters of a grapheme, as the renderer requires. */
  const useFaces = (text: string, from: string[]): string | null => {
    const found = splitGraphemes(text).map((grapheme) => findGrapheme(index, from, grapheme));
    if (!found.every((one) => one !== null)) return null;
    for (const { face, characters } of found) {
      faces.set(face.file, face);
      if (FALLBACKS.includes(face.family)) addTo(fallbackCharacters, face.file, characters);
    }
    return found.map(({ characters }) => String.fromCodePoint(...characters)).join("");
  };
  const skipMissing = (grapheme: string): string => {
    missing.add(grapheme);
    return "";
  };
  const toSymbol = (grapheme: string): string | null => {
    const plain = grapheme.replace(INVISIBLE, "");
    return TEXT_SYMBOLS.test(grapheme) ? useFaces(PLAIN_SYMBOLS[plain] ?? plain, textFamilies) : null;
  };
  const toEmoji = (grapheme: string): string | null => {
    const emoji = grapheme.replace(DANGLING_JOINERS, "");
    const sequence = index.findSequence(emoji);
    const isEmoji = sequence !== null || (EMOJI_PRESENTATION.test(emoji) && !TEXT_STYLE.test(emoji));
    if (!isEmoji) return null;
    if (sequence === null && SEQUENCE.test(emoji)) return skipMissing(grapheme);
    const visible = [...emoji].filter((character) => !EMOJI_MODIFIER.test(character)).join("");
    return useFaces(visible, [EMOJI]) === null ? null : (sequence ?? emoji);
  };
  const toLetters = (grapheme: string): string | null => {
    const visible = grapheme.replace(INVISIBLE, "");
    // Joiners select the forms of letters.
    if (JOINED.test(grapheme) && useFaces(visible, families) !== null)
      return grapheme.replace(INVISIBLE, (one) => (JOINER.test(one) ? one : ""));
    // Styled letters, such as mathematical bold, fall back to plain ones.
    return (
      useFaces(visible, families) ??
      useFaces(visible.normalize("NFKC"), families) ??
      useFaces(CURRENCY_CODES[visible] ?? "\u{10ffff}", families)
    );
  };
  const toRenderable = (grapheme: string): string => {
    if (grapheme === "\n") return grapheme;
    if (WHITESPACE.test(grapheme)) return useFaces(grapheme, families) ?? " ";
    if (grapheme === SOFT_HYPHEN) return useFaces("-", families) === null ? "" : grapheme;
    return toSymbol(grapheme) ?? toEmoji(grapheme) ?? toLetters(grapheme) ?? skipMissing(grapheme);
  };

  const clean = texts.map((text) => splitGraphemes(normalizeText(text)).map(toRenderable).join(""));
  const used = new Set([...faces.values()].map(({ family }) => family));
  return {
    texts: clean,
    families: families.filter((family) => used.has(family) || family === LATIN),
    faces: [...faces.values()]
      .map((face) => restrictRanges(face, fallbackCharacters.get(face.file)))
      .sort((a, b) => (a.file < b.file ? -1 : 1)),
    language,
    missing: [...missing],
  };
}

function normalizeText(text: string): string {
  const cleaned = cleanText(text).replaceAll(DOTTED_I, "i").replace(REPEATED_JOINERS, "\u200d");
  return cleaned.normalize("NFC").replaceAll("\t", " ").trim();
}

function detectLanguage(text: string): FontSelection["language"] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja";
  if (/\p{Script=Hangul}/u.test(text)) return "ko";
  if (!/\p{Script=Han}/u.test(text)) return "en";
  const count = (only: Set<string> | undefined) => [...text].filter((character) => only?.has(character)).length;
  return count(TRADITIONAL_ONLY) > count(SIMPLIFIED_ONLY) ? "zh-Hant" : "zh-Hans";
}

function addTo(sets: Map<string, Set<number>>, file: string, characters: number[]): void {
  sets.set(file, new Set([...(sets.get(file) ?? []), ...characters]));
}

/** A fallback font serves only what it was selected for, because it has outlines of many letters and emoji too. */
function restrictRanges(face: FontFace, characters: Set<number> | undefined): FontFace {
  if (!characters) return face;
  const ranges = [...characters].sort((a, b) => a - b).map((character): [number, number] => [character, character]);
  return { ...face, ranges };
}

interface FoundGrapheme {
  face: FontFace;
  characters: number[];
}

/** A letter and its marks may be in one file only when they are composed, or only when they are not. */
function findGrapheme(index: FontIndex, families: string[], grapheme: string): FoundGrapheme | null {
  const forms = [...new Set([grapheme, grapheme.normalize("NFD")])].map(toCodePoints);
  for (const characters of forms) {
    for (const family of families) {
      const face = index.findFace(family, ...characters);
      if (face) return { face, characters };
    }
  }
  return null;
}

function toCodePoints(text: string): number[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0);
}
