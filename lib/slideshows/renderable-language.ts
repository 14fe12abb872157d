// Rejects languages that no font can render, before a language model writes texts in them.
import type { SlideshowBrief } from "../ai/prompts.ts";
import { apiError } from "../shared/errors.ts";

/** ISO 15924 codes of the scripts that the fonts of slides have. */
const RENDERABLE_SCRIPTS = new Set(
  "Latn Cyrl Grek Arab Hebr Deva Beng Taml Thai Geor Armn Ethi Gujr Guru Knda Khmr Laoo Mlym Mymr Orya Sinh Telu Hans Hant Jpan Kore".split(
    " ",
  ),
);

const LETTERS = /\p{L}/gu;
const RENDERABLE_LETTERS = new RegExp(
  `[${[
    ...["Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil", "Thai", "Georgian"],
    ...["Gujarati", "Gurmukhi", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Telugu"],
    ...["Armenian", "Ethiopic", "Han", "Hiragana", "Katakana", "Hangul", "Common", "Inherited"],
  ]
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

/** Throws `slide_undrawable` with the reason. */
export function requireRenderableLanguage({ language, topic, product }: SlideshowBrief): void {
  if (language.startsWith("same_as_")) {
    const source = language === "same_as_prompt" ? topic : product?.description;
    const letters = source?.match(LETTERS) ?? [];
    const missing = letters.filter((letter) => !RENDERABLE_LETTERS.test(letter));
    if (missing.length * 2 <= letters.length) return;
    throw undrawableError(`No font has the script of the text that decides the language, such as ${missing[0]}.`);
  }
  const script = getScript(language);
  if (script && !RENDERABLE_SCRIPTS.has(script))
    throw undrawableError(`No font has the script of ${language}, ${script}.`);
}

function getScript(language: string): string | undefined {
  try {
    return new Intl.Locale(language).maximize().script;
  } catch {
    return undefined;
  }
}

function undrawableError(why: string) {
  return apiError("slide_undrawable", `${why} Set language to one that slides can show, such as en, ar, hi, th or ja.`);
}
