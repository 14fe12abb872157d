// A range is heard in parts of five minutes that overlap; what is known is not heard again, and what failed is not lost.
import { expect, test } from "vitest";
import { type Heard, hear, type Wanted } from "../../lib/speech/hear.ts";
import type { Recogniser } from "../../lib/speech/recogniser.ts";
import type { Part, Sound } from "../../lib/speech/sound.ts";

const MINUTE = 60_000;

interface Spoken {
  text: string;
  start: number;
  end: number;
}

/** An asset in which words are spoken; a part of it carries those that it touches, cut at its edges. */
function asset(words: Spoken[], shorter = Number.POSITIVE_INFINITY) {
  const parts: [number, number][] = [];
  const sound: Sound = {
    async part(startMs, wanted): Promise<Part> {
      const endMs = Math.min(wanted, startMs + shorter);
      parts.push([startMs, endMs]);
      const inside = words.filter(({ start, end }) => end > startMs && start < endMs);
      const bytes = Uint8Array.from(Buffer.from(JSON.stringify({ startMs, endMs, words: inside })));
      const file = { bytes, contentType: "audio/wav", filename: "sound.wav" };
      return { file, offset: startMs / 1000, endMs, gap: false };
    },
    close() {},
  };
  return { sound, parts };
}

const recogniser = (before: (start: number) => Promise<void> = async () => undefined): Recogniser => ({
  name: "test",
  async hear({ bytes }) {
    const { startMs, endMs, words } = JSON.parse(new TextDecoder().decode(bytes));
    await before(startMs);
    const cut = words.map(({ text, start, end }: Spoken) => ({
      text,
      start: (Math.max(start, startMs) - startMs) / 1000,
      end: (Math.min(end, endMs) - startMs) / 1000,
    }));
    return { language: "en", words: cut };
  },
});

const wanted = (sound: Sound, ...ranges: [number, number][]): Wanted[] => [
  { sha256: "content", ranges: ranges.map(([startMs, endMs]) => ({ startMs, endMs })), open: async () => sound },
];

/** A word each second and a half, for so long. */
const chatter = (lengthMs: number): Spoken[] =>
  Array.from({ length: Math.floor(lengthMs / 1_500) }, (_, at) => ({
    text: `w${at}`,
    start: at * 1_500,
    end: at * 1_500 + 900,
  }));

test("an hour is asked for in parts of at most five minutes, three at a time, and every word comes once and in order", async () => {
  const words = chatter(60 * MINUTE);
  const { sound, parts } = asset(words);
  let [open, most] = [0, 0];
  const slow = recogniser(async () => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
  });
  const { words: heard, language, failure, fresh } = await hear(slow, [], wanted(sound, [0, 60 * MINUTE]));
  expect([failure, language, most]).toEqual([null, "en", 3]);
  expect(heard.get("content")).toEqual(words);
  expect(Math.max(...parts.map(([from, until]) => until - from))).toBe(5 * MINUTE);
  expect(fresh).toHaveLength(parts.length);
});

test("words that lie over every possible seam come once, also when nobody pauses", async () => {
  for (const shift of [0, 137, 411, 800, 1_203]) {
    const words = Array.from({ length: 900 }, (_, at) => ({
      text: `w${at}`,
      start: at * 700 + shift,
      end: at * 700 + 700 + shift,
    }));
    const { sound } = asset(words, 7_321);
    const { words: heard } = await hear(recogniser(), [], wanted(sound, [0, 630_000 + shift]));
    expect(heard.get("content")?.map(({ text }) => text)).toEqual(words.map(({ text }) => text));
  }
});

test("what is known is taken as it is: a range that was heard is not opened, one that begins in it goes on behind it", async () => {
  const words = chatter(20 * MINUTE);
  const first = asset(words);
  const { fresh } = await hear(recogniser(), [], wanted(first.sound, [0, 12 * MINUTE]));
  const second = asset(words);
  const inner = await hear(recogniser(), fresh, wanted(second.sound, [MINUTE, 2 * MINUTE], [6 * MINUTE, 11 * MINUTE]));
  expect([second.parts, inner.fresh]).toEqual([[], []]);
  expect(inner.words.get("content")?.[0]).toMatchObject({ text: "w40", start: MINUTE });
  const third = asset(words);
  const outer = await hear(recogniser(), fresh, wanted(third.sound, [11 * MINUTE, 14 * MINUTE]));
  expect(third.parts).toHaveLength(1);
  expect(third.parts[0]?.[0]).toBeGreaterThan(11 * MINUTE);
  const expected = words.filter(({ start }) => start >= 11 * MINUTE && start < 14 * MINUTE).map(({ text }) => text);
  expect(outer.words.get("content")?.map(({ text }) => text)).toEqual(expected);
});

test("when a part fails nothing more is cut, and what was heard before is kept for the next time", async () => {
  const words = chatter(60 * MINUTE);
  const { sound, parts } = asset(words);
  const broken = recogniser(async (start) => {
    if (start > 9 * MINUTE) throw new Error("no");
  });
  const { failure, fresh, words: heard } = await hear(broken, [], wanted(sound, [0, 60 * MINUTE]));
  expect(failure?.error).toEqual(new Error("no"));
  expect(heard.size).toBe(0);
  expect(parts.length).toBeLessThan(8);
  expect(fresh).toHaveLength(2);
  const again = asset(words);
  const healed = await hear(recogniser(), fresh, wanted(again.sound, [0, 60 * MINUTE]));
  expect(healed.words.get("content")).toEqual(words);
  expect(again.parts[0]?.[0]).toBeGreaterThan(9 * MINUTE);
});

test("a file that can't be opened, and one in which nothing is recorded", async () => {
  const gone: Wanted[] = [
    { sha256: "x", ranges: [{ startMs: 0, endMs: 1_000 }], open: () => Promise.reject(new Error("gone")) },
  ];
  expect((await hear(recogniser(), [], gone)).failure?.error).toEqual(new Error("gone"));
  const empty: Sound = { part: async () => null, close() {} };
  const { words, failure } = await hear(recogniser(), [], wanted(empty, [0, MINUTE]));
  expect([words.get("content"), failure]).toEqual([[], null]);
});

test("a gap in the recording splits a range without an overlap", async () => {
  const known: Heard[] = [];
  const words = [
    { text: "a", start: 500, end: 900 },
    { text: "b", start: 30_200, end: 30_600 },
  ];
  const { sound } = asset(words);
  const gappy: Sound = {
    ...sound,
    part: async (startMs, endMs) => {
      const part = await sound.part(startMs, startMs === 0 ? 30_000 : endMs);
      return part && startMs === 0 ? { ...part, gap: true } : part;
    },
  };
  const { words: heard, fresh } = await hear(recogniser(), known, wanted(gappy, [0, 40_000]));
  expect(heard.get("content")).toEqual(words);
  expect(fresh.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [0, 30_000],
    [30_000, 40_000],
  ]);
});
