// From slides to files that posts may name: all of them or none, and what did not change is not drawn again.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openWorld } from "../../lib/call.ts";
import { type DrawIo, renderSlides } from "../../lib/drawing/render.ts";
import { refusalOf } from "../../lib/errors.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import type { Scope } from "../../lib/scope.ts";
import { bindings, mintTenant, rows, vars } from "../harness.ts";
import { slide, text } from "./drawn.ts";
import { BLUE, plain, RED } from "./images.ts";
import { draw } from "./worker.ts";

/** A host of images, which a test may change behind their URLs. */
let images: Record<string, { bytes: Uint8Array; etag?: string }> = {};
let asked: IncomingMessage[] = [];
const host = createServer((request, response) => {
  asked.push(request);
  const found = images[new URL(request.url ?? "/", "http://host").pathname.slice(1)];
  response.writeHead(found ? 200 : 404, found?.etag ? { etag: found.etag } : {}).end(found?.bytes ?? "");
});
beforeAll(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => host.close(resolve)));
beforeEach(() => {
  images = {};
  asked = [];
});

const address = () => `127.0.0.1:${(host.address() as AddressInfo).port}`;
const urlOf = (name: string) => `http://${address()}/${name}`;
const SETTINGS = { aspect_ratio: "1:1" };
const OVERLAY = { id: "1", image_url: "image", x: 50, y: 50, width: 20, height: 20, rotation: 0, opacity: 1 };

interface Watched {
  io: DrawIo;
  /** How many slides the drawing Worker was asked for, and how many of them at once. */
  drawn: { count: number; most: number };
}

/** The world of one request; `answer` stands before the drawing Worker. */
function world(answer: (request: Request) => Promise<Response> = draw, more: Record<string, unknown> = {}): Watched {
  const drawn = { count: 0, most: 0, now: 0 };
  const DRAW = {
    async fetch(url: string, init: RequestInit) {
      drawn.count += 1;
      drawn.now += 1;
      drawn.most = Math.max(drawn.most, drawn.now);
      return answer(new Request(url, init)).finally(() => {
        drawn.now -= 1;
      });
    },
  };
  const ALLOWED_PRIVATE_HOSTS = `${vars.ALLOWED_PRIVATE_HOSTS},${address()}`;
  const raw = { ...bindings([]), ALLOWED_PRIVATE_HOSTS, DRAW, ...more };
  return { io: { ...openWorld(raw, `test.${newId()}`, () => undefined), now: new Date() }, drawn };
}

async function scopeOf(): Promise<Scope> {
  const { ownerId, workspaceId } = await mintTenant();
  return { id: workspaceId ?? ownerId, ownerId, workspaceId };
}

async function refusal(work: Promise<unknown>) {
  const refused = refusalOf(await work.catch((error: unknown) => error));
  return refused && { code: refused.code, status: refused.status, message: refused.message };
}

const filesOf = (scope: Scope) =>
  rows<Record<string, unknown>>(sql`select * from files where scope_id = ${scope.id} order by id`);
const words = (content: string, more: Partial<BareSlide> = {}) => slide({ text_elements: [text(content)], ...more });

