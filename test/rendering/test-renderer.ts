// Renders slides in this process and reads their pixels.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import type { CropAndScale } from "../../lib/rendering/decode/crop-and-downscale.ts";
import { decodeJpeg } from "../../lib/rendering/decode/jpeg.ts";
import type { FontFiles } from "../../lib/rendering/font-store.ts";
import { openRenderEngine } from "../../lib/rendering/renderer.ts";
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

let service: RenderHandler | null = null;

export function createTestRenderer(fonts: FontFiles): TestRenderer {
  service ??= createRenderHandler(() => openRenderEngine(compiled));
  const handleRequest = service;

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
      return toRenderedImage(new Uint8Array(await response.arrayBuffer()), {
        width: Number(response.headers.get("x-width")),
        height: Number(response.headers.get("x-height")),
      });
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

async function toRenderedImage(bytes: Uint8Array, size: { width: number; height: number }): Promise<RenderedImage> {
  const { width, height } = size;
  const rgba = await decodeToRgba(decodeJpeg, bytes, { crop: { left: 0, top: 0, ...size }, out: size });
  const pixel = (column: number, row: number): Color => {
    const from = (row * width + column) * 4;
    return [rgba[from] ?? 0, rgba[from + 1] ?? 0, rgba[from + 2] ?? 0];
  };
  return {
    bytes,
    ...size,
    at: (x, y) =>
      pixel(Math.min(width - 1, Math.floor((x * width) / 100)), Math.min(height - 1, Math.floor((y * height) / 100))),
    find(color) {
      const found = { count: 0, left: width, right: -1, top: height, bottom: -1 };
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          if (!isNear(pixel(column, row), color)) continue;
          found.count += 1;
          found.left = Math.min(found.left, column);
          found.right = Math.max(found.right, column);
          found.top = Math.min(found.top, row);
          found.bottom = Math.max(found.bottom, row);
        }
      }
      return found;
    },
  };
}
