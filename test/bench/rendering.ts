// Rendering slides: time in the Worker and natively, and memory.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Renderer } from "@takumi-rs/core";
import { readImageHeader } from "../../lib/media/image/image-header.ts";
import { computeCropAndScale } from "../../lib/rendering/decode/crop-and-downscale.ts";
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import { openFontStore } from "../../lib/rendering/font-store.ts";
import { createMeasuredScene } from "../../lib/rendering/measured-scene.ts";
import { createRenderEngine, type RenderEngine } from "../../lib/rendering/renderer.ts";
import { type DecodedImage, type ImageRequest, listImages } from "../../lib/rendering/scene.ts";
import { resolveRenderOptions } from "../../lib/rendering/settings.ts";
import { MEMORY_HEADER, type RenderRequest } from "../../lib/rendering/worker-protocol.ts";
import type { BareSlide, TextElement } from "../../lib/schemas/slide.ts";
import { runCommand, type Tools, tools } from "../media/media-tools.ts";
import { FONTS } from "../rendering/fonts.ts";
import { median } from "../support/statistics.ts";
import { buildWorker, type RenderingWorker, startRenderingWorker } from "./rendering-worker.ts";
import type { BenchContext, Section, Table } from "./section.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_MEMORY_MIB = 128;
const SLIDES = 10;
const PHOTOS = 4;

type RenderSlide = (request: RenderRequest) => Promise<Response>;

const section: Section = {
  title: "Rendering slides",

  async run(context) {
    const { folder, short, log } = context;
    const title = "Rendering slides";
    if (!tools) return [{ title, note: "Skipped: ffmpeg and ImageMagick are not installed.", rows: [], broken: [] }];
    const built = await buildWorker(join(ROOT, "functions/rendering/wrangler.toml"), join(folder, "built-rendering"));
    const photos = await servePhotos(tools, context);
    const worker = await startRenderingWorker(built, context);
    const memory = await measureMemory(worker, photos);
    log(`${SLIDES} slides with photos of 12 megapixels rendered`);
    return [await measureTimes(worker.render, createNativeRenderer(), photos, short), memory];
  },
};

export default section;

interface Photos {
  toRequest(slide: BareSlide): RenderRequest;
  /** The URL of a photo of 12 megapixels. */
  getUrl(photo: number): string;
}

