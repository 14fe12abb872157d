// How long a caption is in the unit that its network counts.
// The package entry pulls in all of the library, so only its counter is imported, in the form that Node can load.
import parseTweet from "@ambassify/twitter-text/dist/parseTweet.js";
import { graphemesOf } from "./graphemes.ts";
import type { CaptionUnit } from "./rules.ts";

const utf8 = new TextEncoder();

const MEASURES: Record<CaptionUnit, (text: string) => number> = {
  utf16: (text) => text.length,
  graphemes: (text) => [...graphemesOf(text)].length,
  utf8_bytes: (text) => utf8.encode(text).length,
  emoji_as_bytes: emojiAsBytes,
  // X: Latin letters weigh 1, CJK and any emoji 2, any URL 23.
  weighted: (text) => parseTweet(text).weightedLength,
};

/** Emoji in any of their guises: pictographs, flags, keycaps, skin tones, and signs that a selector turns into one. */
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Presentation}|\p{Regional_Indicator}|\u{FE0F}|\u{20E3}/u;

/** Threads: an emoji weighs its UTF-8 bytes with all its parts, anything else one per character. */
function emojiAsBytes(text: string): number {
  let length = 0;
  for (const { segment } of graphemesOf(text)) {
    length += EMOJI.test(segment) ? utf8.encode(segment).length : [...segment].length;
  }
  return length;
}

export function captionLength(text: string, unit: CaptionUnit): number {
  return MEASURES[unit](text);
}
