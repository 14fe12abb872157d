// The renderer, compiled to WebAssembly: one instance per isolate, whose memory only grows, so what goes in is bounded.
import type { Node } from "@takumi-rs/helpers";
import { initSync, Renderer, setGlyphCacheMaxBytes } from "@takumi-rs/wasm";
import type { Face } from "./font-index.ts";
import type { Size } from "./settings.ts";

export interface LoadedFace extends Face {
  data: Uint8Array;
}

export interface Painter {
  /** A JPEG without colour subsampling, or a PNG. The same input gives the same bytes. */
  paint(node: Node, size: Size, faces: LoadedFace[], language: string, format: Format): Promise<Uint8Array>;
  /** RGBA of an encoded image that covers the size. */
  rasterize(bytes: Uint8Array, size: Size): Promise<Uint8Array>;
  /** Bytes that the renderer holds. */
  memory(): number;
}

export type Format = "jpeg" | "png";

const JPEG_QUALITY = 88;
/** The letters of a few slides; it lives as long as the instance does. */
const GLYPH_CACHE_BYTES = 2 * 1024 * 1024;

/** What a renderer is asked for, compiled to WebAssembly or not. */
export type OneRenderer = Pick<Renderer, "render" | "free">;

export function openPainter(compiled: WebAssembly.Module): Painter {
  const { memory } = initSync({ module: compiled });
  setGlyphCacheMaxBytes(GLYPH_CACHE_BYTES);
  return painterWith(
    () => new Renderer(),
    () => memory.buffer.byteLength,
  );
}

/** A renderer for each drawing: fonts and decoded images of an earlier one can neither show nor take memory. */
export function painterWith(open: () => OneRenderer, memory: () => number): Painter {
  async function draw(node: Node, options: Parameters<OneRenderer["render"]>[1]): Promise<Uint8Array> {
    const renderer = open();
    try {
      return await renderer.render(node, options);
    } finally {
      renderer.free();
    }
  }

  return {
    memory,
    paint: (node, size, faces, language, format) =>
      draw(node, {
        ...size,
        ...(format === "jpeg" ? { format, quality: JPEG_QUALITY } : { format }),
        fonts: faces.map(({ family, data, ranges }) => ({ name: family, data, weight: 700, unicodeRange: ranges })),
        lang: language,
      }),
    rasterize: (bytes, { width, height }) => {
      const style = { position: "absolute", left: 0, top: 0, width, height, objectFit: "cover" } as const;
      const image: Node = { type: "image", src: bytes, style };
      const root: Node = { type: "container", style: { width, height, position: "relative" }, children: [image] };
      return draw(root, { width, height, format: "raw" });
    },
  };
}
