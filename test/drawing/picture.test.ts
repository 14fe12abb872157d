// From the bytes of an image to its pixels: upright, cropped, small, and never by way of more memory than there is.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { buffersUpTo } from "../../lib/drawing/buffers.ts";
import { fitOf } from "../../lib/drawing/decode/fit.ts";
import { headOf } from "../../lib/drawing/decode/head.ts";
import { decodeJpeg } from "../../lib/drawing/decode/jpeg.ts";
import { decodePng } from "../../lib/drawing/decode/png.ts";
import { pictureOf } from "../../lib/drawing/picture.ts";
import { openPainter, type Painter } from "../../lib/drawing/renderer.ts";
import { refusalOf } from "../../lib/media/refusal.ts";
import { fixture } from "../media/sources.ts";
import { decoded, near } from "./drawn.ts";
import { BLUE, type Color, GREEN, held, picture, quarters, RED, YELLOW } from "./images.ts";

let painter: Painter;
beforeAll(() => {
  painter = openPainter(compiled);
});

type Pixels = { width: number; height: number; data: Uint8Array };

const at = ({ width, height, data }: Pixels, x: number, y: number): Color => {
  const from = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
  return [data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0, data[from + 3] ?? 0];
};

const nameOf = (color: Color) =>
  Object.entries({ RED, GREEN, BLUE, YELLOW }).find(([, one]) => near(one, color))?.[0] ?? color.join();
const corners = (pixels: Pixels) =>
  [at(pixels, 0.1, 0.1), at(pixels, 0.9, 0.1), at(pixels, 0.1, 0.9), at(pixels, 0.9, 0.9)].map(nameOf).join(" ");

/** A JPEG by the renderer's own encoder. */
async function jpegOf(width: number, height: number): Promise<Uint8Array> {
  const src = quarters(200, 200);
  const style = { position: "absolute", left: 0, top: 0, width, height } as const;
  const root = {
    type: "container",
    style: { ...style, position: "relative" },
    children: [{ type: "image", src, style }],
  };
  return painter.paint(root as never, { width, height }, [], "en", "jpeg");
}

const want = (width: number, height: number, fit: "cover" | "contain" = "cover") => ({ url: "", width, height, fit });
const prepare = (bytes: Uint8Array, wanted: ReturnType<typeof want>) =>
  pictureOf(bytes, wanted, { rasterize: painter.rasterize, buffers: buffersUpTo(0) });

/** Two decoders and two ways of resampling differ by less at sharp edges; a wrong block would by far more. */
const MUCH = 7;

/** The mean distance of two pictures of the same size, per channel. */
function distance(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
}

describe("a photo is turned upright, whichever way the camera was held", () => {
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
    const jpeg = await jpegOf(width, height);
    for (const [orientation, seen] of Object.entries(SEEN)) {
      const turned = held(jpeg, Number(orientation));
      expect(headOf(turned).orientation).toBe(Number(orientation));
      const whole = await prepare(turned, want(90, 90, "contain"));
      expect(corners(whole), orientation).toBe(seen);
      expect(whole.width > whole.height, orientation).toBe(Number(orientation) < 5);
      const covering = await prepare(turned, want(60, 120));
      expect([covering.width, covering.height, corners(covering)], orientation).toEqual([60, 120, seen]);
    }
  });

  test("the same picture with and without a turn shows the same", async () => {
    const [upright, turned] = [fixture("baseline.jpg"), fixture("turned.jpg")];
    expect(headOf(turned).orientation).not.toBe(1);
    expect(headOf(upright).orientation).toBe(1);
    const shape = async (bytes: Uint8Array) => {
      const { width, height } = await prepare(bytes, want(400, 400, "contain"));
      return Math.sign(width - height);
    };
    expect(await shape(turned)).toBe(-(await shape(upright)));
  });
});

describe("the decoder of large JPEGs sees what the renderer sees", () => {
  test.each(["baseline.jpg", "progressive.jpg", "turned.jpg"])("%s", async (name) => {
    const bytes = fixture(name);
    const { width, height } = headOf(bytes);
    for (const out of [
      { width, height },
      { width: Math.ceil(width * 0.7), height: Math.ceil(height * 0.7) },
      { width: Math.floor(width / 3), height: Math.floor(height / 3) },
    ]) {
      const ours = await decoded(decodeJpeg, bytes, fitOf({ width, height }, { ...out, fit: "cover" }));
      expect(distance(ours, await painter.rasterize(bytes, out)), `${out.width} wide`).toBeLessThan(MUCH);
    }
  });

  test("at half size, a quarter and a twelfth of a large one", async () => {
    const bytes = await jpegOf(2400, 1800);
    for (const width of [1200, 600, 200]) {
      const out = { width, height: (width * 3) / 4 };
      const ours = await decoded(decodeJpeg, bytes, fitOf({ width: 2400, height: 1800 }, { ...out, fit: "cover" }));
      expect(distance(ours, await painter.rasterize(bytes, out)), `${width} wide`).toBeLessThan(0.5);
    }
  });

  test("and what it crops is what it shows", async () => {
    const bytes = fixture("progressive.jpg");
    const { width, height } = headOf(bytes);
    const narrow = { width: 40, height };
    const ours = await decoded(decodeJpeg, bytes, fitOf({ width, height }, { ...narrow, fit: "cover" }));
    expect(distance(ours, await painter.rasterize(bytes, narrow))).toBeLessThan(MUCH);
  });
});

