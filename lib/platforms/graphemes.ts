// Splits text into graphemes. The segmenter is created on first use, to keep the start-up of every isolate short.
let segmenter: Intl.Segmenter | null = null;

export function segmentGraphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter.segment(text);
}
