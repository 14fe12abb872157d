// Renders slides in this process and reads their pixels.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import type { CropAndScale } from "../../lib/rendering/decode/crop-and-downscale.ts";
import type { FontFiles } from "../../lib/rendering/font-store.ts";
import { openRenderEngine, type RenderEngine } from "../../lib/rendering/renderer.ts";
import type { RenderSettings } from "../../lib/rendering/settings.ts";
import { createRenderHandler, type RenderHandler } from "../../lib/rendering/worker.ts";
import type { RenderFailure, RenderRequest } from "../../lib/rendering/worker-protocol.ts";
import type { BareSlide, TextElement } from "../../lib/schemas/slide.ts";
import type { Color } from "./test-images.ts";

export const HOST = "pictures.test";

/** The URL of a test image by its name. */
export function getImageUrl(name: string): string {
  return `http://${HOST}/${name}`;
}

export type Images = Record<string, Uint8Array>;

export function buildText(content: string, more: Partial<TextElement> = {}): TextElement {
  return { content, x: 50, y: 50, ...more };
}

/** A slide without content, except what the test adds. */
export function buildSlide(more: Partial<BareSlide> = {}): BareSlide {
  return { text_elements: [buildText("")], image_url: null, ...more };
}

export interface TestRenderer {
  request(slide: BareSlide, settings: RenderSettings, images: Images): Promise<Response>;
  render(slide: BareSlide, settings: RenderSettings, images?: Images): Promise<RenderedImage>;
  renderFailing(slide: BareSlide, settings: RenderSettings, images?: Images): Promise<RenderFailure>;
}

let shared: { engine: RenderEngine; handleRequest: RenderHandler } | null = null;

function openShared() {
  const engine = openRenderEngine(compiled);
  return { engine, handleRequest: createRenderHandler(() => engine) };
}

export function createTestRenderer(fonts: FontFiles): TestRenderer {
  shared ??= openShared();
  const { engine, handleRequest } = shared;

  async function sendRequest(slide: BareSlide, settings: RenderSettings, images: Images): Promise<Response> {
    const renderRequest: RenderRequest = { slide, settings, allowedHosts: [HOST] };
    const request = new Request("http://rendering/", { method: "POST", body: JSON.stringify(renderRequest) });
    const fetch = async (address: string | URL | Request) => {
      const found = images[new URL(String(address)).pathname.slice(1)];
      return found ? new Response(new Uint8Array(found)) : new Response(null, { status: 404 });
    };
    return handleRequest(request, { fonts, fetch: fetch as typeof globalThis.fetch, resolveHost: async () => [] });
  }

  return {
    request: sendRequest,
    async render(slide, settings, images = {}) {
      const response = await sendRequest(slide, settings, images);
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      const size = { width: Number(response.headers.get("x-width")), height: Number(response.headers.get("x-height")) };
      const bytes = new Uint8Array(await response.arrayBuffer());
      // Several times faster than our own decoder, which decode-image.test.ts compares with it.
      return toRenderedImage(bytes, await engine.rasterize(bytes, size), size);
    },
    async renderFailing(slide, settings, images = {}) {
      const rejected = await sendRequest(slide, settings, images);
      if (rejected.status !== 422) throw new Error(`expected a failure, not ${rejected.status}`);
      return rejected.json();
    },
  };
}

export interface RenderedImage {
  bytes: Uint8Array;
  width: number;
  height: number;
  /** The colour at a position in percent of the slide. */
  at(x: number, y: number): Color;
  /** Counts the pixels near a colour, with their bounding box in pixels. */
  find(color: Color): ColorArea;
  /** The pixels of a rectangle, in pixels, as RGBA. */
  crop(left: number, top: number, width: number, height: number): PixelArea;
}

export interface PixelArea {
  pixels: Uint8Array;
  /** Like that of an image. */
  find(color: Color): ColorArea;
}

export interface ColorArea {
  count: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** JPEG blurs edges; flat colours deviate by less than this. */
const MAX_CHANNEL_DIFFERENCE = 14;

export function isNear(one: Color, other: Color): boolean {
  return [0, 1, 2].every((channel) => Math.abs((one[channel] ?? 0) - (other[channel] ?? 0)) <= MAX_CHANNEL_DIFFERENCE);
}

/** Decodes to RGBA of the size `fit.out`. */
export async function decodeToRgba(
  decode: (bytes: Uint8Array, fit: CropAndScale, into: Uint8Array) => void | Promise<void>,
  bytes: Uint8Array,
  fit: CropAndScale,
): Promise<Uint8Array> {
  const data = new Uint8Array(fit.out.width * fit.out.height * 4);
  await decode(bytes, fit, data);
  return data;
}

function toRenderedImage(bytes: Uint8Array, rgba: Uint8Array, size: { width: number; height: number }): RenderedImage {
  const { width, height } = size;
  const toIndex = (percent: number, length: number) => Math.min(length - 1, Math.floor((percent * length) / 100));
  return {
    bytes,
    ...size,
    at(x, y) {
      const from = (toIndex(y, height) * width + toIndex(x, width)) * 4;
      const [red = 0, green = 0, blue = 0] = rgba.subarray(from, from + 3);
      return [red, green, blue];
    },
    find: (color) => findColor(rgba, width, color),
    crop(left, top, columns, rows) {
      const pixels = new Uint8Array(columns * rows * 4);
      for (let row = 0; row < rows; row++) {
        const from = ((top + row) * width + left) * 4;
        pixels.set(rgba.subarray(from, from + columns * 4), row * columns * 4);
      }
      return { pixels, find: (color) => findColor(pixels, columns, color) };
    },
  };
}

function findColor(rgba: Uint8Array, width: number, [red, green, blue]: Color): ColorArea {
  const found = { count: 0, left: width, right: -1, top: rgba.length / 4 / width, bottom: -1 };
  const isNearTo = (one: number, other: number) => Math.abs(one - other) <= MAX_CHANNEL_DIFFERENCE;
  for (let from = 0; from < rgba.length; from += 4) {
    if (!isNearTo(rgba[from] ?? 0, red)) continue;
    if (!isNearTo(rgba[from + 1] ?? 0, green) || !isNearTo(rgba[from + 2] ?? 0, blue)) continue;
    const [column, row] = [(from / 4) % width, Math.floor(from / 4 / width)];
    found.count += 1;
    found.left = Math.min(found.left, column);
    found.right = Math.max(found.right, column);
    found.top = Math.min(found.top, row);
    found.bottom = Math.max(found.bottom, row);
  }
  return found;
}
