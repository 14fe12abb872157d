// Decoding of images to pixels: upright, cropped, scaled, and within bounded memory.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { readImageHeader } from "../../lib/media/image/image-header.ts";
import { getVerificationFailure } from "../../lib/media/verification-error.ts";
import { createBufferPool } from "../../lib/rendering/buffer-pool.ts";
import { computeCropAndScale } from "../../lib/rendering/decode/crop-and-downscale.ts";
import { decodeJpeg } from "../../lib/rendering/decode/jpeg.ts";
import { decodePng } from "../../lib/rendering/decode/png.ts";
import { decodeImage } from "../../lib/rendering/decode-image.ts";
import { openRenderEngine, type RenderEngine } from "../../lib/rendering/renderer.ts";
import { readFixture } from "../media/sources.ts";
import {
  BLUE,
  buildImage,
  buildQuartersImage,
  type Color,
  GREEN,
  RED,
  withOrientation,
  YELLOW,
} from "./test-images.ts";
import { decodeToRgba, isNear } from "./test-renderer.ts";

let engine: RenderEngine;
beforeAll(() => {
  engine = openRenderEngine(compiled);
});

type Pixels = { width: number; height: number; data: Uint8Array };

const at = ({ width, height, data }: Pixels, x: number, y: number): Color => {
  const from = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
  return [data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0, data[from + 3] ?? 0];
};

const getColorName = (color: Color) =>
  Object.entries({ RED, GREEN, BLUE, YELLOW }).find(([, one]) => isNear(one, color))?.[0] ?? color.join();
const describeCorners = (pixels: Pixels) =>
  [at(pixels, 0.1, 0.1), at(pixels, 0.9, 0.1), at(pixels, 0.1, 0.9), at(pixels, 0.9, 0.9)].map(getColorName).join(" ");

/** A JPEG from the renderer's encoder. */
async function renderJpeg(width: number, height: number): Promise<Uint8Array> {
  const src = buildQuartersImage(200, 200);
  const style = { position: "absolute", left: 0, top: 0, width, height } as const;
  const root = {
    type: "container",
    style: { ...style, position: "relative" },
    children: [{ type: "image", src, style }],
  };
  return engine.renderScene(root as never, { width, height }, { faces: [], families: [], language: "en" }, "jpeg");
}

const buildRequest = (width: number, height: number, fit: "cover" | "contain" = "cover") => ({
  url: "",
  width,
  height,
  fit,
});
const decodeForTest = (bytes: Uint8Array, wanted: ReturnType<typeof buildRequest>) =>
  decodeImage(bytes, wanted, { rasterize: engine.rasterize, buffers: createBufferPool(0) });

/** Different decoders and resampling methods differ by less than this; a wrong block differs by far more. */
const MAX_DIFFERENCE = 7;

/** The mean difference of two images of the same size, per channel. */
function getMeanDifference(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
}

describe("photos with an EXIF orientation are rotated upright", () => {
  const SEEN = {
    1: "RED GREEN BLUE YELLOW",
    2: "GREEN RED YELLOW BLUE",
    3: "YELLOW BLUE GREEN RED",
    4: "BLUE YELLOW RED GREEN",
    5: "RED BLUE GREEN YELLOW",
    6: "BLUE RED YELLOW GREEN",
    7: "YELLOW GREEN BLUE RED",
    8: "GREEN YELLOW RED BLUE",
  };

  test.each([
    ["small", 300, 200],
    ["large, decoded row by row", 2600, 1800],
  ])("%s", async (_what, width, height) => {
    const jpeg = await renderJpeg(width, height);
    for (const [orientation, seen] of Object.entries(SEEN)) {
      const rotated = withOrientation(jpeg, Number(orientation));
      expect(readImageHeader(rotated).orientation).toBe(Number(orientation));
      const whole = await decodeForTest(rotated, buildRequest(90, 90, "contain"));
      expect(describeCorners(whole), orientation).toBe(seen);
      expect(whole.width > whole.height, orientation).toBe(Number(orientation) < 5);
      const covering = await decodeForTest(rotated, buildRequest(60, 120));
      expect([covering.width, covering.height, describeCorners(covering)], orientation).toEqual([60, 120, seen]);
    }
  });

  test("the same photo with and without an orientation has swapped sides", async () => {
    const [upright, rotated] = [readFixture("baseline.jpg"), readFixture("rotated.jpg")];
    expect(readImageHeader(rotated).orientation).not.toBe(1);
    expect(readImageHeader(upright).orientation).toBe(1);
    const shape = async (bytes: Uint8Array) => {
      const { width, height } = await decodeForTest(bytes, buildRequest(400, 400, "contain"));
      return Math.sign(width - height);
    };
    expect(await shape(rotated)).toBe(-(await shape(upright)));
  });
});

