// The language of tones: what is spoken is heard, when it is, and what is no word is none.
import { expect, test } from "vitest";
import { listen, speak, TONES, type ToneWord } from "../local/tones.ts";

test.each([8_000, 16_000, 44_100, 48_000])(
  "every word is heard within 10 ms at %i Hz, back to back and apart",
  (rate) => {
    const words: ToneWord[] = [];
    let at = 200;
    for (const [index, text] of [...Object.keys(TONES), ...Object.keys(TONES).reverse()].entries()) {
      const endMs = at + 120 + ((index * 37) % 200);
      words.push({ text, startMs: at, endMs });
      at = endMs + ([400, 0, 80][index % 3] ?? 0) + (index === 19 ? 100 : 0);
    }
    const heard = listen(speak(words, at + 300, rate), rate);
    expect(heard.map(({ text }) => text)).toEqual(words.map(({ text }) => text));
    for (const [index, { startMs, endMs }] of heard.entries()) {
      expect(Math.abs(startMs - (words[index]?.startMs ?? 0))).toBeLessThanOrEqual(10);
      expect(Math.abs(endMs - (words[index]?.endMs ?? 0))).toBeLessThanOrEqual(10);
    }
  },
);

test("several at once are heard each for itself, also when one is softer", () => {
  const rate = 16_000;
  const [loud, soft] = [
    speak([{ text: "hello", startMs: 100, endMs: 900 }], 1_200, rate),
    speak([{ text: "you", startMs: 300, endMs: 600 }], 1_200, rate),
  ];
  const both = loud.map((sample, at) => sample + 0.4 * (soft[at] ?? 0));
  expect(listen(both, rate).map(({ text }) => text)).toEqual(["hello", "you"]);
});

test("no word is a tone beside one, a word at another speed, noise or silence", () => {
  const rate = 16_000;
  const tone = (hertz: number) =>
    Float32Array.from({ length: rate }, (_, at) => 0.3 * Math.sin((2 * Math.PI * hertz * at) / rate));
  for (const hertz of [440, 550, 1_000, 5_000]) expect(listen(tone(hertz), rate)).toEqual([]);
  const spoken = speak([{ text: "welcome", startMs: 200, endMs: 700 }], 1_000, rate);
  for (const speed of [0.5, 2]) expect(listen(spoken, rate * speed)).toEqual([]);
  expect(listen(new Float32Array(rate), rate)).toEqual([]);
  let seed = 1;
  const noise = Float32Array.from({ length: rate * 3 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647 - 0.5) * 0.4;
  });
  expect(listen(noise, rate)).toEqual([]);
});
