// Round trips and database calls of the folder endpoints.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { createFolder, insertChain, insertFiles } from "./factories.ts";

interface Request {
  body?: unknown;
  key?: string;
}

async function measureRequest(tenant: Tenant, method: string, path: string, { body, key }: Request = {}) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const { result, cost } = await measureCost(requestId, () => tenant.api.call(method, path, { body, headers }));
  return { status: result.status, trips: cost.round_trips, database: cost.database, data: result.body.data };
}

// A read sends the check of the key and its query in one call; a write checks the key first.
const READ = { status: 200, trips: 1, database: 1 };
const WRITE = { status: 200, trips: 2, database: 2 };
const IDEMPOTENT = { status: 200, trips: 3, database: 2 };

test("every read takes 1 round trip, including a list of 100 folders with previews", async () => {
  const tenant = await createTestTenant();
  const files = await insertFiles(tenant, 5, "upload");
  const folders = await Promise.all(Array.from({ length: 100 }, () => createFolder(tenant)));
  await Promise.all(folders.map(({ id }) => tenant.api.post(`/folders/${id}/items`, { item_ids: files })));
  const listed = await measureRequest(tenant, "GET", "/folders?limit=100");
  expect(listed).toMatchObject(READ);
  expect(listed.data.folders).toHaveLength(100);
  for (const folder of listed.data.folders) {
    expect(folder.file_count).toBe(5);
    expect(folder.preview_files).toHaveLength(4);
  }
  const { id } = folders[0];
  expect(await measureRequest(tenant, "GET", `/folders?parent_folder_id=${id}`)).toMatchObject(READ);
  expect(await measureRequest(tenant, "GET", `/folders/${id}`)).toMatchObject(READ);
  expect(await measureRequest(tenant, "GET", `/folders/${id}/ancestors`)).toMatchObject(READ);
  expect(await measureRequest(tenant, "GET", `/folders/${id}/items`)).toMatchObject(READ);
});

test("every write takes 2 round trips, an idempotent write 3", async () => {
  const tenant = await createTestTenant();
  const [folder, parent] = [await createFolder(tenant), await createFolder(tenant)];
  const create = (name: string) => ({ body: { name, media_type: "upload", parent_folder_id: parent.id } });
  expect(await measureRequest(tenant, "POST", "/folders", create("a"))).toMatchObject({ ...WRITE, status: 201 });
  const once = { ...create("b"), key: newId() };
  expect(await measureRequest(tenant, "POST", "/folders", once)).toMatchObject({ ...IDEMPOTENT, status: 201 });
  const move = { body: { parent_folder_id: parent.id } };
  expect(await measureRequest(tenant, "PATCH", `/folders/${folder.id}`, move)).toMatchObject(WRITE);
  expect(await measureRequest(tenant, "PATCH", `/folders/${folder.id}`, { ...move, key: newId() })).toMatchObject(
    IDEMPOTENT,
  );
  const items = { body: { item_ids: await insertFiles(tenant, 200, "upload") } };
  expect(await measureRequest(tenant, "POST", `/folders/${folder.id}/items`, items)).toMatchObject(WRITE);
  expect(await measureRequest(tenant, "POST", `/folders/${folder.id}/items`, { ...items, key: newId() })).toMatchObject(
    IDEMPOTENT,
  );
  expect(await measureRequest(tenant, "DELETE", `/folders/${folder.id}/items`, items)).toMatchObject(WRITE);
});

test("a chain of 32 folders is deleted in one database call", async () => {
  const tenant = await createTestTenant();
  const chain = await insertChain(tenant, 32);
  expect(await measureRequest(tenant, "DELETE", `/folders/${chain[0]}`)).toMatchObject(WRITE);
  expect((await tenant.api.get("/folders")).body.data.total).toBe(0);
});
