// The decoder on Cloudflare's Images binding beside our own, with the binding's local version (miniflare's, on sharp).

import { env } from "cloudflare:test";
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import { GifWriter } from "omggif";
import { expect, test, vi } from "vitest";
import { getVerificationFailure } from "../../lib/media/verification-error.ts";
import { createBufferPool } from "../../lib/rendering/buffer-pool.ts";
import { decodeImage } from "../../lib/rendering/decode-image.ts";
import { createBindingDecoder, type ImagesService } from "../../lib/rendering/images-binding.ts";
import { openRenderEngine } from "../../lib/rendering/renderer.ts";
import { createRenderHandler } from "../../lib/rendering/worker.ts";
import type { RenderRequest } from "../../lib/rendering/worker-protocol.ts";
import interlaced from "../media/fixtures/interlaced.png?inline";
import webp from "../media/fixtures/lossy.webp?inline";
import picture from "../media/fixtures/picture.png?inline";
import progressive from "../media/fixtures/progressive.jpg?inline";
import rotated from "../media/fixtures/rotated.jpg?inline";
import gif from "../media/fixtures/two.gif?inline";
import { buildRgbProfile, embedInPng } from "../rendering/color-profiles.ts";
import { buildPlainImage } from "../rendering/test-images.ts";
import { buildSlide, getImageUrl, HOST } from "../rendering/test-renderer.ts";

const engine = openRenderEngine(compiled);
const tools = { rasterize: engine.rasterize, buffers: createBufferPool(0) };
const input = vi.fn<ImagesService["input"]>((...parameters) => env.IMAGES.input(...parameters));
const decodeByBinding = createBindingDecoder({ input });

async function readDataUrl(dataUrl: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(dataUrl)).arrayBuffer());
}

const requestSize = (width: number, height: number, fit: "cover" | "contain" = "cover") => ({
  url: "",
  fit,
  width,
  height,
});

/** The mean colour of each quarter: resampling moves it by a few levels, a rotation by many. */
function averageQuarters({ data, width, height }: { data: Uint8Array; width: number; height: number }): number[] {
  const sums = new Float64Array(12);
  const counts = new Float64Array(12);
  for (let at = 0; at < data.length; at += 4) {
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    const quarter = (y * 2 < height ? 0 : 6) + (x * 2 < width ? 0 : 3);
    for (let channel = quarter; channel < quarter + 3; channel++) {
      sums[channel] = (sums[channel] ?? 0) + (data[at + channel - quarter] ?? 0);
      counts[channel] = (counts[channel] ?? 0) + 1;
    }
  }
  return Array.from(sums, (sum, at) => sum / (counts[at] ?? 1));
}

function compareQuarters(one: number[], other: number[]): number {
  return Math.max(...one.map((value, at) => Math.abs(value - (other[at] ?? 0))));
}

test.each([
  ["a progressive JPEG", progressive],
  ["a JPEG that is stored sideways", rotated],
  ["a PNG", picture],
  ["an interlaced PNG", interlaced],
  ["a WebP", webp],
  ["an animated GIF", gif],
])("%s has the size and colours that our decoder gives it", async (_what, dataUrl) => {
  const bytes = await readDataUrl(dataUrl);
  for (const wanted of [
    requestSize(24, 32),
    requestSize(30, 20),
    requestSize(30, 30, "contain"),
    requestSize(4000, 3000),
  ]) {
    input.mockClear();
    const [own, theirs] = [await decodeImage(bytes, wanted, tools), await decodeByBinding(bytes, wanted, tools)];
    expect(input).toHaveBeenCalledOnce();
    expect([theirs.width, theirs.height]).toEqual([own.width, own.height]);
    const quarters = averageQuarters(theirs);
    expect(compareQuarters(averageQuarters(own), quarters)).toBeLessThan(12);
    // An image upside down would have these quarters.
    expect(compareQuarters(averageQuarters(own), quarters.toReversed())).toBeGreaterThan(24);
  }
});

test("colours with a profile are converted to sRGB", async () => {
  const png = embedInPng(buildPlainImage([20, 160, 60]), buildRgbProfile("Display P3"));
  const { data } = await decodeByBinding(png, requestSize(8, 8), tools);
  for (const [at, value] of [0, 162, 40, 255].entries())
    expect(Math.abs((data[at] ?? 0) - value)).toBeLessThanOrEqual(3);
});

test("a GIF too large for our decoder", async () => {
  const [width, height] = [2100, 2000];
  const bytes = new Uint8Array(width * height + 100_000);
  const writer = new GifWriter(bytes, width, height, { palette: [0x1e3cc8, 0xe6c828] });
  writer.addFrame(0, 0, width, height, new Array<number>(width * height).fill(0));
  const large = bytes.slice(0, writer.end());
  const failure = await decodeImage(large, requestSize(60, 50), tools).catch(getVerificationFailure);
  expect(failure).toMatchObject({ check: "too_many_pixels" });
  const { data, ...size } = await decodeByBinding(large, requestSize(60, 50), tools);
  expect(size).toMatchObject({ width: 60, height: 50 });
  expect([...data.subarray(0, 4)]).toEqual([0x1e, 0x3c, 0xc8, 255]);
});

test("a truncated image is refused as by our decoder", async () => {
  for (const dataUrl of [progressive, picture, webp, gif]) {
    const whole = await readDataUrl(dataUrl);
    const cut = whole.slice(0, Math.floor(whole.length * 0.6));
    const own = await decodeImage(cut, requestSize(24, 32), tools).catch(getVerificationFailure);
    const theirs = await decodeByBinding(cut, requestSize(24, 32), tools).catch(getVerificationFailure);
    expect(theirs).toEqual(own);
    expect(theirs).toHaveProperty("message");
  }
});

test("the rendering Worker uses the binding when it has one", async () => {
  const bytes = await readDataUrl(progressive);
  const request: RenderRequest = {
    slide: buildSlide({ image_url: getImageUrl("photo") }),
    settings: { aspect_ratio: "1:1" },
    allowedHosts: [HOST],
  };
  const render = async (images?: ImagesService) => {
    const handler = createRenderHandler(() => engine);
    const rendered = await handler(
      new Request("http://rendering/", { method: "POST", body: JSON.stringify(request) }),
      { fonts: env.FONTS, images, fetch: async () => new Response(bytes.slice()), resolveHost: async () => [] },
    );
    return rendered.status;
  };
  input.mockClear();
  expect([await render(), input.mock.calls.length]).toEqual([200, 0]);
  expect([await render({ input }), input.mock.calls.length]).toEqual([200, 1]);
});

test("our decoder takes over when the binding fails", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const failing = createBindingDecoder({
    input: () => {
      throw Object.assign(new Error("the usage limit was reached"), { code: 9422 });
    },
  });
  const bytes = await readDataUrl(progressive);
  const own = await decodeImage(bytes, requestSize(24, 32), tools);
  expect(await failing(bytes, requestSize(24, 32), tools)).toEqual(own);
  expect(warn.mock.calls.join()).toContain("9422: Error: the usage limit was reached");
});
