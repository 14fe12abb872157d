// The request handler of the rendering Worker: takes one slide as JSON and responds with its image, or lays out texts.

import { LIMITS } from "../media/limits.ts";
import { getVerificationFailure } from "../media/verification-error.ts";
import { describeFetchError, downloadUrl, type FetchPolicy } from "../services/safe-fetch.ts";
import {
  createIsolateConcurrencyLimiter,
  type IsolateConcurrencyLimiter,
} from "../shared/isolate-concurrency-limit.ts";
import { createBufferPool } from "./buffer-pool.ts";
import { type DecodeImage, type DecodeTools, decodeImage } from "./decode-image.ts";
import { selectFonts } from "./font-selection.ts";
import { type FontFiles, type FontStore, openFontStore } from "./font-store.ts";
import { createBindingDecoder, type ImagesService } from "./images-binding.ts";
import { layOutSlides } from "./layout-handler.ts";
import { createMeasuredScene } from "./measured-scene.ts";
import type { RenderEngine } from "./renderer.ts";
import { type DecodedImage, type ImageRequest, listImages } from "./scene.ts";
import { resolveRenderOptions } from "./settings.ts";
import {
  CONTENT_TYPE,
  HEIGHT_HEADER,
  LAYOUT_PATH,
  type LayoutRequest,
  MEMORY_HEADER,
  type RenderFailure,
  type RenderRequest,
  WIDTH_HEADER,
} from "./worker-protocol.ts";

export interface RenderWorkerServices {
  /** Serves the files of `.fonts/`. */
  fonts: FontFiles;
  fetch: typeof fetch;
  resolveHost: FetchPolicy["resolveHost"];
  /** Decodes images where it is bound; without it, the decoders here do. */
  images?: ImagesService | undefined;
}

export type RenderHandler = (request: Request, services: RenderWorkerServices) => Promise<Response>;

/** One slide renders while another one waits for its images; memory has room for two. */
const CONCURRENT_SLIDES = 2;
const FETCH_TIMEOUT_MS = 15_000;
/** Sum over all images of a slide; when they need more, all of them are decoded at a lower resolution. */
const MAX_SLIDE_PIXELS = 6_000_000;
const MAX_POOLED_BYTES = 20 * 1024 * 1024;

interface RenderState {
  engine: RenderEngine;
  fonts: FontStore;
  limiter: IsolateConcurrencyLimiter;
  decode: DecodeImage;
  tools: DecodeTools;
}

/** The renderer is opened with the first slide, so that starting the Worker stays cheap. */
export function createRenderHandler(open: () => RenderEngine): RenderHandler {
  let state: RenderState | null = null;
  return async (request, services) => {
    if (request.method !== "POST") return new Response("POST one slide.", { status: 405, headers: { Allow: "POST" } });
    state ??= createState(open(), services);
    const { engine, limiter } = state;
    if (new URL(request.url).pathname === LAYOUT_PATH) {
      const { fonts } = state;
      const layoutRequest: LayoutRequest = await request.json();
      return Response.json(await limiter(() => layOutSlides(layoutRequest, engine, fonts)));
    }
    const renderRequest: RenderRequest = await request.json();
    const rendered = await limiter(() => handleRender(renderRequest, services, state as RenderState));
    if ("why" in rendered) return Response.json(rendered satisfies RenderFailure, { status: 422 });
    const { width, height } = resolveRenderOptions(renderRequest.settings).canvas;
    return new Response(rendered.bytes, {
      headers: {
        "Content-Type": CONTENT_TYPE,
        [WIDTH_HEADER]: String(width),
        [HEIGHT_HEADER]: String(height),
        [MEMORY_HEADER]: String(engine.memory()),
      },
    });
  };
}

