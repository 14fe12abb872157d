// What a reader calls a character. The segmenter is made when it is first needed: at start-up it would cost every isolate.
let segmenter: Intl.Segmenter | null = null;

export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter.segment(text);
}
