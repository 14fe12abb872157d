// Rendering of slides to files: all of them or none, and unchanged slides are not rendered again.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RenderServices, renderSlides } from "../../lib/rendering/render-slides.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { openServices } from "../../lib/services/context.ts";
import { toApiError } from "../../lib/shared/errors.ts";
import type { Scope } from "../../lib/shared/scope.ts";
import { createBindings, createTestTenant, queryRows, vars } from "../support/harness.ts";
import { BLUE, buildPlainImage, RED } from "./test-images.ts";
import { buildSlide, buildText } from "./test-renderer.ts";
import { callRenderingWorker } from "./worker.ts";

/** A host of images, whose bytes a test may change. */
let images: Record<string, { bytes: Uint8Array; etag?: string }> = {};
let requests: IncomingMessage[] = [];
const host = createServer((request, response) => {
  requests.push(request);
  const found = images[new URL(request.url ?? "/", "http://host").pathname.slice(1)];
  response.writeHead(found ? 200 : 404, found?.etag ? { etag: found.etag } : {}).end(found?.bytes ?? "");
});
beforeAll(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => host.close(resolve)));
beforeEach(() => {
  images = {};
  requests = [];
});

const address = () => `127.0.0.1:${(host.address() as AddressInfo).port}`;
const getImageUrl = (name: string) => `http://${address()}/${name}`;
const SETTINGS = { aspect_ratio: "1:1" };
const OVERLAY = { id: "1", image_url: "image", x: 50, y: 50, width: 20, height: 20, rotation: 0, opacity: 1 };

interface WatchedServices {
  services: RenderServices;
  /** Slides requested from the rendering Worker: in total, and the most at the same time. */
  renders: { count: number; maxConcurrent: number };
}

/** The services of one request; `respond` replaces the rendering Worker. */
function createServices(
  respond: (request: Request) => Promise<Response> = callRenderingWorker,
  more: Record<string, unknown> = {},
): WatchedServices {
  const renders = { count: 0, maxConcurrent: 0, current: 0 };
  const DRAW = {
    async fetch(url: string, init: RequestInit) {
      renders.count += 1;
      renders.current += 1;
      renders.maxConcurrent = Math.max(renders.maxConcurrent, renders.current);
      return respond(new Request(url, init)).finally(() => {
        renders.current -= 1;
      });
    },
  };
  const ALLOWED_PRIVATE_HOSTS = `${vars.ALLOWED_PRIVATE_HOSTS},${address()}`;
  const raw = { ...createBindings([]), ALLOWED_PRIVATE_HOSTS, DRAW, ...more };
  return { services: { ...openServices(raw, `test.${newId()}`, () => undefined), now: new Date() }, renders };
}

async function createScope(): Promise<Scope> {
  const { ownerId, workspaceId } = await createTestTenant();
  return { id: workspaceId ?? ownerId, ownerId, workspaceId };
}

async function getApiError(work: Promise<unknown>) {
  const rejected = toApiError(await work.catch((error: unknown) => error));
  return rejected && { code: rejected.code, status: rejected.status, message: rejected.message };
}

const listFiles = (scope: Scope) =>
  queryRows<Record<string, unknown>>(sql`select * from files where scope_id = ${scope.id} order by id`);
const buildTextSlide = (content: string, more: Partial<BareSlide> = {}) =>
  buildSlide({ text_elements: [buildText(content)], ...more });

