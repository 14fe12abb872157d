// Scripts that put no spaces between words.

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map((name) => `\\p{Script=${name}}`);

/** Matches a letter of such a script, and the mark of long vowels that Unicode counts to none. */
export const UNSPACED_LETTER = new RegExp(`[${SCRIPTS.join("")}ー]`, "u");

/** The last letter of a text is one, whatever punctuation follows it. */
export const ENDS_UNSPACED = new RegExp(`${UNSPACED_LETTER.source}[\\p{P}\\p{Z}]*$`, "u");

/** Punctuation of full width, which no space stands beside. */
export const WIDE_SIGN = /(?=\p{P})[\u3001-\u303f\uff00-\uff65]/u;
