import { expect, test } from "vitest";
import { checkBlanks, checkEscapes, eachNal, withoutEscapes } from "../../lib/media/nal.ts";

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

test("a run of zeros is found wherever it stands, but not at the end", () => {
  for (let at = 0; at < 130; at++) {
    const data = new Uint8Array(300).fill(5);
    data.fill(0, at, at + 64);
    expect(() => checkBlanks(data), `at ${at}`).toThrow("video_data");
    data[at + 30] = 1;
    expect(() => checkBlanks(data)).not.toThrow();
  }
  expect(() => checkBlanks(new Uint8Array(300).fill(5, 0, 100))).not.toThrow();
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
