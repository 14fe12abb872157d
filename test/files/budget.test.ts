// What files cost in round trips to database and Redis, and in calls to the bucket, which costOf does not see.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintTenant, rows, type Tenant } from "../harness.ts";
import { costOf } from "../measure.ts";
import { type BucketDoor, openBucketDoor } from "./breaking.ts";
import { uploadedVideo } from "./uploaded.ts";

let door: BucketDoor;
beforeAll(async () => {
  door = await openBucketDoor();
});
afterAll(() => door.close());

async function cost(tenant: Tenant, method: string, path: string, body?: unknown, key?: string) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  door.seen.length = 0;
  const call = () => tenant.api.call(method, path, { body, headers, env: door.env });
  const { result, cost } = await costOf(requestId, call);
  return { status: result.status, trips: cost.round_trips, bucket: door.seen.length, data: result.body.data };
}

test("reads are 1 round trip", async () => {
  const tenant = await mintTenant();
  await uploadedVideo(tenant.api);
  const { id } = (await tenant.api.get("/files")).body.data.files[0];
  for (const path of ["/files", "/files?type=video&limit=1", `/files/${id}`, `/files/${newId()}`]) {
    expect(await cost(tenant, "GET", path)).toMatchObject({
      status: path.endsWith(id) || !path.includes("-") ? 200 : 404,
      trips: 1,
      bucket: 0,
    });
  }
});

test("a start in parts is 3: the key, the bucket, the row; one more with an idempotency key, and 1 for its replay", async () => {
  const tenant = await mintTenant();
  await tenant.api.get("/accounts");
  const body = { contentType: "video/mp4", size: 900 * 1024 ** 2 };
  const key = newId();
  expect(await cost(tenant, "POST", "/files/multipart", body)).toMatchObject({ status: 201, trips: 2, bucket: 1 });
  expect(await cost(tenant, "POST", "/files/multipart", body, key)).toMatchObject({ status: 201, trips: 3, bucket: 1 });
  expect(await cost(tenant, "POST", "/files/multipart", body, key)).toMatchObject({ status: 201, trips: 1, bucket: 0 });
});

test("more part URLs are 1, an abort 2 and the bucket, a delete 2 before its answer", async () => {
  const tenant = await mintTenant();
  const started = await tenant.api.post("/files/multipart", { contentType: "video/mp4", size: 900 * 1024 ** 2 });
  const path = `/files/multipart/${started.body.data.id}`;
  const more = await cost(tenant, "POST", `${path}/parts`, { partNumbers: [101, 102] });
  expect(more).toMatchObject({ status: 200, trips: 1, bucket: 0 });
  expect(await cost(tenant, "DELETE", path)).toMatchObject({ status: 200, trips: 2, bucket: 2 });
  await uploadedVideo(tenant.api);
  const { id } = (await tenant.api.get("/files")).body.data.files[0];
  // The third is the end of the removal, after the answer.
  expect(await cost(tenant, "DELETE", `/files/${id}`)).toMatchObject({ status: 200, trips: 3, bucket: 1 });
  expect(await rows(sql`select 1 from files where id = ${id}`)).toEqual([]);
});
