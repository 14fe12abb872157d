// Round trips to database and Redis, and calls to storage, of the file endpoints.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { openStorageProxy, type StorageProxy } from "./fault-injection.ts";
import { uploadDemoVideo } from "./upload-file.ts";

let proxy: StorageProxy;
beforeAll(async () => {
  proxy = await openStorageProxy();
});
afterAll(() => proxy.close());

async function measureRequest(tenant: Tenant, method: string, path: string, body?: unknown, key?: string) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  proxy.seen.length = 0;
  const call = () => tenant.api.call(method, path, { body, headers, env: proxy.env });
  const { result, cost } = await measureCost(requestId, call);
  return { status: result.status, trips: cost.round_trips, bucket: proxy.seen.length, data: result.body.data };
}

test("reads take 1 round trip", async () => {
  const tenant = await createTestTenant();
  await uploadDemoVideo(tenant.api);
  const { id } = (await tenant.api.get("/files")).body.data.files[0];
  for (const path of ["/files", "/files?type=video&limit=1", `/files/${id}`, `/files/${newId()}`]) {
    expect(await measureRequest(tenant, "GET", path)).toMatchObject({
      status: path.endsWith(id) || !path.includes("-") ? 200 : 404,
      trips: 1,
      bucket: 0,
    });
  }
});

test("a multipart start takes 2 round trips, 3 with an idempotency key; its replay takes 1", async () => {
  const tenant = await createTestTenant();
  await tenant.api.get("/accounts");
  const body = { contentType: "video/mp4", size: 900 * 1024 ** 2 };
  const key = newId();
  expect(await measureRequest(tenant, "POST", "/files/multipart", body)).toMatchObject({
    status: 201,
    trips: 2,
    bucket: 1,
  });
  expect(await measureRequest(tenant, "POST", "/files/multipart", body, key)).toMatchObject({
    status: 201,
    trips: 3,
    bucket: 1,
  });
  expect(await measureRequest(tenant, "POST", "/files/multipart", body, key)).toMatchObject({
    status: 201,
    trips: 1,
    bucket: 0,
  });
});

test("more part URLs take 1 round trip, an abort 2 and 2 storage calls, a delete 2 before its response", async () => {
  const tenant = await createTestTenant();
  const started = await tenant.api.post("/files/multipart", { contentType: "video/mp4", size: 900 * 1024 ** 2 });
  const path = `/files/multipart/${started.body.data.id}`;
  const more = await measureRequest(tenant, "POST", `${path}/parts`, { partNumbers: [101, 102] });
  expect(more).toMatchObject({ status: 200, trips: 1, bucket: 0 });
  expect(await measureRequest(tenant, "DELETE", path)).toMatchObject({ status: 200, trips: 2, bucket: 2 });
  await uploadDemoVideo(tenant.api);
  const { id } = (await tenant.api.get("/files")).body.data.files[0];
  // The third one completes the deletion, after the response.
  expect(await measureRequest(tenant, "DELETE", `/files/${id}`)).toMatchObject({ status: 200, trips: 3, bucket: 1 });
  expect(await queryRows(sql`select 1 from files where id = ${id}`)).toEqual([]);
});