test("a picture lies in the bucket under the hash of its bytes, and is a file of the scope", async () => {
  const scope = await scopeOf();
  const { io } = world();
  const [{ url } = { url: "" }] = await renderSlides(io, scope, [words("Hello")], { aspect_ratio: "9:16" });
  const served = await fetch(url);
  const bytes = new Uint8Array(await served.arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect(url.split("/").at(-1)).toBe(`${sha256}.jpg`);
  expect(url.startsWith(`${vars.CDN_URL}/slides/`)).toBe(true);
  const [file, ...others] = await filesOf(scope);
  expect(others).toEqual([]);
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

describe("what did not change is not drawn again", () => {
  test("the same slides, whatever of them is not drawn, and only the one that changed", async () => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const slides = [words("One"), words("Two")];
    const first = await renderSlides(io, scope, slides, SETTINGS);
    expect(drawn.count).toBe(2);
    const undrawn = slides.map((one) => ({
      ...one,
      text_elements: one.text_elements.map((element) => ({ ...element, id: newId(), editable: true })),
      background_filters: { brightness: 1, blur: 0 },
      image_overlays: [],
    }));
    expect(await renderSlides(io, scope, undrawn, { ...SETTINGS, advanced_settings: {} })).toEqual(first);
    expect(drawn.count).toBe(2);
    const [kept, changed] = await renderSlides(io, scope, [words("One"), words("Three")], SETTINGS);
    expect(drawn.count).toBe(3);
    expect(kept).toEqual(first[0]);
    expect(changed).not.toEqual(first[1]);
  });

  test("twice the same slide is one drawing and one file", async () => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const [one, two] = await renderSlides(io, scope, [words("Same"), words("Same")], SETTINGS);
    expect(one).toEqual(two);
    expect([drawn.count, (await filesOf(scope)).length]).toEqual([1, 1]);
  });

  test.each([
    ["a text", words("Two")],
    ["its place", slide({ text_elements: [text("One", { x: 51 })] })],
    ["its colour", slide({ text_elements: [text("One", { text_color: "#ff0000" })] })],
    ["a filter", words("One", { background_filters: { brightness: 0.9 }, image_url: "image" })],
    ["an overlay's turn", words("One", { image_overlays: [{ ...OVERLAY, rotation: 5 }] })],
  ])("%s changes it", async (_what, changed) => {
    images.image = { bytes: plain(RED) };
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const bare: BareSlide = {
      ...words("One"),
      ...(changed.image_url ? { image_url: urlOf("image") } : {}),
      ...(changed.image_overlays ? { image_overlays: [{ ...OVERLAY, image_url: urlOf("image") }] } : {}),
    };
    const there = JSON.parse(JSON.stringify(changed).replaceAll('"image"', JSON.stringify(urlOf("image"))));
    const [first] = await renderSlides(io, scope, [bare], SETTINGS);
    const [second] = await renderSlides(io, scope, [there], SETTINGS);
    expect(second).not.toEqual(first);
    expect(drawn.count).toBe(2);
  });

  test.each([
    ["without an etag", undefined, undefined, true],
    ["with the same weak etag", 'W/"1"', 'W/"1"', true],
    ["with another strong etag", '"1"', '"2"', true],
    ["unchanged by its strong etag", '"1"', '"1"', false],
  ])("another image behind the same URL, %s", async (_what, before, after, again) => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const shown = [words("a", { image_url: urlOf("image") })];
    images.image = { bytes: plain(RED), ...(before ? { etag: before } : {}) };
    const first = await renderSlides(io, scope, shown, SETTINGS);
    images.image = { bytes: plain(BLUE), ...(after ? { etag: after } : {}) };
    const second = await renderSlides(io, scope, shown, SETTINGS);
    expect(drawn.count).toBe(again ? 2 : 1);
    expect(second[0]?.url === first[0]?.url).toBe(!again);
  });

  test("an image of the scope's own files is not even asked for", async () => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const [{ url } = { url: "" }] = await renderSlides(io, scope, [words("a")], SETTINGS);
    const over = [words("b", { image_url: url })];
    const seen: string[] = [];
    const watching: DrawIo = {
      ...io,
      fetch: (input, init) => {
        seen.push(String(input));
        return fetch(input, init);
      },
    };
    await renderSlides(watching, scope, over, SETTINGS);
    await renderSlides(watching, scope, over, SETTINGS);
    expect([drawn.count, seen]).toEqual([2, []]);
  });

  test("another scope has a file of its own", async () => {
    const [mine, theirs, { io }] = [await scopeOf(), await scopeOf(), world()];
    const [one] = await renderSlides(io, mine, [words("a")], SETTINGS);
    const [two] = await renderSlides(io, theirs, [words("a")], SETTINGS);
    expect(two).not.toEqual(one);
    expect((await filesOf(theirs)).map(({ url }) => url)).toEqual([two?.url]);
  });
});

