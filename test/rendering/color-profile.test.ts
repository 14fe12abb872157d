// Images with colour profiles are converted to sRGB as ImageMagick 6.9.11 with Little CMS converts them.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { readImageHeader } from "../../lib/media/image/image-header.ts";
import { getVerificationFailure } from "../../lib/media/verification-error.ts";
import { readColorProfile } from "../../lib/rendering/decode/color-profile.ts";
import { openRenderEngine, type RenderEngine } from "../../lib/rendering/renderer.ts";
import { buildPng } from "../media/png-writer.ts";
import { concatBytes, readFixture } from "../media/sources.ts";
import { buildColumns, decodeColumns, expectColumns, readColumns } from "./color-columns.ts";
import {
  buildBareProfile,
  buildCmykProfile,
  buildGrayProfile,
  buildRgbProfile,
  buildStagedProfile,
  embedInJpeg,
  embedInPng,
} from "./color-profiles.ts";

let engine: RenderEngine;
beforeAll(() => {
  engine = openRenderEngine(compiled);
});

const decode = (bytes: Uint8Array, width: number, height: number) => decodeColumns(engine, bytes, width, height);

const STORED = [
  [20, 160, 60],
  [200, 30, 30],
  [30, 60, 200],
  [230, 200, 40],
  [128, 128, 128],
  [12, 9, 30],
  [250, 180, 160],
  [255, 255, 255],
];

/** By `convert stored.png -profile srgb.icc`, of a PNG with the profile of this name from color-profiles.ts. */
const CONVERTED: Record<string, number[][]> = {
  "Display P3": [
    [0, 162, 40],
    [218, 0, 6],
    [17, 60, 207],
    [236, 198, 0],
    [128, 128, 128],
    [12, 8, 31],
    [255, 176, 155],
    [254, 255, 255],
  ],
  "Adobe RGB": [
    [0, 161, 46],
    [233, 23, 23],
    [0, 57, 204],
    [241, 201, 0],
    [129, 129, 129],
    [4, 2, 24],
    [255, 181, 160],
    [255, 255, 255],
  ],
  "Rec. 2020": [
    [0, 178, 55],
    [255, 0, 34],
    [0, 75, 215],
    [253, 202, 0],
    [139, 139, 139],
    [26, 20, 47],
    [255, 177, 165],
    [254, 255, 255],
  ],
  ProPhoto: [
    [0, 192, 38],
    [255, 0, 33],
    [0, 81, 223],
    [255, 204, 0],
    [146, 146, 146],
    [0, 6, 43],
    [255, 176, 171],
    [255, 255, 255],
  ],
  sRGB: STORED,
  Staged: [
    [0, 91, 49],
    [93, 0, 44],
    [0, 51, 118],
    [176, 134, 53],
    [52, 85, 94],
    [0, 20, 31],
    [186, 140, 146],
    [218, 255, 255],
  ],
};

describe("RGB", () => {
  test.each(Object.entries(CONVERTED))("a small and a large PNG with %s", async (name, converted) => {
    const profile = name === "Staged" ? buildStagedProfile() : buildRgbProfile(name);
    const small = await decode(embedInPng(buildColumns(STORED, 8, 8), profile), 64, 8);
    expectColumns(readColumns(small, 8), converted);
    // More than 4 megapixels, so decoded row by row.
    const large = await decode(embedInPng(buildColumns(STORED, 300, 1800), profile), 240, 180);
    expectColumns(readColumns(large, 8), converted);
  });

  test("a JPEG whose profile is split into segments in the wrong order", async () => {
    const node = { type: "container", style: { width: 64, height: 64, backgroundColor: "rgb(20, 160, 60)" } };
    const jpeg = await engine.renderScene(
      node as never,
      { width: 64, height: 64 },
      { faces: [], families: [], language: "en" },
      "jpeg",
    );
    const embedded = embedInJpeg(jpeg, buildRgbProfile("Display P3"), 100);
    expect(readImageHeader(embedded).profile?.bytes).toEqual(buildRgbProfile("Display P3"));
    expectColumns(readColumns(await decode(embedded, 64, 64), 1), [[0, 162, 40]], 5);
    // The JPEG itself differs by up to 2.
    expectColumns(readColumns(await decode(jpeg, 64, 64), 1), [[20, 160, 60]]);
  });

  test("a WebP", async () => {
    const bare = readFixture("lossless.webp");
    const plain = await decode(bare, 40, 40);
    const embedded = await decode(embedInWebp(bare, readImageHeader(bare)), 40, 40);
    const png = await decode(embedInPng(buildPngOf(plain), buildRgbProfile("ProPhoto")), 40, 40);
    expect(embedded.data).not.toEqual(plain.data);
    expect(embedded.data).toEqual(png.data);
  });

  test("colours behind transparent pixels are converted before they are multiplied", async () => {
    const rgba = new Uint8Array(2600 * 4 + 1);
    for (let at = 1; at < rgba.length; at += 4) rgba.set([230, 200, 40, 128], at);
    const raw = concatBytes(...Array.from({ length: 1700 }, () => rgba));
    const { data, premultiplied } = await decode(
      embedInPng(buildPng(2600, 1700, raw, "rgba"), buildRgbProfile("Display P3")),
      26,
      17,
    );
    expect(premultiplied).toBe(true);
    expectColumns([[...data.subarray(0, 4)]], [[118, 99, 0, 128]], 1);
  });
});