describe("the row decoder of JPEGs matches the renderer", () => {
  test.each(["baseline.jpg", "progressive.jpg", "rotated.jpg"])("%s", async (name) => {
    const bytes = readFixture(name);
    const { width, height } = readImageHeader(bytes);
    for (const out of [
      { width, height },
      { width: Math.ceil(width * 0.7), height: Math.ceil(height * 0.7) },
      { width: Math.floor(width / 3), height: Math.floor(height / 3) },
    ]) {
      const ours = await decodeToRgba(
        decodeJpeg,
        bytes,
        computeCropAndScale({ width, height }, { ...out, fit: "cover" }),
      );
      expect(getMeanDifference(ours, await engine.rasterize(bytes, out)), `${out.width} wide`).toBeLessThan(
        MAX_DIFFERENCE,
      );
    }
  });

  test("at half size, a quarter and a twelfth of a large one", async () => {
    const bytes = await renderJpeg(2400, 1800);
    for (const width of [1200, 600, 200]) {
      const out = { width, height: (width * 3) / 4 };
      const ours = await decodeToRgba(
        decodeJpeg,
        bytes,
        computeCropAndScale({ width: 2400, height: 1800 }, { ...out, fit: "cover" }),
      );
      expect(getMeanDifference(ours, await engine.rasterize(bytes, out)), `${width} wide`).toBeLessThan(0.5);
    }
  });

  test("with a crop", async () => {
    const bytes = readFixture("progressive.jpg");
    const { width, height } = readImageHeader(bytes);
    const narrow = { width: 40, height };
    const ours = await decodeToRgba(
      decodeJpeg,
      bytes,
      computeCropAndScale({ width, height }, { ...narrow, fit: "cover" }),
    );
    expect(getMeanDifference(ours, await engine.rasterize(bytes, narrow))).toBeLessThan(MAX_DIFFERENCE);
  });
});

describe("the row decoder of PNGs matches the renderer", () => {
  test("picture.png", async () => {
    const bytes = readFixture("picture.png");
    const { width, height } = readImageHeader(bytes);
    const ours = await decodeToRgba(
      decodePng,
      bytes,
      computeCropAndScale({ width, height }, { width, height, fit: "cover" }),
    );
    expect(getMeanDifference(ours, await engine.rasterize(bytes, { width, height }))).toBeLessThan(0.01);
  });

  test("with colours multiplied by alpha", async () => {
    const glass = buildImage(2100, 2000, (x) => (x < 0.5 ? [200, 100, 50, 128] : [9, 9, 9, 0]));
    const shown = await decodeForTest(glass, buildRequest(100, 100));
    expect([shown.width, shown.premultiplied]).toEqual([100, true]);
    expect(at(shown, 0.2, 0.5)).toEqual([100, 50, 25, 128]);
    expect(at(shown, 0.8, 0.5)).toEqual([0, 0, 0, 0]);
  });
});

describe("images are scaled down to the required size, never up", () => {
  test.each([
    [400, 200, buildRequest(100, 100), [100, 100]],
    [400, 200, buildRequest(1000, 1000), [200, 200]],
    [400, 200, buildRequest(1000, 100), [400, 40]],
    [400, 200, buildRequest(100, 100, "contain"), [100, 50]],
    [400, 200, buildRequest(1000, 1000, "contain"), [400, 200]],
    [1, 1, buildRequest(1080, 1920), [1, 1]],
    [3000, 2, buildRequest(10, 10), [2, 2]],
  ])("%d x %d for %j", async (width, height, wanted, size) => {
    const shown = await decodeForTest(
      buildImage(width, height, () => RED),
      wanted,
    );
    expect([shown.width, shown.height]).toEqual(size);
    expect(getColorName(at(shown, 0.5, 0.5))).toBe("RED");
    expect(shown.data.length).toBe(shown.width * shown.height * 4);
  });
});

