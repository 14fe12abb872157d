// Round trips of the template endpoints.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { measureRequest } from "../support/measure-round-trips.ts";
import { buildTemplateConfig, createTemplate, insertSlideshow } from "./factories.ts";

test("every read takes 1 round trip", async () => {
  const tenant = await createTestTenant();
  const { id } = await createTemplate(tenant.api);
  expect(await measureRequest(tenant, "GET", `/templates/${id}`)).toEqual({ status: 200, trips: 1 });
  expect(await measureRequest(tenant, "GET", "/templates?search=a&limit=100")).toEqual({ status: 200, trips: 1 });
  expect(await measureRequest(tenant, "GET", `/templates/${newId()}`)).toEqual({ status: 404, trips: 1 });
});

test("every write takes 2 round trips, an idempotent write 3", async () => {
  const tenant = await createTestTenant();
  const { id } = await createTemplate(tenant.api);
  const slideshow = `/templates/from-slideshow/${await insertSlideshow(tenant)}`;
  const body = () => ({ name: newId(), config: buildTemplateConfig() });
  for (const [key, trips] of [
    [undefined, 2],
    [newId, 3],
  ] as const) {
    expect(await measureRequest(tenant, "POST", "/templates", body(), key?.())).toEqual({ status: 201, trips });
    expect(await measureRequest(tenant, "PATCH", `/templates/${id}`, body(), key?.())).toEqual({ status: 200, trips });
    expect(await measureRequest(tenant, "POST", slideshow, {}, key?.())).toEqual({ status: 201, trips });
  }
  expect(await measureRequest(tenant, "DELETE", `/templates/${id}`)).toEqual({ status: 200, trips: 2 });
});
