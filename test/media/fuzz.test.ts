import { describe, expect, test } from "vitest";
import { checkOf, fixture } from "./sources.ts";

const FILES = [
  ["faststart.mp4", "video/mp4"],
  ["moov-last.mp4", "video/mp4"],
  ["fragmented.mp4", "video/mp4"],
  ["clip.mov", "video/quicktime"],
  ["hevc.mp4", "video/mp4"],
  ["vp9.webm", "video/webm"],
  ["av1.webm", "video/webm"],
  ["picture.png", "image/png"],
  ["baseline.jpg", "image/jpeg"],
  ["progressive.jpg", "image/jpeg"],
  ["turned.jpg", "image/jpeg"],
  ["lossy.webp", "image/webp"],
  ["two.gif", "image/gif"],
] as const;

/** The same numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("no truncation is missed", () => {
  test.for(FILES)("%s", async ([name, declared]) => {
    const bytes = fixture(name);
    const pick = generator(bytes.length);
    const lengths = [...Array.from({ length: 8 }, (_, i) => bytes.length - 1 - i)];
    for (let i = 0; i < 22; i++) lengths.push(pick(bytes.length));
    for (const length of lengths) {
      expect(await checkOf(bytes.subarray(0, length), declared), `cut to ${length}`).not.toBe("accepted");
    }
  });
});

/** Shares of random damage that must be noticed; what is left needs a decoder that draws the pictures. */
const NOTICED: Record<string, number> = { "image/png": 1, "image/jpeg": 0.7, "video/mp4": 0.3, "video/quicktime": 0.3 };

describe("damage never breaks the verifier and is mostly noticed", () => {
  test.for(FILES)("%s", async ([name, declared]) => {
    const bytes = fixture(name);
    const pick = generator(bytes.length + 1);
    let noticed = 0;
    const rounds = 30;
    for (let round = 0; round < rounds; round++) {
      const copy = bytes.slice();
      const start = pick(copy.length);
      const end = Math.min(copy.length, start + 16 + pick(256));
      for (let at = start; at < end; at++) copy[at] = round % 2 === 0 ? pick(256) : 0;
      if ((await checkOf(copy, declared)) !== "accepted") noticed += 1;
    }
    expect(noticed / rounds).toBeGreaterThanOrEqual(NOTICED[declared] ?? 0);
  });
});
