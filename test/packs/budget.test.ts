// Round trips of the pack endpoints.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { buildGradientRows, buildPng } from "../media/png-writer.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { createPack, insertImages } from "./factories.ts";
import { serveBytes, startImageHost } from "./image-host.ts";

interface Request {
  body?: unknown;
  key?: string | undefined;
  env?: Record<string, unknown>;
}

async function measureRequest(tenant: Tenant, method: string, path: string, { body, key, env }: Request = {}) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const options = { body, headers, ...(env ? { env } : {}) };
  const { result, cost } = await measureCost(requestId, () => tenant.api.call(method, path, options));
  return { status: result.status, trips: cost.round_trips };
}

test("every read takes 1 round trip for any number of packs and images", async () => {
  const tenant = await createTestTenant();
  const made = await Promise.all(Array.from({ length: 30 }, () => createPack(tenant.api)));
  for (const { id } of made) await insertImages(id, 3);
  expect(await measureRequest(tenant, "GET", `/packs/${made[0].id}`)).toEqual({ status: 200, trips: 1 });
  expect(await measureRequest(tenant, "GET", "/packs?limit=100")).toEqual({ status: 200, trips: 1 });
  expect(await measureRequest(tenant, "GET", `/packs/${newId()}`)).toEqual({ status: 404, trips: 1 });
});

test("every write takes 2 round trips, an idempotent write 3", async () => {
  const tenant = await createTestTenant();
  const origin = await startImageHost();
  const { id } = await createPack(tenant.api);
  const body = { image_url: origin.at("/a.png", serveBytes(buildPng(2, 2, buildGradientRows(2, 2)))) };
  const env = { ALLOWED_PRIVATE_HOSTS: origin.host };
  for (const [key, trips] of [
    [undefined, 2],
    [newId, 3],
  ] as const) {
    expect(await measureRequest(tenant, "POST", "/packs", { body: { name: "a" }, key: key?.() })).toEqual({
      status: 201,
      trips,
    });
    expect(await measureRequest(tenant, "PATCH", `/packs/${id}`, { body: { name: "b" }, key: key?.() })).toEqual({
      status: 200,
      trips,
    });
    expect(await measureRequest(tenant, "POST", `/packs/${id}/images`, { body, env, key: key?.() })).toEqual({
      status: 201,
      trips,
    });
  }
  const [image] = (await tenant.api.get(`/packs/${id}`)).body.data.images;
  expect(await measureRequest(tenant, "DELETE", `/packs/${id}/images/${image.id}`)).toEqual({ status: 200, trips: 2 });
  expect(await measureRequest(tenant, "DELETE", `/packs/${id}`)).toEqual({ status: 200, trips: 2 });
  await origin.close();
});
