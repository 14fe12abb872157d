// How keywords, hashtags and captions are made comparable.

/** Trimmed, NFKC, case folded, single spaces, no leading `#`. */
export function normaliseKeyword(text: string): string {
  return fold(text).replace(/^[#\s]+/, "");
}

/** A text to look in, or for: Postgres would take `tea/matcha` and `tea.try` for one word each. */
export function searchable(text: string): string {
  return fold(fold(text).replaceAll(/[./\\@:?&=%<>~]/g, " "));
}

/** NFKC, case folded, single spaces. */
export function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ς", "σ")
    .normalize("NFKC")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** A keyword as a hashtag writes it: `skin care` is tagged #skincare. */
export function asHashtag(keyword: string): string {
  return keyword.replaceAll(/[^\p{L}\p{N}\p{M}_]/gu, "");
}

/** Where an index of words finds nothing: scripts without spaces between words, Korean with its particles, emoji alone. */
export function isPiece(keyword: string): boolean {
  if (asHashtag(keyword) === "") return true;
  return /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    keyword,
  );
}