describe("the decoder of large PNGs sees what the renderer sees", () => {
  test("picture.png", async () => {
    const bytes = fixture("picture.png");
    const { width, height } = headOf(bytes);
    const ours = await decoded(decodePng, bytes, fitOf({ width, height }, { width, height, fit: "cover" }));
    expect(distance(ours, await painter.rasterize(bytes, { width, height }))).toBeLessThan(0.01);
  });

  test("with its alpha, multiplied into the colours", async () => {
    const glass = picture(2100, 2000, (x) => (x < 0.5 ? [200, 100, 50, 128] : [9, 9, 9, 0]));
    const shown = await prepare(glass, want(100, 100));
    expect([shown.width, shown.premultiplied]).toEqual([100, true]);
    expect(at(shown, 0.2, 0.5)).toEqual([100, 50, 25, 128]);
    expect(at(shown, 0.8, 0.5)).toEqual([0, 0, 0, 0]);
  });
});

describe("a picture comes in the size that is needed, never larger than it is", () => {
  test.each([
    [400, 200, want(100, 100), [100, 100]],
    [400, 200, want(1000, 1000), [200, 200]],
    [400, 200, want(1000, 100), [400, 40]],
    [400, 200, want(100, 100, "contain"), [100, 50]],
    [400, 200, want(1000, 1000, "contain"), [400, 200]],
    [1, 1, want(1080, 1920), [1, 1]],
    [3000, 2, want(10, 10), [2, 2]],
  ])("%d x %d for %j", async (width, height, wanted, size) => {
    const shown = await prepare(
      picture(width, height, () => RED),
      wanted,
    );
    expect([shown.width, shown.height]).toEqual(size);
    expect(nameOf(at(shown, 0.5, 0.5))).toBe("RED");
    expect(shown.data.length).toBe(shown.width * shown.height * 4);
  });
});

describe("averaging keeps what is there", () => {
  test("black and white columns become one grey, at any ratio", async () => {
    const stripes = picture(2400, 1800, (x) => (Math.floor(x * 2400) % 2 === 0 ? [0, 0, 0] : [255, 255, 255]));
    for (const side of [300, 301, 450]) {
      const shown = await prepare(stripes, want(side, side));
      const values = Array.from({ length: side }, (_, x) => shown.data[x * 4] ?? 0);
      const mean = values.reduce((sum, value) => sum + value, 0) / side;
      expect(Math.abs(mean - 127.5), String(side)).toBeLessThan(2);
    }
  });
});

describe("memory", () => {
  test("ten photos of 12 megapixels leave the renderer's memory where one of them put it", async () => {
    const jpeg = await jpegOf(4000, 3000);
    const fresh = painter.memory();
    for (let round = 0; round < 10; round++) await prepare(jpeg, want(1080, 1920));
    expect(painter.memory()).toBe(fresh);
  });
});

describe("what can't be drawn is refused with a sentence", () => {
  const why = async (bytes: Uint8Array) => {
    const error = await prepare(bytes, want(10, 10)).catch((thrown: unknown) => thrown);
    return refusalOf(error)?.message;
  };

  /** A header that claims a size; no pixels follow. */
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

  test("too many pixels for its kind", async () => {
    expect(await why(claiming("webp", 4032, 3024))).toBe(
      "The image has 4032 x 3024 pixels; a WEBP is drawn with up to 8 megapixels.",
    );
    expect(await why(claiming("gif", 3000, 2000))).toBe(
      "The image has 3000 x 2000 pixels; a GIF is drawn with up to 4 megapixels.",
    );
    const bomb = picture(1, 1, () => RED);
    new DataView(bomb.buffer).setUint32(16, 20_000);
    new DataView(bomb.buffer).setUint32(20, 20_000);
    expect(await why(bomb)).toMatch(/20000 x 20000 pixels; a PNG is drawn with up to 100 megapixels/);
  });

  test.each(["baseline.jpg", "progressive.jpg", "picture.png", "lossy.webp", "lossless.webp", "two.gif"])(
    "%s cut off anywhere",
    async (name) => {
      const bytes = fixture(name);
      for (const share of [0.02, 0.3, 0.6, 0.9]) {
        expect(await why(bytes.subarray(0, Math.floor(bytes.length * share))), String(share)).toMatch(
          /incomplete|damaged/,
        );
      }
    },
  );

  test("a large one that is cut, with the same sentences", async () => {
    const [jpeg, png] = [await jpegOf(2600, 1800), quarters(2600, 1800)];
    for (const bytes of [jpeg, png]) {
      expect(await why(bytes.subarray(0, Math.floor(bytes.length * 0.7)))).toMatch(/incomplete|damaged/);
    }
  });
});
