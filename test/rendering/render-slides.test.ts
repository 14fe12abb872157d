// Rendering of slides to files: unchanged slides are not rendered again.
import { createHash } from "node:crypto";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { type RenderServices, renderSlides } from "../../lib/rendering/render-slides.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { vars } from "../support/harness.ts";
import { buildTextSlide, createScope, listFiles, OVERLAY, openImageHost } from "./slide-services.ts";
import { BLUE, buildPlainImage, RED } from "./test-images.ts";
import { buildSlide, buildText } from "./test-renderer.ts";

const { images, getImageUrl, createServices } = openImageHost();
const SETTINGS = { aspect_ratio: "1:1" };

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
    const unrendered = slides.map((one) => ({
      ...one,
      text_elements: one.text_elements.map((element) => ({ ...element, id: newId(), editable: true })),
      background_filters: { brightness: 1, blur: 0 },
      image_overlays: [],
    }));
    expect(await renderSlides(services, scope, unrendered, { ...SETTINGS, advanced_settings: {} })).toEqual(first);
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
