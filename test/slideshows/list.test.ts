// Which slideshows a list shows, in which order, and to whom.
import { expect, test } from "vitest";
import { type Client, client, mintKey, mintTenant } from "../harness.ts";
import { created, markRendered, slide } from "./made.ts";

const titlesOf = async (api: Client, query: string) => {
  const { body } = await api.get(`/slideshows${query}`);
  return body.data.slideshows.map(({ title }: { title: string }) => title);
};

async function filled() {
  const tenant = await mintTenant();
  for (const title of ["100% Tea", "coffee", "Tea_time", "cocoa"]) {
    await created(tenant.api, { title, slides: [slide(title)] });
  }
  return tenant;
}

test("200 newest first, without the slides, with the paging that was used", async () => {
  const { api } = await filled();
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
    last_rendered_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await titlesOf(api, "")).toEqual(["cocoa", "Tea_time", "coffee", "100% Tea"]);
  const page = (await api.get("/slideshows?limit=2&offset=1")).body.data;
  expect(page).toMatchObject({ total: 4, limit: 2, offset: 1 });
  expect(await titlesOf(api, "?limit=2&offset=1")).toEqual(["Tea_time", "coffee"]);
  expect(await titlesOf(api, "?offset=4")).toEqual([]);
});

test("200 by status and by part of the title, where nothing is a wildcard", async () => {
  const { api } = await filled();
  const { slideshows } = (await api.get("/slideshows")).body.data;
  await markRendered(slideshows[1].id);
  expect(await titlesOf(api, "?status=rendered")).toEqual(["Tea_time"]);
  expect(await titlesOf(api, "?status=draft&search=o")).toEqual(["cocoa", "coffee"]);
  expect(await titlesOf(api, "?search=TEA")).toEqual(["Tea_time", "100% Tea"]);
  expect(await titlesOf(api, "?search=%25")).toEqual(["100% Tea"]);
  expect(await titlesOf(api, "?search=_")).toEqual(["Tea_time"]);
  expect((await api.get("/slideshows?search=TEA&limit=1")).body.data.total).toBe(2);
});

test.each([
  "status=posted",
  "limit=0",
  "limit=101",
  "limit=ten",
  "offset=-1",
  "offset=1.5",
  "search=a&search=b",
  "page=1",
])("422 invalid_query for %s", async (query) => {
  const { api } = await mintTenant();
  const answer = await api.get(`/slideshows?${query}`);
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_query"]);
  expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([query.split("=")[0]]);
});

test("200 every key of a workspace sees the same, others nothing of it", async () => {
  const tenant = await filled();
  const second = client(await mintKey(tenant));
  expect(await titlesOf(second, "")).toHaveLength(4);
  const [stranger, person] = [await mintTenant(), await mintTenant({ personal: true })];
  const [first] = (await tenant.api.get("/slideshows")).body.data.slideshows;
  for (const { api } of [stranger, person]) {
    expect(await titlesOf(api, "")).toEqual([]);
    const answer = await api.get(`/slideshows/${first.id}`);
    expect([answer.status, answer.body.error_code]).toEqual([404, "not_found"]);
  }
  const own = await created(person.api, { title: "Personal", slides: [slide("a")] });
  expect((await person.api.get(`/slideshows/${own.id}`)).status).toBe(200);
  expect((await tenant.api.get(`/slideshows/${own.id}`)).status).toBe(404);
});
