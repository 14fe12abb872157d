// Slides are rendered all or none: each failure names its slide, and leaves no files.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { renderSlides } from "../../lib/rendering/render-slides.ts";
import type { Scope } from "../../lib/shared/scope.ts";
import { queryRows, vars } from "../support/harness.ts";
import { buildTextSlide, createScope, getApiError, listFiles, OVERLAY, openImageHost } from "./slide-services.ts";
import { buildPlainImage, RED } from "./test-images.ts";
import { callRenderingWorker } from "./worker.ts";

const { images, requests, getImageUrl, createServices } = openImageHost();
const SETTINGS = { aspect_ratio: "1:1" };

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
