import { expect, test } from "vitest";
import { checkEscapes, checkZeroRuns, forEachNal, getMaxZeroRun, removeEscapes } from "../../lib/media/video/nal.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

test("a forbidden sequence is detected at every position", () => {
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

test("a run of zeros that is too long is detected everywhere except at the end", () => {
  for (let at = 0; at < 700; at += 7) {
    const data = new Uint8Array(2000).fill(5);
    data.fill(0, at, at + 301);
    expect(() => checkZeroRuns(data, 300), `at ${at}`).toThrow("video_data");
    data[at] = 1;
    expect(() => checkZeroRuns(data, 300)).not.toThrow();
  }
  expect(() => checkZeroRuns(new Uint8Array(2000).fill(5, 0, 100), 300)).not.toThrow();
});

test("a larger frame may have longer runs of zeros", () => {
  expect(getMaxZeroRun(320, 240)).toBe(450);
  expect(getMaxZeroRun(64, 64)).toBe(256);
});

test("the lengths of NAL units must add up to the sample", () => {
  const seen: number[] = [];
  forEachNal(bytes(0, 1, 7, 0, 2, 8, 8), 2, (nal) => seen.push(nal.length));
  expect(seen).toEqual([1, 2]);
  for (const sample of [bytes(0, 2, 7), bytes(0, 1, 7, 0), bytes(0, 0, 0, 1, 7)]) {
    expect(() => forEachNal(sample, 2, () => undefined)).toThrow("video_data");
  }
});

test("escape bytes are removed", () => {
  expect([...removeEscapes(bytes(1, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 2), 99)]).toEqual([1, 0, 0, 1, 0, 0, 0, 0, 2]);
});
