// What the folder endpoints cost in calls to the database and in round trips.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { mintTenant, type Tenant } from "../harness.ts";
import { costOf } from "../measure.ts";
import { createChain, createFolder, insertFiles } from "./folders.ts";

interface Request {
  body?: unknown;
  key?: string;
}

async function cost(tenant: Tenant, method: string, path: string, { body, key }: Request = {}) {
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
  const { result, cost } = await costOf(requestId, () => tenant.api.call(method, path, { body, headers }));
  return { status: result.status, trips: cost.round_trips, database: cost.database, data: result.body.data };
}

// One call reads the key, the other is the endpoint's own.
const READ = { status: 200, trips: 1, database: 2 };
const WRITE = { status: 200, trips: 2, database: 2 };
const IDEMPOTENT = { status: 200, trips: 3, database: 2 };

test("every read is 1 round trip, the list of 100 folders with previews too", async () => {
  const tenant = await mintTenant();
  const files = await insertFiles(tenant, 5, "upload");
  const folders = await Promise.all(Array.from({ length: 100 }, () => createFolder(tenant)));
  await Promise.all(folders.map(({ id }) => tenant.api.post(`/folders/${id}/items`, { item_ids: files })));
  const listed = await cost(tenant, "GET", "/folders?limit=100");
  expect(listed).toMatchObject(READ);
  expect(listed.data.folders).toHaveLength(100);
  for (const folder of listed.data.folders) {
    expect(folder.file_count).toBe(5);
    expect(folder.preview_files).toHaveLength(4);
  }
  const { id } = folders[0];
  expect(await cost(tenant, "GET", `/folders?parent_folder_id=${id}`)).toMatchObject(READ);
  expect(await cost(tenant, "GET", `/folders/${id}`)).toMatchObject(READ);
  expect(await cost(tenant, "GET", `/folders/${id}/ancestors`)).toMatchObject(READ);
  expect(await cost(tenant, "GET", `/folders/${id}/items`)).toMatchObject(READ);
});

test("every write is 2 round trips, with an idempotency key 3", async () => {
  const tenant = await mintTenant();
  const [folder, parent] = [await createFolder(tenant), await createFolder(tenant)];
  const create = (name: string) => ({ body: { name, media_type: "upload", parent_folder_id: parent.id } });
  expect(await cost(tenant, "POST", "/folders", create("a"))).toMatchObject({ ...WRITE, status: 201 });
  const once = { ...create("b"), key: newId() };
  expect(await cost(tenant, "POST", "/folders", once)).toMatchObject({ ...IDEMPOTENT, status: 201 });
  const move = { body: { parent_folder_id: parent.id } };
  expect(await cost(tenant, "PATCH", `/folders/${folder.id}`, move)).toMatchObject(WRITE);
  expect(await cost(tenant, "PATCH", `/folders/${folder.id}`, { ...move, key: newId() })).toMatchObject(IDEMPOTENT);
  const items = { body: { item_ids: await insertFiles(tenant, 200, "upload") } };
  expect(await cost(tenant, "POST", `/folders/${folder.id}/items`, items)).toMatchObject(WRITE);
  expect(await cost(tenant, "POST", `/folders/${folder.id}/items`, { ...items, key: newId() })).toMatchObject(
    IDEMPOTENT,
  );
  expect(await cost(tenant, "DELETE", `/folders/${folder.id}/items`, items)).toMatchObject(WRITE);
});

test("a chain of 32 folders is deleted in one call to the database", async () => {
  const tenant = await mintTenant();
  const chain = await createChain(tenant, 32);
  expect(await cost(tenant, "DELETE", `/folders/${chain[0]}`)).toMatchObject(WRITE);
  expect((await tenant.api.get("/folders")).body.data.total).toBe(0);
});
