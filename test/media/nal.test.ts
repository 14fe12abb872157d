import { expect, test } from "vitest";
import { checkBlanks, checkEscapes, eachNal, withoutEscapes, zerosAtMost } from "../../lib/media/nal.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

test("every place of a forbidden sequence is found", () => {
  for (const third of [0, 1, 2]) {
    for (let at = 0; at < 12; at++) {
      const nal = new Uint8Array(16).fill(9);
      nal.set([0, 0, third], at);
      expect(() => checkEscapes(nal), `${third} at ${at}`).toThrow("video_data");
    }
  }
});

test("escapes, single zeros and zeros at the end are allowed", () => {
  expect(() => checkEscapes(bytes(9, 0, 0, 3, 1, 0, 9, 0, 0, 9, 0, 0, 3, 3, 0, 0, 0))).not.toThrow();
  expect(() => checkEscapes(bytes(9, 0, 0, 3, 4, 9))).toThrow("video_data");
});

test("a run of more zeros than a picture can have is found wherever it stands, but not at the end", () => {
  for (let at = 0; at < 700; at += 7) {
    const data = new Uint8Array(2000).fill(5);
    data.fill(0, at, at + 301);
    expect(() => checkBlanks(data, 300), `at ${at}`).toThrow("video_data");
    data[at] = 1;
    expect(() => checkBlanks(data, 300)).not.toThrow();
  }
  expect(() => checkBlanks(new Uint8Array(2000).fill(5, 0, 100), 300)).not.toThrow();
});

test("a larger picture may have more of them", () => {
  expect(zerosAtMost(320, 240)).toBe(450);
  expect(zerosAtMost(64, 64)).toBe(256);
});

test("unit lengths must add up to the sample", () => {
  const seen: number[] = [];
  eachNal(bytes(0, 1, 7, 0, 2, 8, 8), 2, (nal) => seen.push(nal.length));
  expect(seen).toEqual([1, 2]);
  for (const sample of [bytes(0, 2, 7), bytes(0, 1, 7, 0), bytes(0, 0, 0, 1, 7)]) {
    expect(() => eachNal(sample, 2, () => undefined)).toThrow("video_data");
  }
});

test("escapes are taken out", () => {
  expect([...withoutEscapes(bytes(1, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 2), 99)]).toEqual([1, 0, 0, 1, 0, 0, 0, 0, 2]);
});