test("an image is stored under its place and a hash of its bytes, and is a file of the scope", async () => {
  const scope = await createScope();
  const { services } = createServices();
  const [{ url } = { url: "" }] = await renderSlides(services, scope, [buildTextSlide("Hello")], {
    aspect_ratio: "9:16",
  });
  const served = await fetch(url);
  const bytes = new Uint8Array(await served.arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect(url.startsWith(`${vars.CDN_URL}/slides/`)).toBe(true);
  const [file, ...others] = await listFiles(scope);
  expect(others).toEqual([]);
  const named = createHash("sha256").update(`${file?.id} ${sha256}`).digest("hex");
  expect(url.split("/").at(-1)).toBe(`01-${named}.jpg`);
  expect(file).toMatchObject({
    url,
    sha256,
    origin: "render",
    kind: "image",
    content_type: "image/jpeg",
    size: String(bytes.length),
    width: 1080,
    height: 1920,
    owner_id: scope.ownerId,
    workspace_id: scope.workspaceId,
    details: { width: 1080, height: 1920, orientation: 1, frames: 1 },
  });
});

describe("unchanged slides", () => {
  test("are not rendered again when only invisible properties change", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const slides = [buildTextSlide("One"), buildTextSlide("Two")];
    const first = await renderSlides(services, scope, slides, SETTINGS);
    expect(renders.count).toBe(2);
    const undrawn = slides.map((one) => ({
      ...one,
      text_elements: one.text_elements.map((element) => ({ ...element, id: newId(), editable: true })),
      background_filters: { brightness: 1, blur: 0 },
      image_overlays: [],
    }));
    expect(await renderSlides(services, scope, undrawn, { ...SETTINGS, advanced_settings: {} })).toEqual(first);
    expect(renders.count).toBe(2);
    const [kept, changed] = await renderSlides(
      services,
      scope,
      [buildTextSlide("One"), buildTextSlide("Three")],
      SETTINGS,
    );
    expect(renders.count).toBe(3);
    expect(kept).toEqual(first[0]);
    expect(changed).not.toEqual(first[1]);
  });

  test("two equal slides are rendered once and have two URLs of the same bytes", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const slides = [buildTextSlide("Same"), buildTextSlide("Same")];
    const urls = (await renderSlides(services, scope, slides, SETTINGS)).map(({ url }) => url);
    expect(urls.map((url) => url.split("/").at(-1)?.slice(0, 3))).toEqual(["01-", "02-"]);
    expect([renders.count, (await listFiles(scope)).length]).toEqual([1, 2]);
    const bytes = await Promise.all(urls.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())));
    expect(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
  });

  test("are not rendered again when they move; sorting their URLs sorts the slides", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const slides = Array.from({ length: 11 }, (_, at) => buildTextSlide(`Slide ${at}`));
    const before = (await renderSlides(services, scope, slides, SETTINGS)).map(({ url }) => url);
    const after = (await renderSlides(services, scope, slides.toReversed(), SETTINGS)).map(({ url }) => url);
    expect(renders.count).toBe(11);
    for (const urls of [before, after]) expect(urls.toSorted()).toEqual(urls);
    const readBytes = async (url = "") => Buffer.from(await (await fetch(url)).arrayBuffer());
    const [moved, head] = [after[10] ?? "", await fetch(after[10] ?? "", { method: "HEAD" })];
    expect((await readBytes(moved)).equals(await readBytes(before[0]))).toBe(true);
    expect(head.headers.get("content-type")).toBe("image/jpeg");
    // The middle slide is at its place already.
    expect([after[5] === before[5], (await listFiles(scope)).length]).toEqual([true, 21]);
  });

  test.each([
    ["a text", buildTextSlide("Two")],
    ["its position", buildSlide({ text_elements: [buildText("One", { x: 51 })] })],
    ["its colour", buildSlide({ text_elements: [buildText("One", { text_color: "#ff0000" })] })],
    ["a filter", buildTextSlide("One", { background_filters: { brightness: 0.9 }, image_url: "image" })],
    ["an overlay's rotation", buildTextSlide("One", { image_overlays: [{ ...OVERLAY, rotation: 5 }] })],
  ])("are rendered again after a change of %s", async (_what, changed) => {
    images.image = { bytes: buildPlainImage(RED) };
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const bare: BareSlide = {
      ...buildTextSlide("One"),
      ...(changed.image_url ? { image_url: getImageUrl("image") } : {}),
      ...(changed.image_overlays ? { image_overlays: [{ ...OVERLAY, image_url: getImageUrl("image") }] } : {}),
    };
    const there = JSON.parse(JSON.stringify(changed).replaceAll('"image"', JSON.stringify(getImageUrl("image"))));
    const [first] = await renderSlides(services, scope, [bare], SETTINGS);
    const [second] = await renderSlides(services, scope, [there], SETTINGS);
    expect(second).not.toEqual(first);
    expect(renders.count).toBe(2);
  });

  test.each([
    ["without an etag", undefined, undefined, true],
    ["with the same weak etag", 'W/"1"', 'W/"1"', true],
    ["with another strong etag", '"1"', '"2"', true],
    ["unchanged by its strong etag", '"1"', '"1"', false],
  ])("another image at the same URL, %s", async (_what, before, after, again) => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const shown = [buildTextSlide("a", { image_url: getImageUrl("image") })];
    images.image = { bytes: buildPlainImage(RED), ...(before ? { etag: before } : {}) };
    const first = await renderSlides(services, scope, shown, SETTINGS);
    images.image = { bytes: buildPlainImage(BLUE), ...(after ? { etag: after } : {}) };
    const second = await renderSlides(services, scope, shown, SETTINGS);
    expect(renders.count).toBe(again ? 2 : 1);
    expect(second[0]?.url === first[0]?.url).toBe(!again);
  });

  test("images of the scope's own files are not requested", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const [{ url } = { url: "" }] = await renderSlides(services, scope, [buildTextSlide("a")], SETTINGS);
    const over = [buildTextSlide("b", { image_url: url })];
    const seen: string[] = [];
    const watching: RenderServices = {
      ...services,
      fetch: (input, init) => {
        seen.push(String(input));
        return fetch(input, init);
      },
    };
    await renderSlides(watching, scope, over, SETTINGS);
    await renderSlides(watching, scope, over, SETTINGS);
    expect([renders.count, seen]).toEqual([2, []]);
  });

  test("another scope has its own file", async () => {
    const [mine, theirs, { services }] = [await createScope(), await createScope(), createServices()];
    const [one] = await renderSlides(services, mine, [buildTextSlide("a")], SETTINGS);
    const [two] = await renderSlides(services, theirs, [buildTextSlide("a")], SETTINGS);
    expect(two).not.toEqual(one);
    expect((await listFiles(theirs)).map(({ url }) => url)).toEqual([two?.url]);
  });
});

