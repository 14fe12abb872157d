import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { buildGradientRows, buildPng, buildPngChunk } from "./png-writer.ts";
import { buildBox, concatBytes, findFailedCheck, findText, readFixture, verifyFile } from "./sources.ts";

const IMAGES = [
  ["picture.png", "image/png", { width: 202, height: 156, orientation: 1 }],
  ["interlaced.png", "image/png", { width: 60, height: 40, orientation: 1 }],
  ["baseline.jpg", "image/jpeg", { width: 202, height: 156, orientation: 1 }],
  ["progressive.jpg", "image/jpeg", { width: 202, height: 156, orientation: 1 }],
  ["rotated.jpg", "image/jpeg", { width: 202, height: 156, orientation: 6 }],
  ["lossy.webp", "image/webp", { width: 62, height: 48 }],
  ["lossless.webp", "image/webp", { width: 39, height: 30 }],
  ["two.gif", "image/gif", { width: 60, height: 40, frames: 2 }],
] as const;

describe("valid images", () => {
  test.for(IMAGES)("%s", async ([name, declared, facts]) => {
    const bytes = readFixture(name);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const media = { contentType: declared, bytes: bytes.length, sha256, image: facts };
    expect(await verifyFile(bytes, declared)).toMatchObject({ ok: true, media });
  });

  test("a png from the test's own writer", async () => {
    const verdict = await verifyFile(buildPng(300, 200, buildGradientRows(300, 200)), "image/png");
    expect(verdict).toMatchObject({ ok: true, media: { image: { width: 300, height: 200 } } });
  });

  test("data that phones append to a jpeg", async () => {
    expect(
      await findFailedCheck(concatBytes(readFixture("baseline.jpg"), new Uint8Array(500).fill(7)), "image/jpeg"),
    ).toBe("accepted");
  });
});

describe("a video after a jpeg", () => {
  const still = readFixture("baseline.jpg");
  /** The photo with XMP metadata, which stand in a segment after its first marker. */
  function withXmp(description: string): Uint8Array {
    const xmp = new TextEncoder().encode(`http://ns.adobe.com/xap/1.0/\0<rdf:Description ${description}/>`);
    const head = new Uint8Array([0xff, 0xe1, (xmp.length + 2) >> 8, (xmp.length + 2) & 255]);
    return concatBytes(still.subarray(0, 2), head, xmp, still.subarray(2));
  }
  const files = [
    ["faststart.mp4", "video/mp4"],
    ["clip.mov", "video/quicktime"],
  ] as const;

  test.for(files)("%s is part of a motion photo that announces it", async ([name]) => {
    for (const announcement of ['GCamera:MotionPhoto="1"', 'GCamera:MicroVideo="1"']) {
      expect(await findFailedCheck(concatBytes(withXmp(announcement), readFixture(name)), "image/jpeg")).toBe(
        "accepted",
      );
    }
  });

  test.for(files)("%s is refused otherwise", async ([name, type]) => {
    for (const photo of [still, withXmp('dc:format="image/jpeg"')]) {
      const message = expect.stringContaining(`also contains ${type}.`);
      expect(await verifyFile(concatBytes(photo, readFixture(name)), "image/jpeg")).toMatchObject({
        check: "polyglot",
        message,
      });
    }
  });

  test("a WebM is refused, which motion photos do not have", async () => {
    const bytes = concatBytes(withXmp('GCamera:MotionPhoto="1"'), readFixture("vp9.webm"));
    expect(await findFailedCheck(bytes, "image/jpeg")).toBe("polyglot");
  });
});

describe("truncated images", () => {
  test.for(IMAGES)("%s at 1 %, 50 %, 99 % and the last byte", async ([name, declared]) => {
    const bytes = readFixture(name);
    for (const length of [bytes.length * 0.01, bytes.length * 0.5, bytes.length * 0.99, bytes.length - 1]) {
      expect(await findFailedCheck(bytes.subarray(0, Math.max(1, length)), declared)).not.toBe("accepted");
    }
    expect(await findFailedCheck(bytes.subarray(0, bytes.length - 1), declared)).toBe("truncated");
  });
});

