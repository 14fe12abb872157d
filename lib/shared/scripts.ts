// Scripts that put no spaces between words.

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map((name) => `\\p{Script=${name}}`);

/** Matches a letter of such a script, and the mark of long vowels that Unicode counts to none. */
export const UNSPACED_LETTER = new RegExp(`[${SCRIPTS.join("")}ー]`, "u");