describe("all or nothing", () => {
  const planned = (scope: Scope) =>
    rows<{ due: boolean }>(sql`select due_at > now() as due from removals where object_key like 'slides/%'
      and file_id in (select id from files where scope_id = ${scope.id})`);

  test("many slides are drawn two at a time, and recorded at once", async () => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const slides = Array.from({ length: 11 }, (_, at) => words(`Slide ${at}`));
    const pictures = await renderSlides(io, scope, slides, SETTINGS);
    expect(new Set(pictures.map(({ url }) => url)).size).toBe(11);
    expect([drawn.count, drawn.most]).toEqual([11, 2]);
    expect(await filesOf(scope)).toHaveLength(11);
    // Whatever had died on the way, nothing would have been left in the bucket.
    expect(await planned(scope)).toEqual(Array(11).fill({ due: true }));
  });

  test("502 an image that is not there names the slide, before anything is drawn", async () => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    images.there = { bytes: plain(RED) };
    const slides = [words("a", { image_url: urlOf("there") }), words("b", { image_url: urlOf("gone") })];
    expect(await refusal(renderSlides(io, scope, slides, SETTINGS))).toEqual({
      code: "image_unreachable",
      status: 502,
      message: `slide 2: ${urlOf("gone")}: The URL answers with HTTP 404.`,
    });
    expect([drawn.count, await filesOf(scope)]).toEqual([0, []]);
  });

  test("once a slide has failed no further ones are drawn, nor images asked for", async () => {
    const [scope, { io, drawn }] = [await scopeOf(), world()];
    const many = Array.from({ length: 30 }, (_, at) => words(`${at}`, { image_url: urlOf(`gone-${at}`) }));
    const refused = await refusal(renderSlides(io, scope, many, SETTINGS));
    expect([refused?.code, drawn.count]).toEqual(["image_unreachable", 0]);
    expect(asked.length).toBeLessThan(10);
    const bad = Array.from({ length: 8 }, (_, at) => words(`ᚠ ${at}`));
    expect((await refusal(renderSlides(io, scope, bad, SETTINGS)))?.message).toMatch(/^slide 1: /);
    expect(drawn.count).toBeLessThan(4);
  });

  test("502 an overlay that is no image, named only when it is drawn", async () => {
    const [scope, { io }] = [await scopeOf(), world()];
    images.page = { bytes: new TextEncoder().encode("<html>no</html>") };
    const overlay = { ...OVERLAY, image_url: urlOf("page") };
    const slides = [words("a"), words("b"), words("c", { image_overlays: [overlay] })];
    const refused = await refusal(renderSlides(io, scope, slides, SETTINGS));
    expect(refused).toMatchObject({ code: "image_unreachable", status: 502 });
    expect(refused?.message).toMatch(/^slide 3: http:.*\/page: JPEG, PNG, WebP and GIF images can be drawn/);
    expect(await filesOf(scope)).toEqual([]);
  });

  test("502 the guard keeps private addresses out, in redirects too", async () => {
    const scope = await scopeOf();
    const { io } = world(draw, { ALLOWED_PRIVATE_HOSTS: vars.ALLOWED_PRIVATE_HOSTS });
    const refused = await refusal(renderSlides(io, scope, [words("a", { image_url: urlOf("x") })], SETTINGS));
    expect(refused).toEqual({
      code: "image_unreachable",
      status: 502,
      message: `slide 1: ${urlOf("x")}: The address 127.0.0.1 is not public.`,
    });
    expect(asked).toEqual([]);
  });

  test("422 characters that no font has name the slide", async () => {
    const [scope, { io }] = [await scopeOf(), world()];
    const refused = await refusal(renderSlides(io, scope, [words("fine"), words("ᚠᚢᚦ")], SETTINGS));
    expect(refused).toMatchObject({ code: "slide_undrawable", status: 422 });
    expect(refused?.message).toMatch(/^slide 2: No font can draw these characters of its text: ᚠ ᚢ ᚦ\./);
    expect(await filesOf(scope)).toEqual([]);
  });
});

describe("503 without the drawing Worker", () => {
  const gone = {
    code: "provider_unavailable",
    status: 503,
    message: expect.stringMatching(/^slide 1: The drawing service/),
  };

  test("when none is bound", async () => {
    const { io } = world(draw, { DRAW: undefined });
    expect(await refusal(renderSlides(io, await scopeOf(), [words("a")], SETTINGS))).toEqual(gone);
  });

  test("when it fails twice; once is tried again", async () => {
    const failing = (times: number) => {
      let left = times;
      return world(async (request) => {
        left -= 1;
        if (left === 1) throw new Error("the isolate was reset");
        return left >= 0 ? new Response("no such Worker", { status: 503 }) : draw(request);
      });
    };
    const [once, twice] = [failing(1), failing(2)];
    expect(await renderSlides(once.io, await scopeOf(), [words("a")], SETTINGS)).toHaveLength(1);
    expect(once.drawn.count).toBe(2);
    expect(await refusal(renderSlides(twice.io, await scopeOf(), [words("a")], SETTINGS))).toEqual(gone);
    expect(twice.drawn.count).toBe(2);
  });
});
