// Rendering slides to images: atomic, never over a concurrent change, and publishing the images.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import {
  type Client,
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
  vars,
} from "../support/harness.ts";
import { buildSlide, createSlideshow } from "./factories.ts";

const image = await readFile(join(import.meta.dirname, "../media/fixtures/picture.png"));

/** An image host that runs a callback before its response. */
let beforeResponse: () => Promise<unknown> = async () => undefined;
const host = createServer((request, response) => {
  const found = request.url?.endsWith(".png") ?? false;
  const answer = () => response.writeHead(found ? 200 : 404, { "content-type": "image/png" }).end(found ? image : "");
  beforeResponse().then(answer, () => response.destroy());
});
beforeAll(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => host.close(resolve)));
beforeEach(() => {
  beforeResponse = async () => undefined;
});

/** A unique URL, so that tests do not share rendered images. */
const pictureUrl = () => `http://127.0.0.1:${(host.address() as AddressInfo).port}/${newId()}.png`;
const env = () => ({ ALLOWED_PRIVATE_HOSTS: `${vars.ALLOWED_PRIVATE_HOSTS},${new URL(pictureUrl()).host}` });

function render(api: Client, id: string, headers: Record<string, string> = {}) {
  return api.call("POST", `/slideshows/${id}/render`, { env: env(), headers });
}

const getRenderedUrls = ({ slides }: Slideshow) => slides.map(({ rendered_image_url }) => rendered_image_url ?? "");

test("200 renders every slide to an image of its size", async () => {
  const { api } = await createTestTenant();
  const slides = [buildSlide("One"), buildSlide("Two", { image_url: pictureUrl() })];
  const made = await createSlideshow(api, { slides, settings: { aspect_ratio: "9:16" } });
  const response = await render(api, made.id);
  expect(response.status).toBe(200);
  const { data } = response.body;
  expect(data).toMatchObject({
    ...made,
    status: "rendered",
    slides,
    updated_at: data.updated_at,
    preview_image_url: getRenderedUrls(data)[0],
    last_rendered_at: data.updated_at,
  });
  for (const url of getRenderedUrls(data)) {
    const served = await fetch(url);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
    await served.arrayBuffer();
  }
  const files = await queryRows<{ origin: string; width: number; height: number }>(sql`
    select origin, width, height from files where url = any(${`{${getRenderedUrls(data)
      .map((url) => `"${url}"`)
      .join(",")}}`}::text[])`);
  expect(files).toEqual(Array(2).fill({ origin: "render", width: 1080, height: 1920 }));
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toEqual(data);
  expect((await api.get("/slideshows?status=rendered")).body.data.total).toBe(1);
});

test("200 an unchanged slide keeps its image, another style gets a new image", async () => {
  const { api } = await createTestTenant();
  const { id } = await createSlideshow(api, { slides: [buildSlide(`One ${newId()}`), buildSlide("Two")] });
  const first = getRenderedUrls((await render(api, id)).body.data);
  expect(getRenderedUrls((await render(api, id)).body.data)).toEqual(first);
  await api.patch(`/slideshows/${id}`, { slides: [buildSlide(`Other ${newId()}`), buildSlide("Two")] });
  const second = getRenderedUrls((await render(api, id)).body.data);
  expect([second[0] === first[0], second[1] === first[1]]).toEqual([false, true]);
  await api.patch(`/slideshows/${id}`, { settings: { aspect_ratio: "1:1" } });
  const third = getRenderedUrls((await render(api, id)).body.data);
  expect(third.some((url) => second.includes(url))).toBe(false);
});

test("422 no_slides; 404 for another workspace's slideshow", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const { id } = await createSlideshow(mine.api, { slides: [buildSlide("a")] });
  const hidden = await render(theirs.api, id);
  expect([hidden.status, hidden.body.error_code]).toEqual([404, "not_found"]);
  await mine.api.patch(`/slideshows/${id}`, { slides: [] });
  const empty = await render(mine.api, id);
  expect([empty.status, empty.body.error_code]).toEqual([422, "no_slides"]);
});

