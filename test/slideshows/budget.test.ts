// What the slideshow endpoints cost in round trips to the database and Redis.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { mintTenant, type Tenant } from "../harness.ts";
import { costOf } from "../measure.ts";
import { created, mintPack, mintProduct, slide } from "./made.ts";

async function cost(tenant: Tenant, method: string, path: string, body?: unknown, key?: string) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const { result, cost } = await costOf(requestId, () => tenant.api.call(method, path, { body, headers }));
  return { status: result.status, trips: cost.round_trips };
}

/** A tenant whose key this isolate knows, beside a Redis that knows the script of the ceilings. */
async function warm(): Promise<Tenant> {
  const tenant = await mintTenant();
  await tenant.api.post("/slideshows/generate", { skip_ai: true });
  return tenant;
}

test("a read is 1 round trip, with a search and its total too", async () => {
  const tenant = await warm();
  const { id } = await created(tenant.api, { slides: [slide("a")] });
  expect(await cost(tenant, "GET", "/slideshows?search=a&status=draft&offset=1")).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", `/slideshows/${id}`)).toEqual({ status: 200, trips: 1 });
});

test("a write is 2 round trips and 3 with an idempotency key, whatever it refers to", async () => {
  const tenant = await warm();
  const product_id = await mintProduct(tenant, "Kettle");
  const pack = await mintPack(tenant, ["https://example.com/a.png"], false);
  const { id } = await created(tenant.api, { slides: [slide("a")] });
  const template = await tenant.api.post(`/templates/from-slideshow/${id}`, {});
  const template_id = template.body.data.id;
  const generate = { prompt: "tea", product_id, pack_id: pack };
  const writes: [string, string, object, number][] = [
    ["POST", "/slideshows", { slides: [slide("a")], product_id }, 201],
    ["POST", "/slideshows", { template_id, product_id }, 201],
    ["POST", "/slideshows/generate", generate, 201],
    ["POST", `/slideshows/${id}/duplicate`, {}, 201],
    ["PATCH", `/slideshows/${id}`, { slides: [slide("b")], product_id, settings: { aspect_ratio: "1:1" } }, 200],
  ];
  for (const [method, path, body, status] of writes) {
    expect([path, await cost(tenant, method, path, body)]).toEqual([path, { status, trips: 2 }]);
    expect([path, await cost(tenant, method, path, body, newId())]).toEqual([path, { status, trips: 3 }]);
  }
  const made = (await tenant.api.post("/slideshows/generate", generate)).body.data;
  const slidePath = `/slideshows/${made.id}/slides/0/regenerate`;
  expect(await cost(tenant, "POST", slidePath, {})).toEqual({ status: 200, trips: 2 });
  expect(await cost(tenant, "POST", slidePath, {}, newId())).toEqual({ status: 200, trips: 3 });
  expect(await cost(tenant, "DELETE", `/slideshows/${id}`)).toEqual({ status: 200, trips: 2 });
});

test("a render looks for its pictures in one more round trip than a write", async () => {
  const tenant = await warm();
  const { id } = await created(tenant.api, { slides: [slide("a"), slide("b")] });
  const path = `/slideshows/${id}/render`;
  expect((await tenant.api.post(path)).status).toBe(200);
  expect(await cost(tenant, "POST", path)).toEqual({ status: 200, trips: 3 });
});
