// Half an hour of speech as captions: how long each is shown, and whether its words are on time.

import { expect, test } from "vitest";
import { buildCaptions } from "../../lib/editor/captions.ts";
import { placeWords } from "../../lib/editor/place-words.ts";
import { createIdGenerator } from "../../lib/shared/ids.ts";
import type { TranscribedWord } from "../../lib/shared/project-document.ts";
import { createRandom } from "../support/random.ts";

const MINUTES = 30;
const TEXT = `I bought this kettle two years ago, and I still use it every single morning. It heats up in about a
minute. No, really! Most people think you need a thermometer for good tea; you do not. What you need is water that has
just stopped boiling, a little patience, and a cup that you like. Okay. So here is what I do. First, I warm the cup.
Then I count to ten. Why? Because green tea turns bitter above eighty degrees, which is something my grandmother knew
long before anybody wrote it down. Try it once. You will taste the difference, I promise, and if not, send it back.`;

/** Speech of a pace: 60 to 90 ms a letter, pauses of 0.2 to 1.2 s at punctuation, and a hesitation now and then. */
function speak(seed: number, pace: number, hesitation: number): TranscribedWord[] {
  const random = createRandom(seed);
  const texts = TEXT.split(/\s+/);
  const words: TranscribedWord[] = [];
  for (let [at, index] = [400, 0]; at < MINUTES * 60_000 - 3_000; index++) {
    const text = texts[index % texts.length] ?? "";
    const length = Math.round((120 + text.length * (60 + 30 * random())) * pace);
    words.push({ text, start: at, end: at + length });
    const pause = /[.!?;]$/.test(text)
      ? 350 + 850 * random()
      : /,$/.test(text)
        ? 150 + 350 * random()
        : 20 + 60 * random();
    at += length + Math.round(pause * pace + (random() < hesitation ? 350 + 500 * random() : 0));
  }
  return words;
}

test.each([
  ["calm", 1.1, 0.02],
  ["fast", 0.75, 0.01],
  ["hesitant", 1, 0.2],
])("half an hour of %s speech has captions of a second and more, unless speech forces it", (_, pace, hesitation) => {
  const spoken = speak(7, pace, hesitation);
  const end = MINUTES * 60_000;
  const clip = { clip_id: "c", asset_id: "a", fileId: "f", track: 0, start_ms: 0, end_ms: end, speed: 1, volume: 1 };
  const clips = [{ ...clip, source_start_ms: 0, source_end_ms: end, muted: false }];
  const placed = placeWords(clips, new Map([["f", spoken]]), (id) => id);
  const captions = buildCaptions(clips, placed, createIdGenerator("seed", new Date(0)));
  expect(captions.flatMap(({ text }) => text.split(/\s/))).toEqual(spoken.map(({ text }) => text));

  const words = [...spoken];
  const shown = captions.map(({ text, start_ms, end_ms }) => {
    const own = words.splice(0, text.split(/\s/).length);
    const [first, last] = [own[0]?.start ?? 0, own.at(-1)?.end ?? 0];
    return { text, start_ms, end_ms, first, last, speechMs: last - first, pauseMs: (words[0]?.start ?? end) - last };
  });
  for (const [index, { text, start_ms, end_ms, first, last, speechMs }] of shown.entries()) {
    expect(start_ms).toBe(first);
    expect(end_ms).toBeGreaterThanOrEqual(last);
    expect(end_ms).toBeLessThanOrEqual(Math.min(start_ms + 3_000, Math.max(last + 500, start_ms + 1_000)));
    expect(end_ms).toBeLessThanOrEqual(shown[index + 1]?.start_ms ?? end);
    expect(speechMs).toBeLessThanOrEqual(3_000);
    expect(text.length).toBeLessThanOrEqual(42);
    const lines = text.split("\n");
    expect(lines.length).toBeLessThanOrEqual(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(36);
  }

  const short = shown.filter(({ start_ms, end_ms }) => end_ms - start_ms < 1_000);
  // Forced: joined to either neighbour it would be longer than 42 characters or 3 s, or cross a pause of 300 ms.
  const unforced = short.filter((caption) => {
    const index = shown.indexOf(caption);
    return [shown[index - 1], shown[index + 1]].some((other) => {
      if (!other) return false;
      const [a, b] = other.first < caption.first ? [other, caption] : [caption, other];
      return a.text.length + 1 + b.text.length <= 42 && b.last - a.first <= 3_000 && a.pauseMs <= 300;
    });
  });
  console.log(`${captions.length} captions, ${short.length} under 1 s, ${unforced.length} of them not forced`);
  expect(unforced).toEqual([]);
  expect(short.length).toBeLessThan(captions.length * 0.12);
  const alone = shown.filter(({ text }, index) => {
    const before = shown[index - 1];
    return text.length <= 5 && before && before.text.length + 1 + text.length <= 42 && before.pauseMs <= 300;
  });
  expect(alone.map(({ text }) => text)).toEqual([]);
});
