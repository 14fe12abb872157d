// Listing slideshows: filters, order and isolation.
import { expect, test } from "vitest";
import { type Client, createClient, createTestKey, createTestTenant } from "../support/harness.ts";
import { buildSlide, createSlideshow, markRendered } from "./factories.ts";

const listTitles = async (api: Client, query: string) => {
  const { body } = await api.get(`/slideshows${query}`);
  return body.data.slideshows.map(({ title }: { title: string }) => title);
};

async function createSlideshows() {
  const tenant = await createTestTenant();
  for (const title of ["100% Tea", "coffee", "Tea_time", "cocoa"]) {
    await createSlideshow(tenant.api, { title, slides: [buildSlide(title)] });
  }
  return tenant;
}

test("200 lists newest first without slides, with the applied paging", async () => {
  const { api } = await createSlideshows();
  const { body } = await api.get("/slideshows");
  expect(body.data).toMatchObject({ total: 4, limit: 20, offset: 0 });
  expect(body.data.slideshows[0]).toEqual({
    id: expect.any(String),
    title: "cocoa",
    status: "draft",
    slideshow_type: "educational",
    product_id: null,
    slide_count: 1,
    settings: { aspect_ratio: "4:5", slideshow_type: "educational", advanced_settings: {}, pack_assignments: null },
    preview_image_url: null,
    has_rendered_slide: false,
    last_rendered_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await listTitles(api, "")).toEqual(["cocoa", "Tea_time", "coffee", "100% Tea"]);
  const page = (await api.get("/slideshows?limit=2&offset=1")).body.data;
  expect(page).toMatchObject({ total: 4, limit: 2, offset: 1 });
  expect(await listTitles(api, "?limit=2&offset=1")).toEqual(["Tea_time", "coffee"]);
  expect(await listTitles(api, "?offset=4")).toEqual([]);
});

test("200 filters by status and by a part of the title, without wildcards", async () => {
  const { api } = await createSlideshows();
  const { slideshows } = (await api.get("/slideshows")).body.data;
  await markRendered(slideshows[1].id);
  expect(await listTitles(api, "?status=rendered")).toEqual(["Tea_time"]);
  expect(await listTitles(api, "?status=draft&search=o")).toEqual(["cocoa", "coffee"]);
  expect(await listTitles(api, "?search=TEA")).toEqual(["Tea_time", "100% Tea"]);
  expect(await listTitles(api, "?search=%25")).toEqual(["100% Tea"]);
  expect(await listTitles(api, "?search=_")).toEqual(["Tea_time"]);
  expect((await api.get("/slideshows?search=TEA&limit=1")).body.data.total).toBe(2);
});

test("200 every key of a workspace sees the same slideshows, other scopes none", async () => {
  const tenant = await createSlideshows();
  const second = createClient(await createTestKey(tenant));
  expect(await listTitles(second, "")).toHaveLength(4);
  const [stranger, person] = [await createTestTenant(), await createTestTenant({ personal: true })];
  const [first] = (await tenant.api.get("/slideshows")).body.data.slideshows;
  for (const { api } of [stranger, person]) {
    expect(await listTitles(api, "")).toEqual([]);
    const response = await api.get(`/slideshows/${first.id}`);
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
  }
  const own = await createSlideshow(person.api, { title: "Personal", slides: [buildSlide("a")] });
  expect((await person.api.get(`/slideshows/${own.id}`)).status).toBe(200);
  expect((await tenant.api.get(`/slideshows/${own.id}`)).status).toBe(404);
});
