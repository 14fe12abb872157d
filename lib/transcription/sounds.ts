// Descriptions of sounds, which recognizers write in brackets: [BLANK_AUDIO], (applause), [MUSIC PLAYING], and notes of music.

/** The whole text is such descriptions. Inside a sentence, round brackets and asterisks can be speech. */
const SOUND_ONLY = /^\s*(?:(?:[[(（［【*][^\])）］】*]*[\])）］】*]|[♩-♬🎵🎶])[\s.,!?…。、！？]*)+$/u;
/** Square brackets are never speech; the limit ignores one that is closed much later. */
const SOUND = /[[［【][^[\]［］【】]{1,100}[\]］】]/gu;

interface Range {
  from: number;
  until: number;
}

export const isSoundOnly = (text: string): boolean => SOUND_ONLY.test(text);

/** The ranges of a text that describe sounds. */
export function findSounds(text: string): Range[] {
  return [...text.matchAll(SOUND)].map(({ 0: sound, index }) => ({ from: index, until: index + sound.length }));
}
