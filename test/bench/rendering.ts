// Rendering: a contact sheet of all features, time in the Worker and natively, memory and bundle size.
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type Node, Renderer } from "@takumi-rs/core";
import { unstable_readConfig as readConfig } from "wrangler";
import { computeCropAndScale } from "../../lib/rendering/decode/crop-and-downscale.ts";
import { readImageHeader } from "../../lib/rendering/decode/image-header.ts";
import { selectFonts } from "../../lib/rendering/font-selection.ts";
import { openFontStore } from "../../lib/rendering/font-store.ts";
import { createMeasuredScene } from "../../lib/rendering/measured-scene.ts";
import { createRenderEngine, type RenderEngine } from "../../lib/rendering/renderer.ts";
import { type DecodedImage, type ImageRequest, listImages } from "../../lib/rendering/scene.ts";
import { resolveRenderOptions } from "../../lib/rendering/settings.ts";
import { MEMORY_HEADER, type RenderRequest } from "../../lib/rendering/worker-protocol.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { FONTS } from "../rendering/fonts.ts";
import { measureQuality, type QualityInput } from "./drawing-quality.ts";
import { buildGallerySlides, type GallerySlide, type Url } from "./gallery.ts";
import { generatePhotos } from "./photos.ts";
import { buildWorker, measureGzipKiB, type RenderingWorker, startRenderingWorker } from "./rendering-worker.ts";
import type { BenchContext, Section, Table } from "./section.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_MEMORY_MIB = 128;
const SLIDES = 10;

type RenderSlide = (request: RenderRequest) => Promise<Response>;

const section: Section = {
  title: "Rendering slides",

  async run(context) {
    const { folder, short, log } = context;
    const [rendering, api, both] = await Promise.all([
      buildWorker(join(ROOT, "functions/rendering/wrangler.toml"), join(folder, "built-rendering")),
      buildWorker(join(ROOT, "wrangler.toml"), join(folder, "built-api")),
      buildWorker(await writeCombinedConfig(folder), join(folder, "built-both")),
    ]);
    log("built");
    const photos = await servePhotos(context);
    const worker = await startRenderingWorker(rendering, context);
    const memory = await measureMemory(worker, photos);
    log(`${SLIDES} slides with photos of 12 megapixels rendered`);
    const times = await measureTimes(worker.render, createNativeRenderer(), photos, short);
    log("timed in comparison with native rendering");
    const quality = await measureQuality(await createQualityInput(worker.render, photos), context);
    return [times, memory, await measureSizes({ api, rendering, both }), ...quality];
  },
};

export default section;

interface Photos {
  toJob: (gallerySlide: Omit<GallerySlide, "name">) => RenderRequest;
  /** Photos of 12 and of 2 megapixels. */
  large: Url;
  small: Url;
}

