// Renders the slides of a slideshow into files that posts can use: all of them or none.
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import {
  findRenderedSlides,
  insertRenderedSlides,
  type RenderedSlideRow,
  scheduleObjectDeletions,
} from "../queries/rendered-slides.ts";
import type { BareSlide } from "../schemas/slide.ts";
import { MAX_SLIDES } from "../schemas/slideshow.ts";
import type { RequestContext } from "../services/context.ts";
import { at } from "../shared/at.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { HOUR_MS } from "../shared/durations.ts";
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
const RECORD_DEADLINE_MS = HOUR_MS;

/** A slide with its render hash. */
interface IdentifiedSlide {
  hash: string;
  slide: BareSlide;
  /** Counted from 1: its place in the slideshow, for error messages and for the name of the image. */
  number: number;
}

/**
 * Returns the URLs of the images, in the order of the slides and of the URLs. Existing images are not rendered again, also
 * when their slide has moved. On any failure nothing is recorded, and the error message contains the number of the slide,
 * counted from 1.
 */
export async function renderSlides(
  services: RenderServices,
  scope: Scope,
  slides: BareSlide[],
  settings: RenderSettings,
): Promise<{ url: string }[]> {
  const identified = await identifySlides(services, slides, settings);
  const rendered = await findRendered(services, scope, identified);
  const missing = identified.filter(({ hash, number }) => !rendered.has(buildFileId(scope, hash, number)));
  const byHash = [...Map.groupBy(missing, ({ hash }) => hash).values()];
  const sources = new Map([...rendered.values()].map((row) => [row.hash, row]));

  const rows: RenderedSlideRow[] = [];
  for (const same of byHash) {
    const source = sources.get(at(same, 0).hash);
    if (source) rows.push(...(await copyToPlaces(services, scope, same, source)));
  }
  const unrendered = byHash.filter(([one]) => one && !sources.has(one.hash));
  for (let from = 0; from < unrendered.length; from += BATCH_SIZE) {
    rows.push(...(await renderAndStore(services, scope, unrendered.slice(from, from + BATCH_SIZE), settings)));
  }
  const stored = rows.length > 0 ? await insertRenderedSlides(services.db, scope, rows) : [];
  const urls = new Map([...rendered.values(), ...stored].map(({ id, url }) => [id, url]));
  return identified.map(({ hash, number }) => ({ url: urls.get(buildFileId(scope, hash, number)) ?? "" }));
}

type FoundSlide = RenderedSlideRow & { hash: string };

/** By file id: the images of these slides at any place of a slideshow. */
async function findRendered(
  { db }: RenderServices,
  scope: Scope,
  identified: IdentifiedSlide[],
): Promise<Map<string, FoundSlide>> {
  const hashes = new Map<string, string>();
  for (const { hash } of identified) {
    for (let number = 1; number <= MAX_SLIDES; number++) hashes.set(buildFileId(scope, hash, number), hash);
  }
  const found = await findRenderedSlides(db, scope, [...hashes.keys()]);
  return new Map(found.map((row) => [row.id, { ...row, hash: hashes.get(row.id) ?? "" }]));
}

async function identifySlides(
  services: RenderServices,
  slides: BareSlide[],
  settings: RenderSettings,
): Promise<IdentifiedSlide[]> {
  const imageUrls = slides.map((slide) => listImages(slide, settings).map(({ url }) => url));
  const versionByUrl = await readImageVersions(services, imageUrls.flat());
  const versions = new Map<string, string>();
  for (const [index, urls] of imageUrls.entries()) {
    for (const url of urls) {
      const found = versionByUrl.get(url);
      if (found && "reason" in found) throw imageUnreachableError(`slide ${index + 1}: ${url}: ${found.reason}`);
      if (found) versions.set(url, found.version);
    }
  }
  return slides.map((slide, index) => ({
    hash: computeRenderHash(slide, settings, versions),
    slide,
    number: index + 1,
  }));
}