async function servePhotos({ ffmpeg }: Tools, { folder, onCleanup }: BenchContext): Promise<Photos> {
  const source = "testsrc2=s=4032x3024:r=1,noise=alls=20:allf=t";
  const frames = ["-frames:v", String(PHOTOS), "-q:v", "4", join(folder, "photo-%d.jpg")];
  await runCommand(ffmpeg, ["-v", "error", "-y", "-f", "lavfi", "-i", source, ...frames]);
  const server = createServer(async (request, response) => {
    response.writeHead(200, { "content-type": "image/jpeg" }).end(await readFile(join(folder, request.url ?? "")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onCleanup(() => new Promise((resolve) => server.close(resolve)));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    getUrl: (photo) => `http://${host}/photo-${(photo % PHOTOS) + 1}.jpg`,
    toRequest: (slide) => ({ slide, settings: { aspect_ratio: "9:16" }, allowedHosts: [host] }),
  };
}

function openNativeEngine() {
  const open = () => Object.assign(new Renderer(), { free() {} });
  return createRenderEngine(open as never, () => 0);
}

/** Renders the same scenes with the native renderer, which decodes the original photos itself. */
function createNativeRenderer(): RenderSlide {
  const engine = openNativeEngine();
  const store = openFontStore(FONTS);
  return async ({ slide, settings }) => {
    const contents = slide.text_elements.map(({ content }) => content);
    const text = selectFonts(contents, await store.index());
    const images = listImages(slide, settings).map((request) => decodeNatively(engine, request));
    const scene = createMeasuredScene(slide, settings, await Promise.all(images), text);
    const fonts = { ...text, faces: await store.load(text.faces) };
    const bytes = await engine.renderScene(scene, resolveRenderOptions(settings).canvas, fonts, "jpeg");
    return new Response(new Uint8Array(bytes));
  };
}

async function decodeNatively(engine: RenderEngine, request: ImageRequest): Promise<DecodedImage> {
  const bytes = new Uint8Array(await (await fetch(request.url)).arrayBuffer());
  const { out } = computeCropAndScale(readImageHeader(bytes), request);
  return { ...out, data: await engine.rasterize(bytes, out), premultiplied: false };
}

async function renderSlide(
  render: RenderSlide,
  request: RenderRequest,
): Promise<{ bytes: Uint8Array; memory: number }> {
  const response = await render(request);
  if (!response.ok) throw new Error(`Rendering failed: ${response.status} ${await response.text()}`);
  return { bytes: new Uint8Array(await response.arrayBuffer()), memory: Number(response.headers.get(MEMORY_HEADER)) };
}

async function measureTimes(worker: RenderSlide, native: RenderSlide, photos: Photos, short: boolean): Promise<Table> {
  const rounds = short ? 2 : 12;
  const rows: Table["rows"] = [];
  for (const [slide, request] of Object.entries(listTimedRequests(photos)).slice(0, short ? 3 : undefined)) {
    const spent = { worker: [] as number[], native: [] as number[] };
    // Alternates between both, so that temporary load affects them equally.
    for (let round = 0; round <= rounds; round++) {
      const [inWorker, inNode] = [await measureMs(worker, request), await measureMs(native, request)];
      // The first round is the warm-up.
      if (round === 0) continue;
      spent.worker.push(inWorker);
      spent.native.push(inNode);
    }
    const [inWorker, inNode] = [spent.worker, spent.native].map((times) => Math.round(median(times))) as [
      number,
      number,
    ];
    rows.push({ slide, "Worker ms": inWorker, "native ms": inNode, times: Number((inWorker / inNode).toFixed(2)) });
  }
  return {
    title: `Milliseconds per slide of 1080 x 1920, median of ${rounds}`,
    note:
      "Warm, from the request to the last byte, including fetching and decoding photos of 12 megapixels. Native is the same " +
      "scene in Node with the native renderer, without limits on cores and memory.",
    rows,
    broken: [],
  };
}

const PRESETS = ["tiktok", "inverted", "shadow", "white", "black"] as const;

function buildText(content: string, y: number, more: Partial<TextElement> = {}): TextElement {
  return { content, x: 50, y, width: 84, ...more };
}

function buildTitleSlide(style_preset: (typeof PRESETS)[number], image_url: string): BareSlide {
  return {
    image_url,
    text_elements: [
      buildText("5 tiny habits that made my mornings calm ☀️", 30, { style_preset, font_size: 92 }),
      buildText("number 3 took me ten years to learn 🙈", 72, { style_preset, font_size: 56 }),
    ],
  };
}

function listTimedRequests({ getUrl, toRequest }: Photos): Record<string, RenderRequest> {
  const title = buildTitleSlide("tiktok", getUrl(0));
  const words = [buildText("Nothing but words", 38, { style_preset: "white", font_size: 110 })];
  const overlays = [34, 52, 72].map((y, at) => ({
    id: String(at),
    image_url: getUrl(at + 1),
    x: 30 + 18 * at,
    y,
    width: 44,
    height: 24,
    rotation: 9 * at - 14,
    opacity: 1 - 0.2 * at,
  }));
  return {
    "text only": toRequest({ image_url: null, text_elements: words }),
    "title on a photo of 12 megapixels": toRequest(title),
    "collage of four such photos": toRequest({
      image_url: null,
      text_elements: words,
      grid_images: [0, 1, 2, 3].map(getUrl),
      grid_type: "2x2",
    }),
    "title on a blurred photo": toRequest({ ...title, background_filters: { blur: 16 } }),
    "three overlays on a photo": toRequest({ ...title, image_overlays: overlays }),
  };
}

async function measureMs(render: RenderSlide, request: RenderRequest): Promise<number> {
  const began = performance.now();
  await renderSlide(render, request);
  return performance.now() - began;
}

async function measureMemory(worker: RenderingWorker, { getUrl, toRequest }: Photos): Promise<Table> {
  const idle = worker.readMemory();
  let renderer = 0;
  for (let at = 0; at < SLIDES; at++) {
    const slide = buildTitleSlide(PRESETS[at % PRESETS.length] ?? "tiktok", getUrl(at));
    renderer = Math.max(renderer, (await renderSlide(worker.render, toRequest(slide))).memory);
  }
  const busy = worker.readMemory();
  const grown = idle && busy ? busy.peak - idle.now : null;
  return {
    title: `Memory for ${SLIDES} slides with photos of 12 megapixels, MiB`,
    note: "A workerd process with only the rendering Worker; the memory of the process includes that of the renderer.",
    rows: [
      { what: "renderer", MiB: Math.round(renderer / 1024 / 1024) },
      { what: "process before the first slide", MiB: idle?.now ?? null },
      { what: "process at its peak", MiB: busy?.peak ?? null },
      { what: "grown by", MiB: grown, "at most": MAX_MEMORY_MIB },
    ],
    broken:
      grown !== null && grown > MAX_MEMORY_MIB ? [`ten slides took ${grown} MiB, the limit is ${MAX_MEMORY_MIB}`] : [],
  };
}