describe("averaging", () => {
  test("black and white columns become uniform grey at any ratio", async () => {
    const stripes = buildImage(2400, 1800, (x) => (Math.floor(x * 2400) % 2 === 0 ? [0, 0, 0] : [255, 255, 255]));
    for (const side of [300, 301, 450]) {
      const shown = await decodeForTest(stripes, buildRequest(side, side));
      const values = Array.from({ length: side }, (_, x) => shown.data[x * 4] ?? 0);
      const mean = values.reduce((sum, value) => sum + value, 0) / side;
      expect(Math.abs(mean - 127.5), String(side)).toBeLessThan(2);
    }
  });
});

describe("memory", () => {
  test("ten photos of 12 megapixels use no more renderer memory than one", async () => {
    const jpeg = await renderJpeg(4000, 3000);
    const fresh = engine.memory();
    for (let round = 0; round < 10; round++) await decodeForTest(jpeg, buildRequest(1080, 1920));
    expect(engine.memory()).toBe(fresh);
  });
});

describe("error messages for images that cannot be rendered", () => {
  const getMessage = async (bytes: Uint8Array) => {
    const error = await decodeForTest(bytes, buildRequest(10, 10)).catch((thrown: unknown) => thrown);
    return getVerificationFailure(error)?.message;
  };

  /** A header that declares a size, without pixels. */
  function claiming(kind: "webp" | "gif", width: number, height: number): Uint8Array {
    const bytes = new Uint8Array(40);
    const view = new DataView(bytes.buffer);
    if (kind === "gif") {
      bytes.set(new TextEncoder().encode("GIF89a"));
      view.setUint16(6, width, true);
      view.setUint16(8, height, true);
      return bytes;
    }
    bytes.set(new TextEncoder().encode("RIFF    WEBPVP8X"));
    view.setUint32(4, 32, true);
    view.setUint32(16, 10, true);
    view.setUint32(24, width - 1, true);
    view.setUint32(26, view.getUint32(26, true) | ((height - 1) << 8), true);
    return bytes;
  }

  test("too many pixels for the type", async () => {
    expect(await getMessage(claiming("webp", 4032, 3024))).toBe(
      "The image has 4032 x 3024 pixels, but a WEBP image must have at most 8 megapixels. Scale it down.",
    );
    expect(await getMessage(claiming("gif", 3000, 2000))).toBe(
      "The image has 3000 x 2000 pixels, but a GIF image must have at most 4 megapixels. Scale it down.",
    );
    const bomb = buildImage(1, 1, () => RED);
    new DataView(bomb.buffer).setUint32(16, 20_000);
    new DataView(bomb.buffer).setUint32(20, 20_000);
    expect(await getMessage(bomb)).toMatch(/20000 x 20000 pixels, but a PNG image must have at most 100 megapixels/);
  });

  test.each(["baseline.jpg", "progressive.jpg", "picture.png", "lossy.webp", "lossless.webp", "two.gif"])(
    "%s truncated",
    async (name) => {
      const bytes = readFixture(name);
      for (const share of [0.02, 0.3, 0.6, 0.9]) {
        expect(await getMessage(bytes.subarray(0, Math.floor(bytes.length * share))), String(share)).toMatch(
          /incomplete|damaged/,
        );
      }
    },
  );

  test("a truncated large image, with the same messages", async () => {
    const [jpeg, png] = [await renderJpeg(2600, 1800), buildQuartersImage(2600, 1800)];
    for (const bytes of [jpeg, png]) {
      expect(await getMessage(bytes.subarray(0, Math.floor(bytes.length * 0.7)))).toMatch(/incomplete|damaged/);
    }
  });
});
