// Words as tones: spoken words are recognized with their times, and other sounds are not.
import { expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { recognizeWords, synthesizeSpeech, type ToneWord, WORD_TONES_HZ } from "../local/fake-speech.ts";

test.each([8_000, 16_000, 44_100, 48_000])(
  "every word is recognized within 10 ms at %i Hz, with and without pauses",
  (rate) => {
    const words: ToneWord[] = [];
    let startMs = 200;
    for (const [index, text] of [...Object.keys(WORD_TONES_HZ), ...Object.keys(WORD_TONES_HZ).reverse()].entries()) {
      const endMs = startMs + 120 + ((index * 37) % 200);
      words.push({ text, startMs, endMs });
      startMs = endMs + at([400, 0, 80], index % 3) + (index === 19 ? 100 : 0);
    }
    const recognized = recognizeWords(synthesizeSpeech(words, startMs + 300, rate), rate);
    expect(recognized.map(({ text }) => text)).toEqual(words.map(({ text }) => text));
    for (const [index, { startMs, endMs }] of recognized.entries()) {
      expect(Math.abs(startMs - at(words, index).startMs)).toBeLessThanOrEqual(10);
      expect(Math.abs(endMs - at(words, index).endMs)).toBeLessThanOrEqual(10);
    }
  },
);

test("simultaneous words are recognized separately, even when one is quieter", () => {
  const rate = 16_000;
  const [loud, soft] = [
    synthesizeSpeech([{ text: "hello", startMs: 100, endMs: 900 }], 1_200, rate),
    synthesizeSpeech([{ text: "you", startMs: 300, endMs: 600 }], 1_200, rate),
  ];
  const both = loud.map((sample, index) => sample + 0.4 * at(soft, index));
  expect(recognizeWords(both, rate).map(({ text }) => text)).toEqual(["hello", "you"]);
});

test("other tones, words at another speed, noise and silence are not words", () => {
  const rate = 16_000;
  const tone = (hertz: number) =>
    Float32Array.from({ length: rate }, (_, at) => 0.3 * Math.sin((2 * Math.PI * hertz * at) / rate));
  for (const hertz of [440, 550, 1_000, 5_000]) expect(recognizeWords(tone(hertz), rate)).toEqual([]);
  const spoken = synthesizeSpeech([{ text: "welcome", startMs: 200, endMs: 700 }], 1_000, rate);
  for (const speed of [0.5, 2]) expect(recognizeWords(spoken, rate * speed)).toEqual([]);
  expect(recognizeWords(new Float32Array(rate), rate)).toEqual([]);
  let seed = 1;
  const noise = Float32Array.from({ length: rate * 3 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647 - 0.5) * 0.4;
  });
  expect(recognizeWords(noise, rate)).toEqual([]);
});