test("502 image_unreachable reports the slide and renders none", async () => {
  const { api } = await createTestTenant();
  const made = await createSlideshow(api, {
    slides: [
      buildSlide("Fine", { image_url: pictureUrl() }),
      buildSlide("Broken", { image_url: pictureUrl().replace(".png", ".gone") }),
    ],
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const response = await render(api, made.id);
  const logged = log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("slideshows.render"));
  const errors = log.mock.calls.filter(([line]) => String(line).includes('"error":'));
  log.mockRestore();
  expect([response.status, response.body.error_code]).toEqual([502, "image_unreachable"]);
  expect(response.body.message).toMatch(/slide 2\b/);
  // The response has the reason, so the line of the request is enough.
  expect([logged.length, errors]).toEqual([1, []]);
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toEqual(made);
});

describe("changes during a render", () => {
  async function during(change: (api: Client, item: string) => Promise<unknown>) {
    const { api } = await createTestTenant();
    const { id } = await createSlideshow(api, {
      title: "Before",
      slides: [buildSlide("Old", { image_url: pictureUrl() })],
    });
    const item = `/slideshows/${id}`;
    let changed: Promise<unknown> | null = null;
    beforeResponse = async () => {
      changed ??= change(api, item);
      await changed;
    };
    const response = await render(api, id);
    expect(changed).not.toBeNull();
    return { response, after: await api.get(item) };
  }

  test.each([
    [{ slides: [buildSlide("New")] }, { slides: [{ text_elements: [{ content: "New" }] }] }],
    [{ settings: { aspect_ratio: "1:1" } }, { settings: { aspect_ratio: "1:1" } }],
    [
      { settings: { advanced_settings: { text_preset: "white" } } },
      { settings: { advanced_settings: { text_preset: "white" } } },
    ],
  ])("409 slideshow_changed for %j, which is kept without an image", async (patch, kept) => {
    const { response, after } = await during((api, item) => api.patch(item, patch));
    expect([response.status, response.body.error_code]).toEqual([409, "slideshow_changed"]);
    const none = { status: "draft", preview_image_url: null, last_rendered_at: null };
    expect(after.body.data).toMatchObject({ ...none, ...kept });
    expect(getRenderedUrls(after.body.data)).toEqual([""]);
  });

  test("409 slideshow_changed when the slideshow is deleted", async () => {
    const { response, after } = await during((api, item) => api.delete(item));
    expect([response.status, response.body.error_code]).toEqual([409, "slideshow_changed"]);
    expect(after.status).toBe(404);
  });

  test("200 for a new title, which does not affect the images", async () => {
    const { response, after } = await during((api, item) => api.patch(item, { title: "After" }));
    expect([response.status, response.body.data.title]).toEqual([200, "After"]);
    expect(after.body.data).toMatchObject({ status: "rendered", title: "After" });
  });
});

test("200 parallel renders return the same images", async () => {
  const { api } = await createTestTenant();
  const { id } = await createSlideshow(api, { slides: [buildSlide(newId()), buildSlide("b")] });
  const responses = await Promise.all([render(api, id), render(api, id), render(api, id)]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(responses.map(({ body }) => getRenderedUrls(body.data).join())).size).toBe(1);
});

test("200 replays the first render for the same Idempotency-Key", async () => {
  const { api } = await createTestTenant();
  const { id } = await createSlideshow(api, { slides: [buildSlide("a")] });
  const key = { "Idempotency-Key": newId() };
  const first = await render(api, id, key);
  await api.patch(`/slideshows/${id}`, { slides: [buildSlide("b")] });
  const again = await render(api, id, key);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.body).toEqual(first.body);
  expect((await api.get(`/slideshows/${id}`)).body.data.status).toBe("draft");
});

test("201 publishes a rendered slideshow to TikTok and Instagram without fetching its images for checks", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const accounts = [await createTestAccount(tenant, "tiktok"), await createTestAccount(tenant, "instagram")];
  const { id } = await createSlideshow(api, {
    slides: [buildSlide("One"), buildSlide("Two", { image_url: pictureUrl() }), buildSlide("Three")],
  });
  const urls = getRenderedUrls((await render(api, id)).body.data);
  const body = {
    caption: "Tea",
    accounts: accounts.map((account) => ({ id: account.id })),
    media: { type: "slideshow", urls },
  };
  // An unreachable CDN: only files of the scope are accepted without a fetch.
  const posted = await api.call("POST", "/posts", { body, env: { ALLOWED_PRIVATE_HOSTS: "" } });
  expect([posted.status, posted.body.error_code]).toEqual([201, undefined]);
  const { services, advance } = createTestPublisher(new Date());
  const read = async () => (await api.get(`/posts/${posted.body.data.id}`)).body.data;
  const ids = api.enqueuedDeliveries.at(-1)?.deliveryIds ?? [];
  for (let round = 0; round < 40 && (await read()).status !== "posted"; round++) {
    await publishDue(services, ids);
    advance(15_000);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect((await read()).status).toBe("posted");
  type Published = Record<string, { account: string; media: { url?: string }[] }[]>;
  const published = await callControl<Published>("GET", "/_published");
  for (const { platform, externalId } of accounts) {
    const [item, ...others] = (published[platform] ?? []).filter(({ account }) => account === externalId);
    expect(others).toEqual([]);
    expect(item?.media.map(({ url }) => url)).toEqual(urls);
  }
});

test("422 slide_undrawable reports the slide with characters that no font has, and renders none", async () => {
  const { api } = await createTestTenant();
  const { id } = await createSlideshow(api, { slides: [buildSlide("fine"), buildSlide("ᚠᚢᚦ")] });
  const response = await render(api, id);
  expect([response.status, response.body.error_code]).toEqual([422, "slide_undrawable"]);
  expect(response.body.message).toMatch(/^slide 2: .*ᚠ ᚢ ᚦ/);
  expect((await api.get(`/slideshows/${id}`)).body.data.status).toBe("draft");
});