test("gray", async () => {
  const levels = [0, 20, 60, 128, 200, 255];
  const png = buildColumns(
    levels.map((level) => [level, level, level]),
    8,
    8,
  );
  const gray = toGrayPng(png, levels);
  const converted = [0, 25, 76, 146, 210, 255].map((level) => [level, level, level]);
  expectColumns(readColumns(await decode(embedInPng(gray, buildGrayProfile()), 48, 8), 6), converted);
});

describe("other profiles", () => {
  const png = buildColumns(STORED, 8, 8);

  test("one that cannot be converted is named", async () => {
    const failure = await decode(embedInPng(png, buildBareProfile("Scanner 7")), 64, 8).catch(getVerificationFailure);
    expect(failure).toMatchObject({
      message:
        'The image has the colour profile "Scanner 7", which cannot be converted to sRGB. Save the image as sRGB.',
    });
  });

  test.each([
    ["for other channels", buildCmykProfile()],
    ["that is no profile", new Uint8Array(200)],
    ["of a few bytes", new Uint8Array(3)],
  ])("one %s is ignored", async (_what, profile) => {
    expectColumns(readColumns(await decode(embedInPng(png, profile), 64, 8), 8), STORED, 0);
  });

  test("one cut anywhere is converted, ignored or named", async () => {
    for (const whole of [buildRgbProfile("Display P3"), buildCmykProfile(), buildGrayProfile()]) {
      for (let length = 0; length < whole.length; length += 37) {
        const read = readColorProfile(whole.slice(0, length));
        if (read) expect(["gray", "rgb", "cmyk"]).toContain(read.space);
      }
    }
  });

  test("a cut one is damaged although the bytes of its file go on behind it", () => {
    const whole = buildRgbProfile("Display P3");
    const file = concatBytes(whole, new Uint8Array(1_000));
    expect(readColorProfile(file.subarray(0, whole.length))?.conversion).not.toBeNull();
    expect(readColorProfile(file.subarray(0, whole.length - 10))).toEqual({
      name: "a damaged profile",
      space: "rgb",
      conversion: null,
    });
  });

  test("one that inflates to more than 4 MiB is ignored", async () => {
    const bomb = embedInPng(png, new Uint8Array(20 * 1024 * 1024));
    expectColumns(readColumns(await decode(bomb, 64, 8), 8), STORED, 0);
  });
});

function buildPngOf({ data, width, height }: { data: Uint8Array; width: number; height: number }): Uint8Array {
  const stride = width * 4 + 1;
  const raw = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    raw.set(data.subarray(row * width * 4, (row + 1) * width * 4), row * stride + 1);
  }
  return buildPng(width, height, raw, "rgba");
}

/** The columns of a gray PNG. */
function toGrayPng(png: Uint8Array, levels: number[]): Uint8Array {
  const { width, height } = readImageHeader(png);
  const row = [0, ...levels.flatMap((level) => new Array<number>(width / levels.length).fill(level))];
  return buildPng(width, height, new Uint8Array(Array.from({ length: height }, () => row).flat()), "gray");
}

/** The extended format, with a profile before the image. */
function embedInWebp(webp: Uint8Array, { width, height }: { width: number; height: number }): Uint8Array {
  const chunk = (name: string, content: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.write(name);
    head.writeUInt32LE(content.length, 4);
    return concatBytes(head, content, new Uint8Array(content.length % 2));
  };
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(0x20 | 0x10);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const content = concatBytes(chunk("VP8X", canvas), chunk("ICCP", buildRgbProfile("ProPhoto")), webp.subarray(12));
  const head = Buffer.alloc(12);
  head.write("RIFF");
  head.writeUInt32LE(content.length + 4, 4);
  head.write("WEBP", 8);
  return concatBytes(head, content);
}
