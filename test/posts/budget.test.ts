// What the posting endpoints cost in round trips to the database and Redis.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { uploadedVideo } from "../files/uploaded.ts";
import { mintAccount, mintTenant, type Tenant } from "../harness.ts";
import { costOf } from "../measure.ts";

async function cost(tenant: Tenant, method: string, path: string, body?: unknown, key?: string) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const { result, cost } = await costOf(requestId, () => tenant.api.call(method, path, { body, headers }));
  return { status: result.status, trips: cost.round_trips };
}

test("a warm read is 1 round trip and the first of an isolate 2", async () => {
  const tenant = await mintTenant();
  await mintAccount(tenant, "instagram");
  expect(await cost(tenant, "GET", "/accounts")).toEqual({ status: 200, trips: 2 });
  expect(await cost(tenant, "GET", "/accounts")).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", "/posts")).toEqual({ status: 200, trips: 1 });
  expect(await cost(tenant, "GET", `/posts/${newId()}`)).toEqual({ status: 404, trips: 1 });
});

test("a write is 2 round trips, with an idempotency key 3, its replay 1", async () => {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "instagram");
  const url = await uploadedVideo(tenant.api);
  const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  const key = newId();
  expect(await cost(tenant, "POST", "/posts", body)).toEqual({ status: 201, trips: 2 });
  expect(await cost(tenant, "POST", "/posts", body, key)).toEqual({ status: 201, trips: 3 });
  expect(await cost(tenant, "POST", "/posts", body, key)).toEqual({ status: 201, trips: 1 });
  expect(await cost(tenant, "POST", "/files", { contentType: "video/mp4" })).toEqual({ status: 201, trips: 2 });
});

test("prepare, commit and update are 3 round trips with an idempotency key, retry and delete 2 without", async () => {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "instagram");
  const url = await uploadedVideo(tenant.api);
  const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  expect(await cost(tenant, "POST", "/posts/prepare", body, newId())).toEqual({ status: 201, trips: 3 });
  const { id } = (await tenant.api.post("/posts/prepare", body)).body.data;
  expect(await cost(tenant, "PATCH", `/posts/${id}`, { caption: "b" }, newId())).toEqual({ status: 200, trips: 3 });
  expect(await cost(tenant, "POST", `/posts/${id}/commit`, {}, newId())).toEqual({ status: 200, trips: 3 });
  expect(await cost(tenant, "POST", "/posts/retry", { post_ids: [id] })).toEqual({ status: 200, trips: 2 });
  expect(await cost(tenant, "POST", "/posts/delete", { post_ids: [id] })).toEqual({ status: 200, trips: 2 });
});
