/**
 * Text on one line: line breaks, other controls, and marks that change the direction of what follows become spaces. For
 * names that people enter, and what is built of them.
 */
export function toSingleLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
}
