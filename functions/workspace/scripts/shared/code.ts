import { LINK_CODE_LENGTH } from "../../../../lib/shared/sign-in-link.ts";

/** Digits of a sign-in code that is typed. */
const CODE_LENGTH = 6;

/** The digits of `readCode` are a whole code, of a mail or of a link. */
export const isWholeCode = (digits: string): boolean =>
  /^\d+$/.test(digits) && [CODE_LENGTH, LINK_CODE_LENGTH].includes(digits.length);

/**
 * The digits of a code as people type, paste and dictate it: with spaces, dashes or zero-width characters, in full-width or
 * other decimal digits of Unicode. Nothing else is left out, so that a text with a code in it is no code.
 */
export function readCode(text: string): string {
  return Array.from(text.normalize("NFKC").replaceAll(SEPARATORS, ""), toAsciiDigit).join("");
}

/** White space, dashes, dots and every character that is not seen: controls and marks of format and direction. */
const SEPARATORS = /[\s\p{Z}\p{Pd}\p{Cc}\p{Cf}.·−]/gu;

/** Unicode encodes decimal digits in rows from zero to nine: https://www.unicode.org/L2/L2012/12310-numeric-type-def.html. */
function toAsciiDigit(character: string): string {
  if (!/\p{Nd}/u.test(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  let zero = point;
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(point - zero);
}