describe("images of another type than declared", () => {
  test.for([
    ["picture.png", "image/jpeg", "image/png"],
    ["baseline.jpg", "image/png", "image/jpeg"],
    ["lossy.webp", "image/jpeg", "image/webp"],
    ["two.gif", "image/jpeg", "image/gif"],
    ["progressive.jpg", "image/pjpeg", "image/jpeg"],
    ["baseline.jpg", "application/octet-stream", "image/jpeg"],
  ] as const)("%s declared as %s is %s", async ([name, declared, contentType]) => {
    expect(await verifyFile(readFixture(name), declared)).toMatchObject({ ok: true, media: { contentType } });
  });

  test.for([
    ["TIFF", new Uint8Array([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 0, 0]), "a TIFF image"],
    ["big TIFF", new Uint8Array([0x49, 0x49, 0x2b, 0, 8, 0, 0, 0, 0x10, 0]), "a TIFF image"],
    ["big TIFF in the other byte order", new Uint8Array([0x4d, 0x4d, 0, 0x2b, 0, 8, 0, 0, 0, 0]), "a TIFF image"],
    ["BMP", new Uint8Array([0x42, 0x4d, 70, 0, 0, 0, 0, 0, 0, 0, 54, 0]), "a BMP image"],
    ["Photoshop", new TextEncoder().encode("8BPS\0\u0001\0\0\0\0\0\0\0\u0003"), "a Photoshop image"],
    ["JPEG XL", new Uint8Array([0xff, 0x0a, 0x78, 0x78, 0x78, 0x78]), "a JPEG XL image"],
    ["JPEG XL in boxes", buildBox("JXL ", new Uint8Array([0x0d, 0x0a, 0x87, 0x0a])), "a JPEG XL image"],
    ...[
      [["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"], "a HEIC image"] as const,
      [["mif1", "msf1", "avci", "avcs"], "a HEIF image"] as const,
      [["avif", "avis"], "an AVIF image"] as const,
      [["jxl "], "a JPEG XL image"] as const,
      [["crx "], "a Canon RAW image"] as const,
    ].flatMap(([brands, kind]) =>
      brands.map(
        (brand) => [brand, buildBox("ftyp", new TextEncoder().encode(`${brand}\0\0\0\0mif1${brand}`)), kind] as const,
      ),
    ),
  ] as const)("%s declared as JPEG is refused with the cure", async ([, bytes, kind]) => {
    const message = `The file is declared as image/jpeg, but its content is ${kind}. Export the picture as JPEG or PNG.`;
    expect(await verifyFile(bytes, "image/jpeg")).toMatchObject({ check: "type_mismatch", message });
  });

  test("a video declared as an image", async () => {
    expect(await findFailedCheck(readFixture("faststart.mp4"), "image/jpeg")).toBe("type_mismatch");
  });
});

describe("damaged images", () => {
  test.for(["baseline.jpg", "progressive.jpg", "rotated.jpg"])("%s with a blanked or noisy middle", async (name) => {
    for (const value of [0, 0x55]) {
      const bytes = readFixture(name);
      bytes.fill(value, bytes.length * 0.5, bytes.length * 0.6);
      expect(await findFailedCheck(bytes, "image/jpeg")).toBe("image_data");
    }
  });

  test("a missing restart marker", async () => {
    const bytes = readFixture("rotated.jpg");
    const at = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xd3]));
    bytes[at + 1] = 0xd5;
    expect(await findFailedCheck(bytes, "image/jpeg")).toBe("image_data");
  });

  test("one flipped bit anywhere in the chunks of a png", async () => {
    const bytes = readFixture("interlaced.png");
    for (let at = 8; at < bytes.length; at += 61) {
      const copy = bytes.slice();
      copy[at] = (copy[at] ?? 0) ^ 4;
      expect(await findFailedCheck(copy, "image/png"), `byte ${at}`).not.toBe("accepted");
    }
  });

  test("png data with valid checksums but too few rows, too many rows or an unknown filter", async () => {
    const raw = buildGradientRows(20, 20);
    expect(await findFailedCheck(buildPng(20, 21, raw), "image/png")).toBe("image_data");
    expect(await findFailedCheck(buildPng(20, 19, raw), "image/png")).toBe("image_data");
    raw[61 * 3] = 9;
    expect(await findFailedCheck(buildPng(20, 20, raw), "image/png")).toBe("image_data");
  });

  test("an unknown critical png chunk", async () => {
    const bytes = buildPng(20, 20, buildGradientRows(20, 20));
    const at = findText(bytes, "IDAT") - 4;
    const unknownChunk = concatBytes(
      bytes.subarray(0, at),
      buildPngChunk("ABCD", new Uint8Array(4)),
      bytes.subarray(at),
    );
    expect(await findFailedCheck(unknownChunk, "image/png")).toBe("image_data");
  });

  test("undefined gif codes", async () => {
    const bytes = readFixture("two.gif");
    bytes.fill(0xff, bytes.length - 300, bytes.length - 200);
    expect(await findFailedCheck(bytes, "image/gif")).not.toBe("accepted");
  });
});

describe("decompression bombs", () => {
  test("a png that declares 50,000 x 50,000 pixels", async () => {
    expect(await findFailedCheck(buildPng(50_000, 50_000, new Uint8Array(1000)), "image/png")).toBe("too_many_pixels");
  });

  test("a png whose data inflates to far more than its size", async () => {
    expect(await findFailedCheck(buildPng(10, 10, new Uint8Array(64 * 1024 * 1024)), "image/png")).toBe("image_data");
  });

  test("a jpeg that declares 65,000 x 65,000 pixels", async () => {
    const bytes = readFixture("baseline.jpg");
    const frame = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xc0]));
    bytes.set([0xfd, 0xe8, 0xfd, 0xe8], frame + 5);
    expect(await findFailedCheck(bytes, "image/jpeg")).toBe("too_many_pixels");
  });
});
