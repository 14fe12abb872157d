// Moving folders over HTTP, also concurrently.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { createFolder, getStatusAndCode, insertChain, insertFiles, moveTo } from "./factories.ts";

const readParent = async ({ api }: Tenant, id: string): Promise<string | null> =>
  (await api.get(`/folders/${id}`)).body.data.parent_folder_id;

test("200 moves a folder with its subfolders to another parent and to the root", async () => {
  const tenant = await createTestTenant();
  const [from, to] = [await createFolder(tenant, { name: "From" }), await createFolder(tenant, { name: "To" })];
  const folder = await createFolder(tenant, { name: "Folder", parentId: from.id });
  const leaf = await createFolder(tenant, { name: "Leaf", parentId: folder.id });
  const files = await insertFiles(tenant, 1, "upload");
  await tenant.api.post(`/folders/${folder.id}/items`, { item_ids: files });
  const before = (await tenant.api.get(`/folders/${folder.id}`)).body.data;

  const moved = await moveTo(tenant, folder.id, to.id);
  expect([moved.status, moved.body.message]).toEqual([200, "Folder moved."]);
  expect(moved.body.data).toEqual({
    ...before,
    parent_folder_id: to.id,
    path: "/To/Folder",
    updated_at: expect.any(String),
  });
  expect(moved.body.data.updated_at > before.updated_at).toBe(true);
  expect((await tenant.api.get(`/folders/${leaf.id}`)).body.data.path).toBe("/To/Folder/Leaf");
  const counts = async (id: string) => (await tenant.api.get(`/folders/${id}`)).body.data.subfolder_count;
  expect([await counts(from.id), await counts(to.id)]).toEqual([0, 1]);

  const up = await moveTo(tenant, folder.id, null);
  expect(up.body.data).toMatchObject({ parent_folder_id: null, path: "/Folder", file_count: 1 });
  expect(up.body.data.preview_files).toHaveLength(1);
});

test("200 changes nothing for the current parent", async () => {
  const tenant = await createTestTenant();
  const parent = await createFolder(tenant);
  const folder = await createFolder(tenant, { parentId: parent.id });
  const moved = await moveTo(tenant, folder.id, parent.id);
  expect([moved.status, moved.body.data]).toEqual([200, folder]);
});

describe("409 folder_move_conflict", () => {
  test("into itself, a child or a distant descendant", async () => {
    const tenant = await createTestTenant();
    const chain = await insertChain(tenant, 5);
    for (const target of [chain[0], chain[1], chain[4]]) {
      expect(getStatusAndCode(await moveTo(tenant, chain[0] ?? "", target ?? ""))).toEqual([
        409,
        "folder_move_conflict",
      ]);
    }
    expect(await readParent(tenant, chain[0] ?? "")).toBe(null);
  });

  test("next to a sibling with the same name ignoring case, under a parent and at the root", async () => {
    const tenant = await createTestTenant();
    const parent = await createFolder(tenant);
    const inside = await createFolder(tenant, { name: "May", parentId: parent.id });
    const outside = await createFolder(tenant, { name: "MAY" });
    expect(getStatusAndCode(await moveTo(tenant, outside.id, parent.id))).toEqual([409, "folder_move_conflict"]);
    expect(getStatusAndCode(await moveTo(tenant, inside.id, null))).toEqual([409, "folder_move_conflict"]);
    expect([await readParent(tenant, inside.id), await readParent(tenant, outside.id)]).toEqual([parent.id, null]);
  });
});

test("409 folder_too_deep includes the subfolders of the moved folder", async () => {
  const tenant = await createTestTenant();
  const high = await insertChain(tenant, 30);
  const low = await insertChain(tenant, 3);
  expect(getStatusAndCode(await moveTo(tenant, low[0] ?? "", high[29] ?? ""))).toEqual([409, "folder_too_deep"]);
  expect(await readParent(tenant, low[0] ?? "")).toBe(null);
  expect((await moveTo(tenant, low[0] ?? "", high[28] ?? "")).status).toBe(200);
});

test("404 not_found for an unknown parent and a parent of another scope", async () => {
  const tenant = await createTestTenant();
  const folder = await createFolder(tenant);
  const foreign = await createFolder(await createTestTenant());
  for (const parentId of [newId(), foreign.id]) {
    expect(getStatusAndCode(await moveTo(tenant, folder.id, parentId))).toEqual([404, "not_found"]);
  }
  expect(await readParent(tenant, folder.id)).toBe(null);
});

test("422 invalid_folder_media_type under a parent of another media type", async () => {
  const tenant = await createTestTenant();
  const folder = await createFolder(tenant, { mediaType: "ai_image" });
  const parent = await createFolder(tenant, { mediaType: "ai_video" });
  expect(getStatusAndCode(await moveTo(tenant, folder.id, parent.id))).toEqual([422, "invalid_folder_media_type"]);
  expect(await readParent(tenant, folder.id)).toBe(null);
});

test("422 invalid_payload without parent_folder_id, with a malformed id, and for a rename", async () => {
  const tenant = await createTestTenant();
  const folder = await createFolder(tenant);
  for (const [field, body] of [
    ["parent_folder_id", {}],
    ["parent_folder_id", { parent_folder_id: "root" }],
    ["name", { parent_folder_id: null, name: "New" }],
  ] as const) {
    const response = await tenant.api.patch(`/folders/${folder.id}`, body);
    expect(getStatusAndCode(response)).toEqual([422, "invalid_payload"]);
    expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
    if (field === "parent_folder_id") expect(response.body.message).toContain("or null for the root");
  }
});

test("a concurrent move into a folder and deletion of the folder leave no unreachable folder", async () => {
  const tenant = await createTestTenant();
  for (let round = 0; round < 40; round++) {
    const doomed = await insertChain(tenant, 3);
    const folder = await createFolder(tenant);
    const [moved, deleted, created] = await Promise.all([
      moveTo(tenant, folder.id, doomed[2] ?? ""),
      tenant.api.delete(`/folders/${doomed[0]}`),
      tenant.api.post("/folders", { name: "New", media_type: "upload", parent_folder_id: doomed[1] }),
    ]);
    expect(deleted.status).toBe(200);
    expect([200, 404]).toContain(moved.status);
    expect([201, 404]).toContain(created.status);
    const left = (await tenant.api.get("/folders")).body.data.folders.map(({ id }: { id: string }) => id);
    expect(left).toEqual(moved.status === 200 ? [] : [folder.id]);
    for (const id of left) await tenant.api.delete(`/folders/${id}`);
  }
});

test("concurrent moves never nest folders deeper than 32 levels", async () => {
  const tenant = await createTestTenant();
  const trunk = await insertChain(tenant, 16);
  for (let round = 0; round < 10; round++) {
    const middle = await insertChain(tenant, 10);
    const low = await insertChain(tenant, 10);
    const responses = await Promise.all([
      moveTo(tenant, middle[0] ?? "", trunk.at(-1) ?? ""),
      moveTo(tenant, low[0] ?? "", middle.at(-1) ?? ""),
    ]);
    expect(responses.map(getStatusAndCode).sort()).toEqual([
      [200, undefined],
      [409, "folder_too_deep"],
    ]);
    const top = responses[0]?.status === 200 ? [middle[0], low[0]] : [middle[0]];
    for (const id of top) expect((await tenant.api.delete(`/folders/${id}`)).status).toBe(200);
  }
});
