// Slides that become pictures: all of them or none, never over a change, and from there out to the networks.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publisher.ts";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import { type Client, lever, mintAccount, mintTenant, publisher, rows, vars } from "../harness.ts";
import { created, slide } from "./made.ts";

const picture = await readFile(join(import.meta.dirname, "../media/fixtures/picture.png"));

/** A host of pictures that does something before it answers. */
let before: () => Promise<unknown> = async () => undefined;
const host = createServer((request, response) => {
  const found = request.url?.endsWith(".png") ?? false;
  const answer = () => response.writeHead(found ? 200 : 404, { "content-type": "image/png" }).end(found ? picture : "");
  before().then(answer, () => response.destroy());
});
beforeAll(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => host.close(resolve)));
beforeEach(() => {
  before = async () => undefined;
});

/** Never the same twice, so that no test finds a picture that another one has drawn. */
const pictureUrl = () => `http://127.0.0.1:${(host.address() as AddressInfo).port}/${newId()}.png`;
const env = () => ({ ALLOWED_PRIVATE_HOSTS: `${vars.ALLOWED_PRIVATE_HOSTS},${new URL(pictureUrl()).host}` });

function render(api: Client, id: string, headers: Record<string, string> = {}) {
  return api.call("POST", `/slideshows/${id}/render`, { env: env(), headers });
}

const urlsOf = ({ slides }: Slideshow) => slides.map(({ rendered_image_url }) => rendered_image_url ?? "");

test("200 every slide has a picture of its size, and the slideshow is rendered", async () => {
  const { api } = await mintTenant();
  const slides = [slide("One"), slide("Two", { image_url: pictureUrl() })];
  const made = await created(api, { slides, settings: { aspect_ratio: "9:16" } });
  const answer = await render(api, made.id);
  expect(answer.status).toBe(200);
  const { data } = answer.body;
  expect(data).toMatchObject({
    ...made,
    status: "rendered",
    slides,
    updated_at: data.updated_at,
    preview_image_url: urlsOf(data)[0],
    last_rendered_at: data.updated_at,
  });
  for (const url of urlsOf(data)) {
    const served = await fetch(url);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
    await served.arrayBuffer();
  }
  const files = await rows<{ origin: string; width: number; height: number }>(sql`
    select origin, width, height from files where url = any(${`{${urlsOf(data)
      .map((url) => `"${url}"`)
      .join(",")}}`}::text[])`);
  expect(files).toEqual(Array(2).fill({ origin: "render", width: 1080, height: 1920 }));
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toEqual(data);
  expect((await api.get("/slideshows?status=rendered")).body.data.total).toBe(1);
});

test("200 an unchanged slide keeps its picture, another look gets another one", async () => {
  const { api } = await mintTenant();
  const { id } = await created(api, { slides: [slide(`One ${newId()}`), slide("Two")] });
  const first = urlsOf((await render(api, id)).body.data);
  expect(urlsOf((await render(api, id)).body.data)).toEqual(first);
  await api.patch(`/slideshows/${id}`, { slides: [slide(`Other ${newId()}`), slide("Two")] });
  const second = urlsOf((await render(api, id)).body.data);
  expect([second[0] === first[0], second[1] === first[1]]).toEqual([false, true]);
  await api.patch(`/slideshows/${id}`, { settings: { aspect_ratio: "1:1" } });
  const third = urlsOf((await render(api, id)).body.data);
  expect(third.some((url) => second.includes(url))).toBe(false);
});

test("422 no_slides, 404 for another workspace's", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const { id } = await created(mine.api, { slides: [slide("a")] });
  const hidden = await render(theirs.api, id);
  expect([hidden.status, hidden.body.error_code]).toEqual([404, "not_found"]);
  await mine.api.patch(`/slideshows/${id}`, { slides: [] });
  const empty = await render(mine.api, id);
  expect([empty.status, empty.body.error_code]).toEqual([422, "no_slides"]);
});

test("502 image_unreachable names the slide, and nothing is half rendered", async () => {
  const { api } = await mintTenant();
  const made = await created(api, {
    slides: [
      slide("Fine", { image_url: pictureUrl() }),
      slide("Broken", { image_url: pictureUrl().replace(".png", ".gone") }),
    ],
  });
  const answer = await render(api, made.id);
  expect([answer.status, answer.body.error_code]).toEqual([502, "image_unreachable"]);
  expect(answer.body.message).toMatch(/slide 2\b/);
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toEqual(made);
});

