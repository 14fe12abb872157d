// Damaged images never break the decoders: they draw something of the right size, or refuse with a sentence.
import { describe, expect, test } from "vitest";
import { fitOf } from "../../lib/drawing/decode/fit.ts";
import { headOf } from "../../lib/drawing/decode/head.ts";
import { decodeJpeg } from "../../lib/drawing/decode/jpeg.ts";
import { decodePng } from "../../lib/drawing/decode/png.ts";
import { refusalOf } from "../../lib/media/refusal.ts";
import { fixture } from "../media/sources.ts";
import { decoded } from "./drawn.ts";

/** The same numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FILES = [
  ["baseline.jpg", decodeJpeg],
  ["progressive.jpg", decodeJpeg],
  ["turned.jpg", decodeJpeg],
  ["picture.png", decodePng],
] as const;
const ROUNDS = 60;
const WANTED = { width: 64, height: 100, fit: "cover" } as const;

async function outcome(decode: (typeof FILES)[number][1], bytes: Uint8Array): Promise<"drawn" | "refused"> {
  try {
    const head = headOf(bytes);
    // As large as the original at most: a header that claims more is refused before by its pixels.
    if (head.width * head.height > 4_000_000) return "refused";
    const fit = fitOf(head, WANTED);
    const data = await decoded(decode, bytes, fit);
    // Every pixel of a picture without transparency is written.
    expect(data.every((value, at) => at % 4 < 3 || value === 255)).toBe(true);
    return "drawn";
  } catch (error) {
    expect(refusalOf(error)?.message ?? String(error)).toMatch(/^The image .*\.$|^JPEG, PNG, WebP and GIF/);
    return "refused";
  }
}

describe("bytes overwritten at random", () => {
  test.for(FILES)("%s", async ([name, decode]) => {
    const bytes = fixture(name);
    const pick = generator(bytes.length + 7);
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const copy = bytes.slice();
      const start = pick(round % 3 === 0 ? Math.min(700, copy.length) : copy.length);
      const end = Math.min(copy.length, start + 1 + pick(64));
      for (let at = start; at < end; at++) copy[at] = pick(256);
      if ((await outcome(decode, copy)) === "refused") refused += 1;
    }
    expect(refused).toBeGreaterThan(ROUNDS / 5);
  });
});

describe("cut anywhere, nothing is drawn", () => {
  test.for(FILES)("%s", async ([name, decode]) => {
    const bytes = fixture(name);
    const pick = generator(bytes.length);
    for (let round = 0; round < ROUNDS; round++) {
      const length = pick(bytes.length - 16);
      expect(await outcome(decode, bytes.subarray(0, length)), `cut to ${length}`).toBe("refused");
    }
  });
});
