// Slides: a sheet of all that can be drawn, what one costs in the Worker and natively, and its memory and size.
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type Node, Renderer } from "@takumi-rs/core";
import { unstable_readConfig as readConfig } from "wrangler";
import { openFontStore } from "../../lib/drawing/font-store.ts";
import { MEMORY, type Order } from "../../lib/drawing/order.ts";
import { painterWith } from "../../lib/drawing/renderer.ts";
import { picturesOf, sceneOf } from "../../lib/drawing/scene.ts";
import { drawingOf } from "../../lib/drawing/settings.ts";
import { typeset } from "../../lib/drawing/text.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { FONTS } from "../drawing/fonts.ts";
import { build, type DrawingWorker, gzipKiB, startDrawingWorker } from "./drawing-worker.ts";
import { contactSheet, type Shot, shots, type Url } from "./gallery.ts";
import { takePhotos } from "./photos.ts";
import type { Context, Section, Table } from "./section.ts";

const ROOT = join(import.meta.dirname, "../..");
const RESULTS = join(ROOT, ".bench");
const MEMORY_MIB = 128;
const SLIDES = 10;

type Draw = (order: Order) => Promise<Response>;

const section: Section = {
  title: "Drawing slides",

  async run(context) {
    const { folder, short, say } = context;
    const [drawing, api, both] = await Promise.all([
      build(join(ROOT, "functions/drawing/wrangler.toml"), join(folder, "built-drawing")),
      build(join(ROOT, "wrangler.toml"), join(folder, "built-api")),
      build(await configWithBoth(folder), join(folder, "built-both")),
    ]);
    say("built");
    const photos = await hostPhotos(context);
    const worker = await startDrawingWorker(drawing, context);
    const memory = await measureMemory(worker, photos);
    say(`${SLIDES} slides with photos of 12 megapixels drawn`);
    const times = await measureTimes(worker.draw, natively(), photos, short);
    say("timed beside native drawing");
    await drawGallery(worker.draw, photos, say);
    return [times, memory, await sizes({ api, drawing, both })];
  },
};

export default section;

interface Photos {
  orderOf: (shot: Omit<Shot, "name">) => Order;
  /** Of 12 megapixels, and of 2. */
  large: Url;
  small: Url;
}

