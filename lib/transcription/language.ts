// Converts language names of speech-to-text services, codes such as en or pt-BR or English names, to ISO 639-1.

/** The languages of Whisper. */
const LANGUAGE_CODES =
  "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha he hi hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh";

/**
 * Names and codes of Whisper that Intl and ISO 639-1 do not have: LANGUAGES of
 * https://github.com/openai/whisper/blob/main/whisper/tokenizer.py, read 2026-11-30.
 */
const OTHER_NAMES = new Map([
  ["bengali", "bn"],
  ["jw", "jv"],
  ["maori", "mi"],
  ["myanmar", "my"],
  ["nynorsk", "nn"],
  ["tagalog", "tl"],
]);

/** Null for a language without a code. */
export function toLanguageCode(name: string): string | null {
  const wanted = name.trim().toLowerCase();
  const codes = LANGUAGE_CODES.split(" ");
  const [code = ""] = wanted.split(/[-_]/);
  const known = OTHER_NAMES.get(wanted) ?? codes.find((one) => one === code);
  if (known) return known;
  const names = new Intl.DisplayNames("en", { type: "language" });
  return codes.find((code) => names.of(code)?.toLowerCase() === wanted) ?? null;
}