function createState(engine: RenderEngine, { fonts, images }: RenderWorkerServices): RenderState {
  const tools = { rasterize: engine.rasterize, buffers: createBufferPool(MAX_POOLED_BYTES) };
  return {
    engine: engine,
    fonts: openFontStore(fonts),
    limiter: createIsolateConcurrencyLimiter(CONCURRENT_SLIDES),
    decode: images ? createBindingDecoder(images) : decodeImage,
    tools,
  };
}

async function handleRender(
  renderRequest: RenderRequest,
  services: RenderWorkerServices,
  state: RenderState,
): Promise<{ bytes: Uint8Array } | RenderFailure> {
  const { engine, fonts, tools } = state;
  const { slide, settings } = renderRequest;
  const text = selectFonts(
    slide.text_elements.map(({ content }) => content),
    await fonts.index(),
  );
  if (text.missing.length > 0) return { why: "text", message: describeMissingCharacters(text.missing) };
  const images: DecodedImage[] = [];
  try {
    for (const imageRequest of limitPixels(listImages(slide, settings))) {
      const image = await loadImage(imageRequest, renderRequest, services, state);
      if ("why" in image) return image;
      images.push(image);
    }
    const renderFonts = { ...text, faces: await fonts.load(text.faces) };
    const scene = createMeasuredScene(slide, settings, images, text);
    return { bytes: await engine.renderScene(scene, resolveRenderOptions(settings).canvas, renderFonts, "jpeg") };
  } catch (error) {
    const color = findUnknownColor(error);
    if (color === null) throw error;
    return { why: "text", message: `${color} is not a valid CSS colour. Use one such as #ff0000 or red.` };
  } finally {
    for (const { data } of images) tools.buffers.release(data);
  }
}

/** Called sequentially, so that only one encoded image is in memory at a time. */
async function loadImage(
  imageRequest: ImageRequest,
  { allowedHosts }: RenderRequest,
  services: RenderWorkerServices,
  { decode, tools }: RenderState,
): Promise<DecodedImage | RenderFailure> {
  const fetchPolicy = { fetch: services.fetch, resolveHost: services.resolveHost, allowedHosts };
  const imageFailure = (why: string): RenderFailure => ({ why: "image", message: `${imageRequest.url}: ${why}` });
  let bytes: Uint8Array | null;
  try {
    bytes = await downloadUrl(fetchPolicy, imageRequest.url, {
      maxBytes: LIMITS.imageBytes,
      timeoutMs: FETCH_TIMEOUT_MS,
    });
  } catch (error) {
    return imageFailure(describeFetchError(error));
  }
  if (!bytes) return imageFailure("The image is larger than 20 MiB.");
  try {
    return await decode(bytes, imageRequest, tools);
  } catch (error) {
    const failure = getVerificationFailure(error);
    if (!failure) throw error;
    return imageFailure(failure.message);
  }
}

function limitPixels(requests: ImageRequest[]): ImageRequest[] {
  const pixels = requests.reduce((sum, { width, height }) => sum + width * height, 0);
  if (pixels <= MAX_SLIDE_PIXELS) return requests;
  const scale = Math.sqrt(MAX_SLIDE_PIXELS / pixels);
  const smaller = (length: number) => Math.max(1, Math.floor(length * scale));
  return requests.map((request) => ({ ...request, width: smaller(request.width), height: smaller(request.height) }));
}

/** Any CSS colour is valid, so only the renderer can validate them. */
function findUnknownColor(error: unknown): string | null {
  return /invalid value for \S*color\b.*?: string "([^"]*)"/i.exec(String(error))?.[1] ?? null;
}

const MAX_NAMED_CHARACTERS = 5;

function describeMissingCharacters(missing: string[]): string {
  const listed = missing.slice(0, MAX_NAMED_CHARACTERS).join(" ");
  const more = missing.length > MAX_NAMED_CHARACTERS ? ` and ${missing.length - MAX_NAMED_CHARACTERS} more` : "";
  return `No font has these characters of the text: ${listed}${more}. Remove or replace them.`;
}
