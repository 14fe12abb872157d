// What the pack endpoints cost in round trips to the database and Redis.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { mintTenant, type Tenant } from "../harness.ts";
import { costOf } from "../measure.ts";
import { gradient, png } from "../media/png.ts";
import { bytes, startOrigin } from "./origin.ts";
import { createPack, insertImages } from "./packs.ts";

interface Request {
  body?: unknown;
  key?: string | undefined;
  env?: Record<string, unknown>;
}

async function cost(tenant: Tenant, method: string, path: string, { body, key, env }: Request = {}) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const options = { body, headers, ...(env ? { env } : {}) };
  const { result, cost } = await costOf(requestId, () => tenant.api.call(method, path, options));
  return { status: result.status, trips: cost.round_trips };
}

test("a read of packs is 1 round trip, whatever their number and that of their images", async () => {
  const tenant = await mintTenant();
  const made = await Promise.all(Array.from({ length: 30 }, () => createPack(tenant.api)));
  for (const { id } of made) await insertImages(id, 3);
  expect(await cost(tenant, "GET", `/packs/${made[0].id}`)).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", "/packs?limit=100")).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", `/packs/${newId()}`)).toEqual({ status: 404, trips: 1 });
});

test("a write of packs is 2 round trips, with an idempotency key 3", async () => {
  const tenant = await mintTenant();
  const origin = await startOrigin();
  const { id } = await createPack(tenant.api);
  const body = { image_url: origin.at("/a.png", bytes(png(2, 2, gradient(2, 2)))) };
  const env = { ALLOWED_PRIVATE_HOSTS: origin.host };
  for (const [key, trips] of [
    [undefined, 2],
    [newId, 3],
  ] as const) {
    expect(await cost(tenant, "POST", "/packs", { body: { name: "a" }, key: key?.() })).toEqual({ status: 201, trips });
    expect(await cost(tenant, "PATCH", `/packs/${id}`, { body: { name: "b" }, key: key?.() })).toEqual({
      status: 200,
      trips,
    });
    expect(await cost(tenant, "POST", `/packs/${id}/images`, { body, env, key: key?.() })).toEqual({
      status: 201,
      trips,
    });
  }
  const [image] = (await tenant.api.get(`/packs/${id}`)).body.data.images;
  expect(await cost(tenant, "DELETE", `/packs/${id}/images/${image.id}`)).toEqual({ status: 200, trips: 2 });
  expect(await cost(tenant, "DELETE", `/packs/${id}`)).toEqual({ status: 200, trips: 2 });
  await origin.close();
});
