// Converts language names of speech-to-text services, codes such as en or pt-BR or English names, to ISO 639-1.

/** Names of Whisper that Intl does not have: https://github.com/openai/whisper/blob/main/whisper/tokenizer.py, read 2026-11-30. */
const OTHER_NAMES = new Map([
  ["bengali", "bn"],
  ["maori", "mi"],
  ["myanmar", "my"],
  ["nynorsk", "nn"],
  ["tagalog", "tl"],
]);
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** Null for a language without a code. */
export function toLanguageCode(name: string): string | null {
  const wanted = name.trim().toLowerCase();
  const [given] = wanted.split(/[-_]/);
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter((code) => names.of(code));
  const found =
    OTHER_NAMES.get(wanted) ??
    codes.find((code) => code === given) ??
    codes.find((code) => names.of(code)?.toLowerCase() === wanted);
  // Some codes have been replaced, such as jw by jv; the newer name of tl has three letters.
  const [current = ""] = found ? Intl.getCanonicalLocales(found) : [];
  return current.length === 2 ? current : (found ?? null);
}
