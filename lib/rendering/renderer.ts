// The WebAssembly renderer: one instance per isolate. Its memory never shrinks, so its input is bounded.
import type { Node } from "@takumi-rs/helpers";
import { initSync, Renderer, setGlyphCacheMaxBytes } from "@takumi-rs/wasm";
import type { FontFace } from "./font-index.ts";
import { buildFontStyle } from "./font-style.ts";
import type { Size } from "./settings.ts";
import type { MeasureTexts } from "./text-layout.ts";

export interface LoadedFontFace extends FontFace {
  data: Uint8Array;
}

export interface RenderFonts {
  faces: LoadedFontFace[];
  /** Preferred families first. */
  families: string[];
  language: string;
}

/** A node tree, or a function that builds one from measured texts. */
export type Scene = Node | ((measure: MeasureTexts) => Promise<Node>);

export interface RenderEngine {
  /** Returns a JPEG without chroma subsampling, or a PNG. The same input gives the same bytes. */
  renderScene(scene: Scene, size: Size, fonts: RenderFonts, format: Format): Promise<Uint8Array>;
  /** Calls a function that lays out texts in these fonts. */
  withMeasure<Result>(fonts: RenderFonts, run: (measure: MeasureTexts) => Promise<Result>): Promise<Result>;
  /** Decodes an image so that it covers the size. Returns RGBA. */
  rasterize(bytes: Uint8Array, size: Size): Promise<Uint8Array>;
  /** Size of the renderer's memory, in bytes. */
  memory(): number;
}

export type Format = "jpeg" | "png";

const JPEG_QUALITY = 88;
/** Enough for the glyphs of a few slides; the cache lives as long as the instance. */
const GLYPH_CACHE_BYTES = 2 * 1024 * 1024;

/** The part of a renderer in use, native or WebAssembly. */
export type WasmRenderer = Pick<Renderer, "render" | "measure" | "free">;

export function openRenderEngine(compiled: WebAssembly.Module): RenderEngine {
  const { memory } = initSync({ module: compiled });
  setGlyphCacheMaxBytes(GLYPH_CACHE_BYTES);
  return createRenderEngine(
    () => new Renderer(),
    () => memory.buffer.byteLength,
  );
}

/** Opens a renderer per call, so that fonts and images of earlier calls neither affect the output nor take memory. */
export function createRenderEngine(open: () => WasmRenderer, memory: () => number): RenderEngine {
  async function withRenderer<Result>(run: (renderer: WasmRenderer) => Promise<Result>): Promise<Result> {
    const renderer = open();
    try {
      return await run(renderer);
    } finally {
      renderer.free();
    }
  }

  return {
    memory,
    renderScene: (scene, size, fonts, format) =>
      withRenderer(async (renderer) => {
        const registered = toRendererFonts(fonts);
        const node = typeof scene === "function" ? await scene(createMeasure(renderer, fonts, registered)) : scene;
        const output = format === "jpeg" ? { format, quality: JPEG_QUALITY } : { format };
        return renderer.render(node, { ...size, ...output, fonts: registered, lang: fonts.language });
      }),
    withMeasure: (fonts, run) =>
      withRenderer((renderer) => run(createMeasure(renderer, fonts, toRendererFonts(fonts)))),
    rasterize: (bytes, { width, height }) => {
      const style = { position: "absolute", left: 0, top: 0, width, height, objectFit: "cover" } as const;
      const image: Node = { type: "image", src: bytes, style };
      const root: Node = { type: "container", style: { width, height, position: "relative" }, children: [image] };
      return withRenderer((renderer) => renderer.render(root, { width, height, format: "raw" }));
    },
  };
}

/** The fonts in the renderer's form. It registers each of these objects only once. */
function toRendererFonts({ faces }: RenderFonts) {
  return faces.map(({ family, data, ranges }) => ({ name: family, data, weight: 700, unicodeRange: ranges }));
}

/** Widths scale with the font size, because the renderer does not hint. */
const MEASURED_FONT_SIZE = 100;
/** Wider than any text that is measured. */
const MEASURED_WIDTH = 10_000_000;

function createMeasure(
  renderer: WasmRenderer,
  { families, language }: RenderFonts,
  fonts: ReturnType<typeof toRendererFonts>,
): MeasureTexts {
  return async (texts) => {
    const line = { position: "absolute", left: 0, top: 0, whiteSpace: "pre" } as const;
    const children = texts.map((text): Node => {
      return { type: "container", style: line, children: [{ type: "text", text, style: { display: "inline" } }] };
    });
    const style = { ...buildFontStyle(families), position: "relative", fontSize: MEASURED_FONT_SIZE } as const;
    const root: Node = { type: "container", style, children };
    const measured = await renderer.measure(root, { width: MEASURED_WIDTH, height: 1, fonts, lang: language });
    return measured.children.map(({ width }) => width / MEASURED_FONT_SIZE);
  };
}
