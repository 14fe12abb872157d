// Sentences and clauses end at the punctuation marks of every script, but not after abbreviations.

const CLOSING = /[\u00a0\u202f]?[\p{Pe}\p{Pf}\p{Pi}"']*$/u.source;
const SENTENCE_END = new RegExp(`[\\p{Sentence_Terminal}…]${CLOSING}`, "u");
/** A word keeps the space that ends its phrase in a script without spaces. */
const CLAUSE_END = new RegExp(`[\\p{Terminal_Punctuation}…؛—–]${CLOSING}| $`, "u");

/** Abbreviations of English, German, French and Spanish that a name or a noun follows. Those that end sentences, as etc., are not listed. */
const ABBREVIATIONS = [
  ..."Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Hon Gov Sen Rep Gen Col Maj Lt Capt Cpl Sgt Cmdr St Mt Ft vs".split(" "),
  ..."Hr Fr Frl Dipl Ing Hl bzw ca vgl sog inkl evtl ggf z".split(" "),
  ..."MM Pr Mgr Ste Sts Stes".split(" "),
  ..."Sr Sra Srta Sres Dra Dña Profa Lic Sto Sta Gral Avda Av".split(" "),
];
/** Abbreviations that a number follows; before anything else they can be the word No. */
const BEFORE_NUMBER = "No Nos Nr Art Abs Kap Fig Vol núm Núm pág".split(" ");

const endsWith = (words: string): RegExp => new RegExp(`(?:^|[^\\p{L}\\p{M}\\p{N}.])(?:${words})\\.$`, "u");
const ABBREVIATION = endsWith(ABBREVIATIONS.join("|"));
const NUMBERED = endsWith(BEFORE_NUMBER.join("|"));
/** The first letter of a name, or of Monsieur in French. */
const INITIAL = endsWith("(?!I)\\p{Lu}");

/** `next` is what follows the text, empty when nothing does. */
export const endsSentence = (text: string, next: string): boolean =>
  SENTENCE_END.test(text) && !isAbbreviated(text, next);

export const endsClause = (text: string, next: string): boolean => CLAUSE_END.test(text) && !isAbbreviated(text, next);

/** The text ends with an abbreviation that belongs to what follows. */
export function isAbbreviated(text: string, next: string): boolean {
  if (/^\P{L}*\d/u.test(next) && NUMBERED.test(text)) return true;
  if (/^[^\p{L}\p{N}]*\p{Lu}/u.test(next) && INITIAL.test(text)) return true;
  return next !== "" && ABBREVIATION.test(text);
}
