// What the template endpoints cost in round trips to the database and Redis.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { mintTenant, type Tenant } from "../harness.ts";
import { costOf } from "../measure.ts";
import { createTemplate, insertSlideshow, wholeConfig } from "./templates.ts";

async function cost(tenant: Tenant, method: string, path: string, body?: unknown, key?: string) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const { result, cost } = await costOf(requestId, () => tenant.api.call(method, path, { body, headers }));
  return { status: result.status, trips: cost.round_trips };
}

test("a read of templates is 1 round trip", async () => {
  const tenant = await mintTenant();
  const { id } = await createTemplate(tenant.api);
  expect(await cost(tenant, "GET", `/templates/${id}`)).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", "/templates?search=a&limit=100")).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", `/templates/${newId()}`)).toEqual({ status: 404, trips: 1 });
});

test("a write of templates is 2 round trips, with an idempotency key 3", async () => {
  const tenant = await mintTenant();
  const { id } = await createTemplate(tenant.api);
  const slideshow = `/templates/from-slideshow/${await insertSlideshow(tenant)}`;
  const body = () => ({ name: newId(), config: wholeConfig() });
  for (const [key, trips] of [
    [undefined, 2],
    [newId, 3],
  ] as const) {
    expect(await cost(tenant, "POST", "/templates", body(), key?.())).toEqual({ status: 201, trips });
    expect(await cost(tenant, "PATCH", `/templates/${id}`, body(), key?.())).toEqual({ status: 200, trips });
    expect(await cost(tenant, "POST", slideshow, {}, key?.())).toEqual({ status: 201, trips });
  }
  expect(await cost(tenant, "DELETE", `/templates/${id}`)).toEqual({ status: 200, trips: 2 });
});