describe("what happens while it draws", () => {
  async function during(change: (api: Client, item: string) => Promise<unknown>) {
    const { api } = await mintTenant();
    const { id } = await created(api, { title: "Before", slides: [slide("Old", { image_url: pictureUrl() })] });
    const item = `/slideshows/${id}`;
    let changed: Promise<unknown> | null = null;
    before = async () => {
      changed ??= change(api, item);
      await changed;
    };
    const answer = await render(api, id);
    expect(changed).not.toBeNull();
    return { answer, after: await api.get(item) };
  }

  test.each([
    [{ slides: [slide("New")] }, { slides: [{ text_elements: [{ content: "New" }] }] }],
    [{ settings: { aspect_ratio: "1:1" } }, { settings: { aspect_ratio: "1:1" } }],
    [
      { settings: { advanced_settings: { text_preset: "white" } } },
      { settings: { advanced_settings: { text_preset: "white" } } },
    ],
  ])("409 slideshow_changed over %j, which stays and has no picture", async (patch, kept) => {
    const { answer, after } = await during((api, item) => api.patch(item, patch));
    expect([answer.status, answer.body.error_code]).toEqual([409, "slideshow_changed"]);
    const none = { status: "draft", preview_image_url: null, last_rendered_at: null };
    expect(after.body.data).toMatchObject({ ...none, ...kept });
    expect(urlsOf(after.body.data)).toEqual([""]);
  });

  test("409 slideshow_changed when it is deleted, which it stays", async () => {
    const { answer, after } = await during((api, item) => api.delete(item));
    expect([answer.status, answer.body.error_code]).toEqual([409, "slideshow_changed"]);
    expect(after.status).toBe(404);
  });

  test("200 over a new title, which the picture does not show: both stay", async () => {
    const { answer, after } = await during((api, item) => api.patch(item, { title: "After" }));
    expect([answer.status, answer.body.data.title]).toEqual([200, "After"]);
    expect(after.body.data).toMatchObject({ status: "rendered", title: "After" });
  });
});

test("200 parallel renders answer the same pictures", async () => {
  const { api } = await mintTenant();
  const { id } = await created(api, { slides: [slide(newId()), slide("b")] });
  const answers = await Promise.all([render(api, id), render(api, id), render(api, id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map(({ body }) => urlsOf(body.data).join())).size).toBe(1);
});

test("200 the same Idempotency-Key answers the first render again", async () => {
  const { api } = await mintTenant();
  const { id } = await created(api, { slides: [slide("a")] });
  const key = { "Idempotency-Key": newId() };
  const first = await render(api, id, key);
  await api.patch(`/slideshows/${id}`, { slides: [slide("b")] });
  const again = await render(api, id, key);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.body).toEqual(first.body);
  expect((await api.get(`/slideshows/${id}`)).body.data.status).toBe("draft");
});

test("200 a rendered slideshow goes out to TikTok and Instagram by its pictures, which nobody fetches to be checked", async () => {
  const tenant = await mintTenant();
  const { api } = tenant;
  const accounts = [await mintAccount(tenant, "tiktok"), await mintAccount(tenant, "instagram")];
  const { id } = await created(api, {
    slides: [slide("One"), slide("Two", { image_url: pictureUrl() }), slide("Three")],
  });
  const urls = urlsOf((await render(api, id)).body.data);
  const body = {
    caption: "Tea",
    accounts: accounts.map((account) => ({ id: account.id })),
    media: { type: "slideshow", urls },
  };
  // A CDN that is out of reach for the guard: only files of the scope pass without a look at their URL.
  const posted = await api.call("POST", "/posts", { body, env: { ALLOWED_PRIVATE_HOSTS: "" } });
  expect([posted.status, posted.body.error_code]).toEqual([201, undefined]);
  const { world, pass } = publisher(new Date());
  const read = async () => (await api.get(`/posts/${posted.body.data.id}`)).body.data;
  const ids = api.nudged.at(-1)?.deliveryIds ?? [];
  for (let round = 0; round < 40 && (await read()).status !== "posted"; round++) {
    await publishDue(world, ids);
    pass(15_000);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect((await read()).status).toBe("posted");
  type Published = Record<string, { account: string; media: { url?: string }[] }[]>;
  const published = await lever<Published>("GET", "/_published");
  for (const { platform, externalId } of accounts) {
    const [item, ...others] = (published[platform] ?? []).filter(({ account }) => account === externalId);
    expect(others).toEqual([]);
    expect(item?.media.map(({ url }) => url)).toEqual(urls);
  }
});

test("422 slide_undrawable names the slide whose characters no font has, and nothing is drawn", async () => {
  const { api } = await mintTenant();
  const { id } = await created(api, { slides: [slide("fine"), slide("ᚠᚢᚦ")] });
  const answer = await render(api, id);
  expect([answer.status, answer.body.error_code]).toEqual([422, "slide_undrawable"]);
  expect(answer.body.message).toMatch(/^slide 2: .*ᚠ ᚢ ᚦ/);
  expect((await api.get(`/slideshows/${id}`)).body.data.status).toBe("draft");
});