/** A UUID of version 8, whose content is application-defined. */
function buildFileId(scope: Scope, hash: string, number: number): string {
  const hex = createHash("sha256").update(`${scope.id} ${hash} ${number}`).digest("hex");
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) % 4)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Gives an image that was rendered for another place its name at these. */
async function copyToPlaces(
  services: RenderServices,
  scope: Scope,
  same: IdentifiedSlide[],
  { hash: _, ...source }: FoundSlide,
): Promise<RenderedSlideRow[]> {
  const rows = same.map((slide) => toFileRow(services, scope, slide, source));
  await scheduleDeletions(services, rows);
  const storage = await services.storage();
  await Promise.all(rows.map(({ objectKey }) => storage.copyPublic(source.objectKey, objectKey)));
  return rows;
}

/** Each entry of `unrendered` is a list of equal slides, which are rendered once. */
async function renderAndStore(
  services: RenderServices,
  scope: Scope,
  unrendered: IdentifiedSlide[][],
  settings: RenderSettings,
): Promise<RenderedSlideRow[]> {
  const images = await renderAll(
    services,
    unrendered.flatMap(([first]) => first ?? []),
    settings,
  );
  const placed = images.flatMap((image, index) =>
    at(unrendered, index).map((slide) => ({
      image,
      row: toFileRow(services, scope, slide, { ...image, size: image.bytes.length }),
    })),
  );
  const rows = placed.map(({ row }) => row);
  await scheduleDeletions(services, rows);
  const storage = await services.storage();
  await Promise.all(placed.map(({ image, row }) => storage.putPublic(row.objectKey, image.bytes, image.contentType)));
  return rows;
}

/** Removes the objects later, unless their files are recorded by then. */
async function scheduleDeletions({ db, now }: RenderServices, rows: RenderedSlideRow[]): Promise<void> {
  const dueAt = new Date(now.getTime() + RECORD_DEADLINE_MS);
  const planned = rows.map(({ id, objectKey }) => ({ objectKey, fileId: id, dueAt }));
  await scheduleObjectDeletions(
    db,
    planned.map((one) => ({ bucket: "files", multipartId: null, ...one })),
  );
}

/** After the first failure, no further slides are started. */
async function renderAll(
  { env }: RenderServices,
  slides: IdentifiedSlide[],
  settings: RenderSettings,
): Promise<RenderedSlide[]> {
  const failures: { number: number; error: unknown }[] = [];
  const rendered = await pLimit(RENDER_CONCURRENCY).map(slides, async ({ slide, number }) => {
    if (failures.length > 0) return [];
    try {
      return [await renderSlide(env, slide, settings)];
    } catch (error) {
      failures.push({ number, error });
      return [];
    }
  });
  const [first] = failures.sort((a, b) => a.number - b.number);
  if (first) throw withSlideNumber(first.error, first.number);
  return rendered.flat();
}

/** The same error, with the number of the slide in its message. */
function withSlideNumber(error: unknown, number: number): unknown {
  const slideError = toApiError(error);
  return slideError ? apiError(slideError.code, `slide ${number}: ${slideError.message}`, slideError.extra) : error;
}

/**
 * The images of a scope have the same address up to the number of their slide, so that sorting URLs sorts slides. The hash
 * is of the bytes and of the file's id, so that removing another file never removes this object.
 */
function toFileRow(
  { env, now }: RenderServices,
  scope: Scope,
  { hash, number }: IdentifiedSlide,
  image: Pick<RenderedSlideRow, "sha256" | "size" | "contentType" | "width" | "height">,
): RenderedSlideRow {
  const { sha256, size, contentType, width, height } = image;
  const id = buildFileId(scope, hash, number);
  const name = `${String(number).padStart(2, "0")}-${sha256Hex(`${id} ${sha256}`)}.jpg`;
  const objectKey = `slides/${sha256Hex(scope.id).slice(0, 16)}/${name}`;
  const url = `${env.CDN_URL.replace(/\/$/, "")}/${objectKey}`;
  return { id, objectKey, url, sha256, size, contentType, width, height, createdAt: now };
}