async function servePhotos({ onCleanup }: BenchContext): Promise<Photos> {
  const photos = await generatePhotos();
  const sticker = await renderPolaroid(photos.get("dusk")?.small ?? new Uint8Array());
  photos.set("sticker", { large: sticker, small: sticker });
  const server = createServer((request, response) => {
    const [, size, name = ""] = request.url?.split("/") ?? [];
    const found = photos.get(name)?.[size === "large" ? "large" : "small"];
    response.writeHead(found ? 200 : 404, { "content-type": "image/jpeg" }).end(found ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onCleanup(() => new Promise((resolve) => server.close(resolve)));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    large: (photo) => `http://${host}/large/${photo}`,
    small: (photo) => `http://${host}/small/${photo}`,
    toJob: ({ slide, settings }) => ({ slide, settings, allowedHosts: [host] }),
  };
}

async function renderPolaroid(photo: Uint8Array): Promise<Uint8Array> {
  const size = { width: 900, height: 860 };
  const image = { type: "image", src: photo, style: { width: 820, height: 700, objectFit: "cover" } };
  const style = { ...size, padding: 40, backgroundColor: "#fbfaf5", display: "block" };
  const root = { type: "container", style, children: [image] };
  return new Renderer().render(root as Node, { ...size, format: "jpeg", quality: 90 });
}

async function createQualityInput(render: RenderSlide, { small, toJob }: Photos): Promise<QualityInput> {
  return {
    drawing: { engine: openNativeEngine(), fonts: openFontStore(FONTS) },
    slides: buildGallerySlides(small),
    render: async (slide) => (await renderSlide(render, toJob(slide))).bytes,
    captionFont: await readFile(join(ROOT, ".fonts/inter-latin-700-normal.woff2")),
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
  for (const [slide, request] of Object.entries(listTimedJobs(photos)).slice(0, short ? 3 : undefined)) {
    const spent = { worker: [] as number[], native: [] as number[] };
    // Alternates between both, so that temporary load affects them equally.
    for (let round = 0; round <= rounds; round++) {
      const [inWorker, inNode] = [await measureMs(worker, request), await measureMs(native, request)];
      // The first round is the warm-up.
      if (round === 0) continue;
      spent.worker.push(inWorker);
      spent.native.push(inNode);
    }
    const [inWorker, inNode] = [median(spent.worker), median(spent.native)];
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

function listTimedJobs({ large, toJob }: Photos): Record<string, RenderRequest> {
  const settings = { aspect_ratio: "9:16" };
  const all = new Map(buildGallerySlides(large).map(({ name, slide }) => [name, slide]));
  const buildJob = (name: string, more: Partial<BareSlide> = {}) => {
    const slide = all.get(name);
    if (!slide) throw new Error(`unknown slide ${name}`);
    return toJob({ slide: { ...slide, ...more }, settings });
  };
  return {
    "text only": buildJob("custom colors"),
    "title on a photo of 12 megapixels": buildJob("preset tiktok"),
    "collage of four such photos": buildJob("collage 2x2"),
    "title on a blurred photo": buildJob("preset tiktok", { background_filters: { blur: 16 } }),
    "three overlays on a photo": buildJob("overlays"),
  };
}

async function measureMs(render: RenderSlide, request: RenderRequest): Promise<number> {
  const began = performance.now();
  await renderSlide(render, request);
  return performance.now() - began;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
}

async function measureMemory(worker: RenderingWorker, { large, toJob }: Photos): Promise<Table> {
  const idle = worker.readMemory();
  const photos = ["dusk", "morning", "desert", "night"] as const;
  const tall = buildGallerySlides(large).filter(({ name }) => name.startsWith("preset"));
  let renderer = 0;
  for (let at = 0; at < SLIDES; at++) {
    const gallerySlide = tall[at % tall.length];
    if (!gallerySlide) throw new Error("no presets to render");
    const slide = { ...gallerySlide.slide, image_url: large(photos[at % photos.length] ?? "dusk") };
    renderer = Math.max(renderer, (await renderSlide(worker.render, toJob({ ...gallerySlide, slide }))).memory);
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

async function measureSizes({ api, rendering, both }: Record<"api" | "rendering" | "both", string>): Promise<Table> {
  return {
    title: "Size of the Workers, KiB gzip",
    rows: [
      { what: "API without rendering, as deployed", KiB: await measureGzipKiB(api) },
      { what: "rendering Worker, as deployed", KiB: await measureGzipKiB(rendering) },
      { what: "API including rendering", KiB: await measureGzipKiB(both) },
    ],
    broken: [],
  };
}

/** The configuration of a Worker that contains the API and the rendering Worker. */
async function writeCombinedConfig(folder: string): Promise<string> {
  const home = join(folder, "both");
  await mkdir(home, { recursive: true });
  const path = (name: string) => JSON.stringify(join(ROOT, name));
  await writeFile(
    join(home, "index.ts"),
    `import api from ${path("functions/index.ts")};
import rendering from ${path("functions/rendering/worker.ts")};
export default { ...api, rendering };
`,
  );
  const { alias, minify, compatibility_date } = readConfig({ config: join(ROOT, "wrangler.toml") });
  const absolute = Object.entries<string>(alias ?? {}).map(([name, target]) => [name, join(ROOT, target)]);
  const config = { name: "both", main: "index.ts", minify, compatibility_date, alias: Object.fromEntries(absolute) };
  await writeFile(join(home, "wrangler.json"), JSON.stringify(config));
  return join(home, "wrangler.json");
}