async function hostPhotos({ atEnd }: Context): Promise<Photos> {
  const photos = await takePhotos();
  const sticker = await polaroid(photos.get("dusk")?.small ?? new Uint8Array());
  photos.set("sticker", { large: sticker, small: sticker });
  const server = createServer((request, response) => {
    const [, size, name = ""] = request.url?.split("/") ?? [];
    const found = photos.get(name)?.[size === "large" ? "large" : "small"];
    response.writeHead(found ? 200 : 404, { "content-type": "image/jpeg" }).end(found ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => new Promise((resolve) => server.close(resolve)));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    large: (photo) => `http://${host}/large/${photo}`,
    small: (photo) => `http://${host}/small/${photo}`,
    orderOf: ({ slide, settings }) => ({ slide, settings, allowedHosts: [host] }),
  };
}

async function polaroid(photo: Uint8Array): Promise<Uint8Array> {
  const size = { width: 900, height: 860 };
  const image = { type: "image", src: photo, style: { width: 820, height: 700, objectFit: "cover" } };
  const style = { ...size, padding: 40, backgroundColor: "#fbfaf5", display: "block" };
  const root = { type: "container", style, children: [image] };
  return new Renderer().render(root as Node, { ...size, format: "jpeg", quality: 90 });
}

/** The same scenes by the renderer compiled for this machine, which takes the photos whole and decodes them itself. */
function natively(): Draw {
  const open = () => Object.assign(new Renderer(), { free() {} });
  const painter = painterWith(open as never, () => 0);
  const store = openFontStore(FONTS);
  return async ({ slide, settings }) => {
    const contents = slide.text_elements.map(({ content }) => content);
    const text = typeset(contents, await store.index());
    const images = picturesOf(slide, settings).map(async ({ url }) => (await fetch(url)).arrayBuffer());
    const encoded = (await Promise.all(images)).map((bytes) => new Uint8Array(bytes));
    const scene = sceneOf(slide, settings, encoded as never, text);
    const faces = await store.load(text.faces);
    const bytes = await painter.paint(scene, drawingOf(settings).canvas, faces, text.language, "jpeg");
    return new Response(new Uint8Array(bytes));
  };
}

async function picture(draw: Draw, order: Order): Promise<{ bytes: Uint8Array; memory: number }> {
  const answer = await draw(order);
  if (!answer.ok) throw new Error(`A slide was not drawn: ${answer.status} ${await answer.text()}`);
  return { bytes: new Uint8Array(await answer.arrayBuffer()), memory: Number(answer.headers.get(MEMORY)) };
}

async function measureTimes(worker: Draw, native: Draw, photos: Photos, short: boolean): Promise<Table> {
  const rounds = short ? 2 : 12;
  const rows: Table["rows"] = [];
  for (const [slide, order] of Object.entries(timed(photos)).slice(0, short ? 3 : undefined)) {
    const spent = { worker: [] as number[], native: [] as number[] };
    // Rounds, not blocks: what slows the machine for a while slows both alike.
    for (let round = 0; round <= rounds; round++) {
      const [inWorker, inNode] = [await msOf(worker, order), await msOf(native, order)];
      // The first one warms up.
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
      "Warm, from the order to the last byte, photos of 12 megapixels fetched and decoded. Native is the same scene in Node: " +
      "the renderer compiled for this machine, on as many cores as it takes, within whatever memory it takes.",
    rows,
    broken: [],
  };
}

function timed({ large, orderOf }: Photos): Record<string, Order> {
  const settings = { aspect_ratio: "9:16" };
  const all = new Map(shots(large).map(({ name, slide }) => [name, slide]));
  const order = (name: string, more: Partial<BareSlide> = {}) => {
    const slide = all.get(name);
    if (!slide) throw new Error(`there is no slide called ${name}`);
    return orderOf({ slide: { ...slide, ...more }, settings });
  };
  return {
    "words alone": order("own colours"),
    "title on a photo of 12 megapixels": order("preset tiktok"),
    "collage of four such photos": order("collage 2x2"),
    "title on a blurred photo": order("preset tiktok", { background_filters: { blur: 16 } }),
    "three overlays on a photo": order("overlays"),
  };
}

async function msOf(draw: Draw, order: Order): Promise<number> {
  const began = performance.now();
  await picture(draw, order);
  return performance.now() - began;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
}

async function measureMemory(worker: DrawingWorker, { large, orderOf }: Photos): Promise<Table> {
  const idle = worker.memory();
  const photos = ["dusk", "morning", "desert", "night"] as const;
  const tall = shots(large).filter(({ name }) => name.startsWith("preset"));
  let renderer = 0;
  for (let at = 0; at < SLIDES; at++) {
    const shot = tall[at % tall.length];
    if (!shot) throw new Error("there are no presets to draw");
    const slide = { ...shot.slide, image_url: large(photos[at % photos.length] ?? "dusk") };
    renderer = Math.max(renderer, (await picture(worker.draw, orderOf({ ...shot, slide }))).memory);
  }
  const busy = worker.memory();
  const grown = idle && busy ? busy.most - idle.now : null;
  return {
    title: `Memory for ${SLIDES} slides with photos of 12 megapixels, MiB`,
    note: "Of a bare workerd with the drawing Worker alone; the renderer's memory is part of the process's.",
    rows: [
      { what: "renderer", MiB: Math.round(renderer / 1024 / 1024) },
      { what: "process before the first slide", MiB: idle?.now ?? null },
      { what: "process at its most", MiB: busy?.most ?? null },
      { what: "grown by", MiB: grown, "at most": MEMORY_MIB },
    ],
    broken:
      grown !== null && grown > MEMORY_MIB ? [`ten slides took ${grown} MiB, at most ${MEMORY_MIB} are there`] : [],
  };
}

async function sizes({ api, drawing, both }: Record<"api" | "drawing" | "both", string>): Promise<Table> {
  return {
    title: "Size of the Workers, KiB gzip",
    rows: [
      { what: "API without drawing, as deployed", KiB: await gzipKiB(api) },
      { what: "drawing on its own, as deployed", KiB: await gzipKiB(drawing) },
      { what: "API with drawing in it", KiB: await gzipKiB(both) },
    ],
    broken: [],
  };
}

/** The API as it is deployed, with the drawing Worker's code in it. */
async function configWithBoth(folder: string): Promise<string> {
  const home = join(folder, "both");
  await mkdir(home, { recursive: true });
  const path = (name: string) => JSON.stringify(join(ROOT, name));
  await writeFile(
    join(home, "index.ts"),
    `import api from ${path("functions/index.ts")};
import drawing from ${path("functions/drawing/draw.ts")};
export default { ...api, drawing };
`,
  );
  const { alias, minify, compatibility_date } = readConfig({ config: join(ROOT, "wrangler.toml") });
  const absolute = Object.entries<string>(alias ?? {}).map(([name, target]) => [name, join(ROOT, target)]);
  const config = { name: "both", main: "index.ts", minify, compatibility_date, alias: Object.fromEntries(absolute) };
  await writeFile(join(home, "wrangler.json"), JSON.stringify(config));
  return join(home, "wrangler.json");
}

async function drawGallery(draw: Draw, { small, orderOf }: Photos, say: Context["say"]): Promise<void> {
  const pictures: { name: string; bytes: Uint8Array }[] = [];
  for (const shot of shots(small)) {
    pictures.push({ name: shot.name, bytes: (await picture(draw, orderOf(shot))).bytes });
  }
  const font = await readFile(join(ROOT, ".fonts/inter-latin-700-normal.woff2"));
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, "slides.png"), await contactSheet(pictures, font));
  say(`${pictures.length} slides on one sheet: .bench/slides.png`);
}
