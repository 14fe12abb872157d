// Renders the slides of a slideshow into files that posts can use: all of them or none.
import { createHash } from "node:crypto";
import * as renderedSlides from "../queries/rendered-slides.ts";
import type { BareSlide } from "../schemas/slide.ts";
import type { RequestContext } from "../services/context.ts";
import { createConcurrencyLimiter } from "../shared/concurrency-limit.ts";
import { apiError, type ErrorCode, toApiError } from "../shared/errors.ts";
import type { Scope } from "../shared/scope.ts";
import { readImageVersions } from "./image-versions.ts";
import { computeRenderHash } from "./render-hash.ts";
import { listImages } from "./scene.ts";
import type { RenderSettings } from "./settings.ts";
import { imageUnreachableError, type RenderedSlide, renderSlide } from "./worker-client.ts";

/** The part of a request context that rendering needs. */
export type RenderServices = Pick<RequestContext, "db" | "storage" | "env" | "fetch" | "resolveHost" | "now">;

/** The `errors` of an endpoint that renders. */
export const RENDER_ERRORS = [
  "image_unreachable",
  "slide_undrawable",
  "provider_unavailable",
] as const satisfies ErrorCode[];

const RENDER_CONCURRENCY = 2;
/** Slides rendered and stored before the next ones are started: limits the images in memory. */
const BATCH_SIZE = 8;
/** The stored object of an image that is not recorded within this time is removed. */
const RECORD_DEADLINE_MS = 60 * 60 * 1000;

/** A slide with the id of its rendered file, which is derived from the scope and the render hash. */
interface IdentifiedSlide {
  id: string;
  slide: BareSlide;
  /** Counted from 1, for error messages. */
  number: number;
}

/**
 * Returns the URLs of the images, in the order of the slides. Existing images are not rendered again. On any failure
 * nothing is recorded, and the error message contains the number of the slide, counted from 1.
 */
export async function renderSlides(
  services: RenderServices,
  scope: Scope,
  slides: BareSlide[],
  settings: RenderSettings,
): Promise<{ url: string }[]> {
  const identified = await identifySlides(services, scope, slides, settings);
  const existing = await renderedSlides.find(services.db, scope, [...new Set(identified.map(({ id }) => id))]);
  const urls = new Map(existing.map(({ id, url }) => [id, url]));
  const missing = [...new Map(identified.map((one) => [one.id, one])).values()].filter(({ id }) => !urls.has(id));

  const rendered: renderedSlides.RenderedSlideRow[] = [];
  for (let from = 0; from < missing.length; from += BATCH_SIZE) {
    rendered.push(...(await renderAndStore(services, missing.slice(from, from + BATCH_SIZE), settings)));
  }
  const stored = rendered.length > 0 ? await renderedSlides.insert(services.db, scope, rendered) : [];
  for (const { id, url } of stored) urls.set(id, url);
  return identified.map(({ id }) => ({ url: urls.get(id) ?? "" }));
}

async function identifySlides(
  services: RenderServices,
  scope: Scope,
  slides: BareSlide[],
  settings: RenderSettings,
): Promise<IdentifiedSlide[]> {
  const imageUrls = slides.map((slide) => listImages(slide, settings).map(({ url }) => url));
  const versionByUrl = await readImageVersions(services, imageUrls.flat());
  const versions = new Map<string, string>();
  for (const [at, urls] of imageUrls.entries()) {
    for (const url of urls) {
      const found = versionByUrl.get(url);
      if (found && "reason" in found) throw imageUnreachableError(`slide ${at + 1}: ${url}: ${found.reason}`);
      if (found) versions.set(url, found.version);
    }
  }
  return slides.map((slide, at) => ({
    id: buildFileId(scope, computeRenderHash(slide, settings, versions)),
    slide,
    number: at + 1,
  }));
}

/** A UUID of version 8, whose content is application-defined. */
function buildFileId(scope: Scope, hash: string): string {
  const hex = createHash("sha256").update(`${scope.id} ${hash}`).digest("hex");
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) % 4)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function renderAndStore(
  services: RenderServices,
  slides: IdentifiedSlide[],
  settings: RenderSettings,
): Promise<renderedSlides.RenderedSlideRow[]> {
  const rendered = await renderAll(services, slides, settings);
  const rows = rendered.map(({ id, image }) => toFileRow(services, id, image));
  const dueAt = new Date(services.now.getTime() + RECORD_DEADLINE_MS);
  await renderedSlides.scheduleDeletions(
    services.db,
    rows.map(({ id, objectKey }) => ({ bucket: "files", objectKey, multipartId: null, fileId: id, dueAt })),
  );
  const storage = await services.storage();
  await Promise.all(
    rendered.map(({ image }, at) => storage.putPublic(rows[at]?.objectKey ?? "", image.bytes, image.contentType)),
  );
  return rows;
}

/** After the first failure, no further slides are started. */
async function renderAll(
  { env }: RenderServices,
  slides: IdentifiedSlide[],
  settings: RenderSettings,
): Promise<{ id: string; image: RenderedSlide }[]> {
  const limiter = createConcurrencyLimiter(RENDER_CONCURRENCY);
  const failures: { number: number; error: unknown }[] = [];
  const renders = slides.map(({ id, slide, number }) =>
    limiter(async () => {
      if (failures.length > 0) return [];
      try {
        return [{ id, image: await renderSlide(env, slide, settings) }];
      } catch (error) {
        failures.push({ number, error });
        return [];
      }
    }),
  );
  const rendered = await Promise.all(renders);
  const [first] = failures.sort((a, b) => a.number - b.number);
  if (first) throw withSlideNumber(first.error, first.number);
  return rendered.flat();
}

/** The same error, with the number of the slide in its message. */
function withSlideNumber(error: unknown, number: number): unknown {
  const slideError = toApiError(error);
  return slideError ? apiError(slideError.code, `slide ${number}: ${slideError.message}`, slideError.extra) : error;
}

/** The object key contains the file's id and hash, so that removing another file never removes this object. */
function toFileRow(
  { env, now }: RenderServices,
  id: string,
  { bytes, sha256, ...image }: RenderedSlide,
): renderedSlides.RenderedSlideRow {
  const objectKey = `slides/${id}/${sha256}.jpg`;
  const url = `${env.CDN_URL.replace(/\/$/, "")}/${objectKey}`;
  return { id, objectKey, url, sha256, size: bytes.length, ...image, createdAt: now };
}
