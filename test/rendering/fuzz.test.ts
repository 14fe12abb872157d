// Damaged images never break the decoders: they either decode to the right size or fail with a message.
import { describe, expect, test } from "vitest";
import { readImageHeader } from "../../lib/media/image/image-header.ts";
import { getVerificationFailure } from "../../lib/media/verification-error.ts";
import { computeCropAndScale } from "../../lib/rendering/decode/crop-and-downscale.ts";
import { decodeJpeg } from "../../lib/rendering/decode/jpeg.ts";
import { decodePng } from "../../lib/rendering/decode/png.ts";
import { readFixture } from "../media/sources.ts";
import { decodeToRgba } from "./test-renderer.ts";

/** Seeded random numbers. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FILES = [
  ["baseline.jpg", decodeJpeg],
  ["progressive.jpg", decodeJpeg],
  ["rotated.jpg", decodeJpeg],
  ["picture.png", decodePng],
] as const;
const ROUNDS = 60;
const WANTED = { width: 64, height: 100, fit: "cover" } as const;

async function tryDecode(decode: (typeof FILES)[number][1], bytes: Uint8Array): Promise<"decoded" | "rejected"> {
  try {
    const head = readImageHeader(bytes);
    // A header that declares more pixels is rejected before decoding.
    if (head.width * head.height > 4_000_000) return "rejected";
    const fit = computeCropAndScale(head, WANTED);
    const data = await decodeToRgba(decode, bytes, fit);
    // Every pixel of an opaque image is written.
    expect(data.every((value, at) => at % 4 < 3 || value === 255)).toBe(true);
    return "decoded";
  } catch (error) {
    expect(getVerificationFailure(error)?.message ?? String(error)).toMatch(
      /^The image .*\.$|^JPEG, PNG, WebP and GIF/,
    );
    return "rejected";
  }
}

describe("randomly overwritten bytes", () => {
  test.for(FILES)("%s", async ([name, decode]) => {
    const bytes = readFixture(name);
    const pick = createRandom(bytes.length + 7);
    let rejectedCount = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const copy = bytes.slice();
      const start = pick(round % 3 === 0 ? Math.min(700, copy.length) : copy.length);
      const end = Math.min(copy.length, start + 1 + pick(64));
      for (let at = start; at < end; at++) copy[at] = pick(256);
      if ((await tryDecode(decode, copy)) === "rejected") rejectedCount += 1;
    }
    expect(rejectedCount).toBeGreaterThan(ROUNDS / 5);
  });
});

describe("truncated images", () => {
  test.for(FILES)("%s", async ([name, decode]) => {
    const bytes = readFixture(name);
    const pick = createRandom(bytes.length);
    for (let round = 0; round < ROUNDS; round++) {
      const length = pick(bytes.length - 16);
      expect(await tryDecode(decode, bytes.subarray(0, length)), `truncated to ${length}`).toBe("rejected");
    }
  });
});
