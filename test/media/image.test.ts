import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { gradient, png, pngChunk } from "./png.ts";
import { checkOf, fixture, indexOf, join, verify } from "./sources.ts";

const IMAGES = [
  ["picture.png", "image/png", { width: 202, height: 156, orientation: 1 }],
  ["interlaced.png", "image/png", { width: 60, height: 40, orientation: 1 }],
  ["baseline.jpg", "image/jpeg", { width: 202, height: 156, orientation: 1 }],
  ["progressive.jpg", "image/jpeg", { width: 202, height: 156, orientation: 1 }],
  ["turned.jpg", "image/jpeg", { width: 202, height: 156, orientation: 6 }],
  ["lossy.webp", "image/webp", { width: 62, height: 48 }],
  ["lossless.webp", "image/webp", { width: 39, height: 30 }],
  ["two.gif", "image/gif", { width: 60, height: 40, frames: 2 }],
] as const;

describe("accepts an image and says what is in it", () => {
  test.for(IMAGES)("%s", async ([name, declared, facts]) => {
    const bytes = fixture(name);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const media = { contentType: declared, bytes: bytes.length, sha256, image: facts };
    expect(await verify(bytes, declared)).toMatchObject({ ok: true, media });
  });

  test("a png of our own making", async () => {
    const verdict = await verify(png(300, 200, gradient(300, 200)), "image/png");
    expect(verdict).toMatchObject({ ok: true, media: { image: { width: 300, height: 200 } } });
  });

  test("data that phones append behind the end of a jpeg", async () => {
    expect(await checkOf(join(fixture("baseline.jpg"), new Uint8Array(500).fill(7)), "image/jpeg")).toBe("accepted");
  });
});

describe("refuses an image that was cut off", () => {
  test.for(IMAGES)("%s at 1 %, 50 %, 99 % and the last byte", async ([name, declared]) => {
    const bytes = fixture(name);
    for (const length of [bytes.length * 0.01, bytes.length * 0.5, bytes.length * 0.99, bytes.length - 1]) {
      expect(await checkOf(bytes.subarray(0, Math.max(1, length)), declared)).not.toBe("accepted");
    }
    expect(await checkOf(bytes.subarray(0, bytes.length - 1), declared)).toBe("truncated");
  });
});

describe("refuses the wrong type", () => {
  test("a png declared as jpeg and the reverse", async () => {
    expect(await verify(fixture("picture.png"), "image/jpeg")).toMatchObject({
      check: "type_mismatch",
      message: "The file is declared as image/jpeg but its bytes are image/png.",
    });
    expect(await checkOf(fixture("baseline.jpg"), "image/png")).toBe("type_mismatch");
  });

  test("a video declared as an image", async () => {
    expect(await checkOf(fixture("faststart.mp4"), "image/jpeg")).toBe("type_mismatch");
  });
});

describe("refuses damage", () => {
  test.for(["baseline.jpg", "progressive.jpg", "turned.jpg"])("%s with a blanked or noisy middle", async (name) => {
    for (const value of [0, 0x55]) {
      const bytes = fixture(name);
      bytes.fill(value, bytes.length * 0.5, bytes.length * 0.6);
      expect(await checkOf(bytes, "image/jpeg")).toBe("image_data");
    }
  });

  test("a restart marker that is missing", async () => {
    const bytes = fixture("turned.jpg");
    const at = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xd3]));
    bytes[at + 1] = 0xd5;
    expect(await checkOf(bytes, "image/jpeg")).toBe("image_data");
  });

  test("one flipped bit anywhere in the chunks of a png", async () => {
    const bytes = fixture("interlaced.png");
    for (let at = 8; at < bytes.length; at += 61) {
      const copy = bytes.slice();
      copy[at] = (copy[at] ?? 0) ^ 4;
      expect(await checkOf(copy, "image/png"), `byte ${at}`).not.toBe("accepted");
    }
  });

  test("png data with right checksums but too few rows, too many rows or a filter that does not exist", async () => {
    const raw = gradient(20, 20);
    expect(await checkOf(png(20, 21, raw), "image/png")).toBe("image_data");
    expect(await checkOf(png(20, 19, raw), "image/png")).toBe("image_data");
    raw[61 * 3] = 9;
    expect(await checkOf(png(20, 20, raw), "image/png")).toBe("image_data");
  });

  test("a png chunk that must be understood and is not", async () => {
    const bytes = png(20, 20, gradient(20, 20));
    const at = indexOf(bytes, "IDAT") - 4;
    const strange = join(bytes.subarray(0, at), pngChunk("ABCD", new Uint8Array(4)), bytes.subarray(at));
    expect(await checkOf(strange, "image/png")).toBe("image_data");
  });

  test("gif codes that stand for nothing", async () => {
    const bytes = fixture("two.gif");
    bytes.fill(0xff, bytes.length - 300, bytes.length - 200);
    expect(await checkOf(bytes, "image/gif")).not.toBe("accepted");
  });
});

describe("bounds the work of a decompression bomb", () => {
  test("a png that claims 50,000 x 50,000 pixels", async () => {
    expect(await checkOf(png(50_000, 50_000, new Uint8Array(1000)), "image/png")).toBe("too_many_pixels");
  });

  test("a png whose data inflates to far more than its size", async () => {
    expect(await checkOf(png(10, 10, new Uint8Array(64 * 1024 * 1024)), "image/png")).toBe("image_data");
  });

  test("a jpeg that claims 65,000 x 65,000 pixels", async () => {
    const bytes = fixture("baseline.jpg");
    const frame = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xc0]));
    bytes.set([0xfd, 0xe8, 0xfd, 0xe8], frame + 5);
    expect(await checkOf(bytes, "image/jpeg")).toBe("too_many_pixels");
  });
});
