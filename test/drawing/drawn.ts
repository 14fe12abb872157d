// Draws slides by the service in this process and looks at their pixels.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import type { Fit } from "../../lib/drawing/decode/fit.ts";
import { decodeJpeg } from "../../lib/drawing/decode/jpeg.ts";
import type { Files } from "../../lib/drawing/font-store.ts";
import type { Order, Refused } from "../../lib/drawing/order.ts";
import { openPainter } from "../../lib/drawing/renderer.ts";
import { openService, type Service } from "../../lib/drawing/service.ts";
import type { DrawnSettings } from "../../lib/drawing/settings.ts";
import type { BareSlide, TextElement } from "../../lib/schemas/slide.ts";
import type { Color } from "./images.ts";

const HOST = "pictures.test";

/** Where a slide finds an image that the test gave this name. */
export function urlOf(name: string): string {
  return `http://${HOST}/${name}`;
}

export type Images = Record<string, Uint8Array>;

export function text(content: string, more: Partial<TextElement> = {}): TextElement {
  return { content, x: 50, y: 50, ...more };
}

/** A slide that shows nothing but what the test adds. */
export function slide(more: Partial<BareSlide> = {}): BareSlide {
  return { text_elements: [text("")], image_url: null, ...more };
}

export interface Artist {
  answer(slide: BareSlide, settings: DrawnSettings, images: Images): Promise<Response>;
  draw(slide: BareSlide, settings: DrawnSettings, images?: Images): Promise<Picture>;
  refusal(slide: BareSlide, settings: DrawnSettings, images?: Images): Promise<Refused>;
}

let service: Service | null = null;

export function artistWith(fonts: Files): Artist {
  service ??= openService(() => openPainter(compiled));
  const serve = service;

  async function answer(slide: BareSlide, settings: DrawnSettings, images: Images): Promise<Response> {
    const order: Order = { slide, settings, allowedHosts: [HOST] };
    const request = new Request("http://drawing/", { method: "POST", body: JSON.stringify(order) });
    const fetch = async (address: string | URL | Request) => {
      const found = images[new URL(String(address)).pathname.slice(1)];
      return found ? new Response(new Uint8Array(found)) : new Response(null, { status: 404 });
    };
    return serve(request, { fonts, fetch: fetch as typeof globalThis.fetch, resolveHost: async () => [] });
  }

  return {
    answer,
    async draw(slide, settings, images = {}) {
      const drawn = await answer(slide, settings, images);
      if (!drawn.ok) throw new Error(`${drawn.status}: ${await drawn.text()}`);
      return pictureFrom(new Uint8Array(await drawn.arrayBuffer()), {
        width: Number(drawn.headers.get("x-width")),
        height: Number(drawn.headers.get("x-height")),
      });
    },
    async refusal(slide, settings, images = {}) {
      const refused = await answer(slide, settings, images);
      if (refused.status !== 422) throw new Error(`expected a refusal, not ${refused.status}`);
      return refused.json();
    },
  };
}

export interface Picture {
  bytes: Uint8Array;
  width: number;
  height: number;
  /** At percent of the slide. */
  at(x: number, y: number): Color;
  /** How many pixels are near a colour, and the box around them in pixels. */
  find(color: Color): Found;
}

export interface Found {
  count: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** JPEG smears an edge over its neighbours; a flat colour stays within this much. */
const NEAR = 14;

export function near(one: Color, other: Color): boolean {
  return [0, 1, 2].every((channel) => Math.abs((one[channel] ?? 0) - (other[channel] ?? 0)) <= NEAR);
}

/** RGBA of the size that the fit asks for. */
export async function decoded(
  decode: (bytes: Uint8Array, fit: Fit, into: Uint8Array) => void | Promise<void>,
  bytes: Uint8Array,
  fit: Fit,
): Promise<Uint8Array> {
  const data = new Uint8Array(fit.out.width * fit.out.height * 4);
  await decode(bytes, fit, data);
  return data;
}

async function pictureFrom(bytes: Uint8Array, size: { width: number; height: number }): Promise<Picture> {
  const { width, height } = size;
  const rgba = await decoded(decodeJpeg, bytes, { crop: { left: 0, top: 0, ...size }, out: size });
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
          if (!near(pixel(column, row), color)) continue;
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
