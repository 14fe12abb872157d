// Normalization of keywords, hashtags and captions, so that they can be compared.

/** Trimmed, NFKC, case folded, single spaces, no leading `#`. */
export function normalizeKeyword(text: string): string {
  return foldText(text).replace(/^[#\s]+/, "");
}

/** Normalizes a text or a query for text search: Postgres would parse `tea/matcha` and `tea.try` as one word each. */
export function toSearchText(text: string): string {
  return foldText(foldText(text).replaceAll(/[./\\@:?&=%<>~]/g, " "));
}

/** NFKC, case folded, single spaces. */
export function foldText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ς", "σ")
    .normalize("NFKC")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** A keyword in the form of a hashtag: `skin care` becomes `skincare`. */
export function toHashtag(keyword: string): string {
  return keyword.replaceAll(/[^\p{L}\p{N}\p{M}_]/gu, "");
}

/** Returns true if full-text search cannot match: scripts without spaces, Korean with particles, and emoji without letters. */
export function needsSubstringSearch(keyword: string): boolean {
  if (toHashtag(keyword) === "") return true;
  return /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    keyword,
  );
}