describe("atomicity", () => {
  const planned = (scope: Scope) =>
    queryRows<{ due: boolean }>(sql`select due_at > now() as due from removals where object_key like 'slides/%'
      and file_id in (select id from files where scope_id = ${scope.id})`);

  test("many slides are rendered two at a time and recorded together", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const slides = Array.from({ length: 11 }, (_, at) => buildTextSlide(`Slide ${at}`));
    const rendered = await renderSlides(services, scope, slides, SETTINGS);
    expect(new Set(rendered.map(({ url }) => url)).size).toBe(11);
    expect([renders.count, renders.maxConcurrent]).toEqual([11, 2]);
    expect(await listFiles(scope)).toHaveLength(11);
    // If the request had died halfway, the cleanup would have removed all objects.
    expect(await planned(scope)).toEqual(Array(11).fill({ due: true }));
  });

  test("502 for a missing image names the slide, before anything is rendered", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    images.there = { bytes: buildPlainImage(RED) };
    const slides = [
      buildTextSlide("a", { image_url: getImageUrl("there") }),
      buildTextSlide("b", { image_url: getImageUrl("gone") }),
    ];
    expect(await getApiError(renderSlides(services, scope, slides, SETTINGS))).toEqual({
      code: "image_unreachable",
      status: 502,
      message: `slide 2: ${getImageUrl("gone")}: The URL returned HTTP 404.`,
    });
    expect([renders.count, await listFiles(scope)]).toEqual([0, []]);
  });

  test("after a failed slide no more slides are rendered and no more images requested", async () => {
    const [scope, { services, renders }] = [await createScope(), createServices()];
    const many = Array.from({ length: 30 }, (_, at) =>
      buildTextSlide(`${at}`, { image_url: getImageUrl(`gone-${at}`) }),
    );
    const rejected = await getApiError(renderSlides(services, scope, many, SETTINGS));
    expect([rejected?.code, renders.count]).toEqual(["image_unreachable", 0]);
    expect(requests.length).toBeLessThan(10);
    const bad = Array.from({ length: 8 }, (_, at) => buildTextSlide(`ᚠ ${at}`));
    expect((await getApiError(renderSlides(services, scope, bad, SETTINGS)))?.message).toMatch(/^slide 1: /);
    expect(renders.count).toBeLessThan(4);
  });

  test("502 for an overlay that is not an image, detected when it is rendered", async () => {
    const [scope, { services }] = [await createScope(), createServices()];
    images.page = { bytes: new TextEncoder().encode("<html>no</html>") };
    const overlay = { ...OVERLAY, image_url: getImageUrl("page") };
    const slides = [buildTextSlide("a"), buildTextSlide("b"), buildTextSlide("c", { image_overlays: [overlay] })];
    const rejected = await getApiError(renderSlides(services, scope, slides, SETTINGS));
    expect(rejected).toMatchObject({ code: "image_unreachable", status: 502 });
    expect(rejected?.message).toMatch(/^slide 3: http:.*\/page: The image must be JPEG, PNG, WebP or GIF/);
    expect(await listFiles(scope)).toEqual([]);
  });

  test("502 for a private address", async () => {
    const scope = await createScope();
    const { services } = createServices(callRenderingWorker, { ALLOWED_PRIVATE_HOSTS: vars.ALLOWED_PRIVATE_HOSTS });
    const rejected = await getApiError(
      renderSlides(services, scope, [buildTextSlide("a", { image_url: getImageUrl("x") })], SETTINGS),
    );
    expect(rejected).toEqual({
      code: "image_unreachable",
      status: 502,
      message: `slide 1: ${getImageUrl("x")}: The address 127.0.0.1 is not public.`,
    });
    expect(requests).toEqual([]);
  });

  test("422 for characters that no font has names the slide", async () => {
    const [scope, { services }] = [await createScope(), createServices()];
    const rejected = await getApiError(
      renderSlides(services, scope, [buildTextSlide("fine"), buildTextSlide("ᚠᚢᚦ")], SETTINGS),
    );
    expect(rejected).toMatchObject({ code: "slide_undrawable", status: 422 });
    expect(rejected?.message).toMatch(/^slide 2: No font has these characters of the text: ᚠ ᚢ ᚦ\./);
    expect(await listFiles(scope)).toEqual([]);
  });
});

describe("503 when the rendering Worker is unavailable", () => {
  const gone = {
    code: "provider_unavailable",
    status: 503,
    message: expect.stringMatching(/^slide 1: The rendering service/),
  };

  test("no binding", async () => {
    const { services } = createServices(callRenderingWorker, { DRAW: undefined });
    expect(await getApiError(renderSlides(services, await createScope(), [buildTextSlide("a")], SETTINGS))).toEqual(
      gone,
    );
  });

  test("two failures; a single one is retried", async () => {
    const failing = (times: number) => {
      let left = times;
      return createServices(async (request) => {
        left -= 1;
        if (left === 1) throw new Error("the isolate was reset");
        return left >= 0 ? new Response("no such Worker", { status: 503 }) : callRenderingWorker(request);
      });
    };
    const [once, twice] = [failing(1), failing(2)];
    expect(await renderSlides(once.services, await createScope(), [buildTextSlide("a")], SETTINGS)).toHaveLength(1);
    expect(once.renders.count).toBe(2);
    expect(
      await getApiError(renderSlides(twice.services, await createScope(), [buildTextSlide("a")], SETTINGS)),
    ).toEqual(gone);
    expect(twice.renders.count).toBe(2);
  });
});
