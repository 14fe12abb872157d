// Round trips of the post endpoints to database and Redis.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createClient, createTestAccount, createTestKey, createTestTenant } from "../support/harness.ts";
import { measureRequest } from "../support/measure-round-trips.ts";

test("a read takes 1 round trip, the first one of an isolate 2", async () => {
  const tenant = await createTestTenant();
  await createTestAccount(tenant, "instagram");
  expect(await measureRequest(tenant, "GET", "/accounts")).toEqual({ status: 200, trips: 2 });
  expect(await measureRequest(tenant, "GET", "/accounts")).toEqual({ status: 200, trips: 1 });
  expect(await measureRequest(tenant, "GET", "/posts")).toEqual({ status: 200, trips: 1 });
  expect(await measureRequest(tenant, "GET", `/posts/${newId()}`)).toEqual({ status: 404, trips: 1 });
});

test("a write takes 2 round trips, with an idempotency key 3, its replay 1", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const url = await uploadDemoVideo(tenant.api);
  const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  const key = newId();
  expect(await measureRequest(tenant, "POST", "/posts", body)).toEqual({ status: 201, trips: 2 });
  expect(await measureRequest(tenant, "POST", "/posts", body, key)).toEqual({ status: 201, trips: 3 });
  expect(await measureRequest(tenant, "POST", "/posts", body, key)).toEqual({ status: 201, trips: 1 });
  expect(await measureRequest(tenant, "POST", "/files", { contentType: "video/mp4" })).toEqual({
    status: 201,
    trips: 2,
  });
});

test("prepare, commit and update take 3 round trips with an idempotency key, retry and delete 2 without", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const url = await uploadDemoVideo(tenant.api);
  const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  expect(await measureRequest(tenant, "POST", "/posts/prepare", body, newId())).toEqual({ status: 201, trips: 3 });
  const { id } = (await tenant.api.post("/posts/prepare", body)).body.data;
  expect(await measureRequest(tenant, "PATCH", `/posts/${id}`, { caption: "b" }, newId())).toEqual({
    status: 200,
    trips: 3,
  });
  expect(await measureRequest(tenant, "POST", `/posts/${id}/commit`, {}, newId())).toEqual({ status: 200, trips: 3 });
  expect(await measureRequest(tenant, "POST", "/posts/retry", { post_ids: [id] })).toEqual({ status: 200, trips: 2 });
  expect(await measureRequest(tenant, "POST", "/posts/delete", { post_ids: [id] })).toEqual({ status: 200, trips: 2 });
});

test("a key limited to an account takes as many: a read 1, a write 2, an approval 2", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const openLimited = async () => ({ api: createClient(await createTestKey(tenant, { accountIds: [account.id] })) });
  const [limited, approver] = [await openLimited(), await openLimited()];
  for (const { api } of [limited, approver]) await api.get("/posts");
  for (const path of ["/accounts", "/posts", "/events", "/analytics/targets", "/analytics/summary", "/webhooks"]) {
    expect([path, await measureRequest(limited, "GET", path)]).toEqual([path, { status: 200, trips: 1 }]);
  }
  const body = { caption: "a", accounts: [{ id: account.id }] };
  expect(await measureRequest(limited, "POST", "/posts", body)).toEqual({ status: 201, trips: 2 });
  const target = { platform: "bluesky", identifier: account.username };
  expect(await measureRequest(limited, "POST", "/analytics/targets", target)).toEqual({ status: 201, trips: 2 });
  const { id } = (await limited.api.post("/posts/prepare", body)).body.data;
  expect(await measureRequest(limited, "POST", `/posts/${id}/approvals`, {})).toEqual({ status: 201, trips: 2 });
  expect(await measureRequest(limited, "GET", `/posts/${id}/approvals`)).toEqual({ status: 200, trips: 1 });
  const [link] = (await limited.api.get(`/posts/${id}/approvals`)).body.data.approvals;
  const approve = `/posts/${id}/approvals/${link.id}/approve`;
  expect(await measureRequest(approver, "POST", approve)).toEqual({ status: 200, trips: 2 });
});
