// Round trips of the slideshow endpoints.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { measureRequest } from "../support/measure-round-trips.ts";
import { buildSlide, createPack, createProduct, createSlideshow } from "./factories.ts";

/** A tenant with a cached credential, and a Redis that has loaded the rate limit script. */
async function createWarmTenant(): Promise<Tenant> {
  const tenant = await createTestTenant();
  await tenant.api.post("/slideshows/generate", { skip_ai: true });
  return tenant;
}

test("every read takes 1 round trip, including search and total", async () => {
  const tenant = await createWarmTenant();
  const { id } = await createSlideshow(tenant.api, { slides: [buildSlide("a")] });
  expect(await measureRequest(tenant, "GET", "/slideshows?search=a&status=draft&offset=1")).toEqual({
    status: 200,
    trips: 1,
  });
  expect(await measureRequest(tenant, "GET", `/slideshows/${id}`)).toEqual({ status: 200, trips: 1 });
});

test("every write takes 2 round trips, an idempotent write 3, with any references", async () => {
  const tenant = await createWarmTenant();
  const product_id = await createProduct(tenant, "Kettle");
  const pack = await createPack(tenant, ["https://example.com/a.png"], false);
  const { id } = await createSlideshow(tenant.api, { slides: [buildSlide("a")] });
  const template = await tenant.api.post(`/templates/from-slideshow/${id}`, {});
  const template_id = template.body.data.id;
  const generate = { prompt: "tea", product_id, pack_id: pack };
  const writes: [string, string, object, number][] = [
    ["POST", "/slideshows", { slides: [buildSlide("a")], product_id }, 201],
    ["POST", "/slideshows", { template_id, product_id }, 201],
    ["POST", "/slideshows/generate", generate, 201],
    ["POST", `/slideshows/${id}/duplicate`, {}, 201],
    ["PATCH", `/slideshows/${id}`, { slides: [buildSlide("b")], product_id, settings: { aspect_ratio: "1:1" } }, 200],
  ];
  for (const [method, path, body, status] of writes) {
    expect([path, await measureRequest(tenant, method, path, body)]).toEqual([path, { status, trips: 2 }]);
    expect([path, await measureRequest(tenant, method, path, body, newId())]).toEqual([path, { status, trips: 3 }]);
  }
  const made = (await tenant.api.post("/slideshows/generate", generate)).body.data;
  const slidePath = `/slideshows/${made.id}/slides/0/regenerate`;
  expect(await measureRequest(tenant, "POST", slidePath, {})).toEqual({ status: 200, trips: 2 });
  expect(await measureRequest(tenant, "POST", slidePath, {}, newId())).toEqual({ status: 200, trips: 3 });
  expect(await measureRequest(tenant, "DELETE", `/slideshows/${id}`)).toEqual({ status: 200, trips: 2 });
});

test("a render takes one more round trip than a write, to find existing images", async () => {
  const tenant = await createWarmTenant();
  const { id } = await createSlideshow(tenant.api, { slides: [buildSlide("a"), buildSlide("b")] });
  const path = `/slideshows/${id}/render`;
  expect((await tenant.api.post(path)).status).toBe(200);
  expect(await measureRequest(tenant, "POST", path)).toEqual({ status: 200, trips: 3 });
});
