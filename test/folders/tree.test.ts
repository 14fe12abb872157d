// Folders over HTTP: create, get, list, ancestors and delete.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant, queryRows } from "../support/harness.ts";
import { createFolder, getStatusAndCode, insertChain, insertFiles, insertSlideshows } from "./factories.ts";

describe("POST /folders", () => {
  test("201 creates a folder at the root and a subfolder, and returns all fields", async () => {
    const { api } = await createTestTenant();
    const created = await api.post("/folders", { name: "  Campaigns ", media_type: "upload" });
    expect([created.status, created.body.code, created.body.message]).toEqual([201, 201, "Folder created."]);
    const root = created.body.data;
    expect(root).toEqual({
      id: expect.any(String),
      name: "Campaigns",
      media_type: "upload",
      parent_folder_id: null,
      path: "/Campaigns",
      file_count: 0,
      subfolder_count: 0,
      preview_files: [],
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: root.created_at,
    });
    const under = await api.post("/folders", { name: "May", media_type: "upload", parent_folder_id: root.id });
    expect(under.body.data).toMatchObject({ parent_folder_id: root.id, path: "/Campaigns/May" });
    expect((await api.get(`/folders/${root.id}`)).body.data).toEqual({ ...root, subfolder_count: 1 });
  });

  test("201 accepts every media type, and ids in upper case", async () => {
    const tenant = await createTestTenant();
    for (const mediaType of ["upload", "slideshow", "ai_image", "ai_video"] as const) {
      const parent = await createFolder(tenant, { mediaType });
      const child = await createFolder(tenant, { mediaType, parentId: parent.id.toUpperCase() });
      expect(child).toMatchObject({ media_type: mediaType, parent_folder_id: parent.id });
    }
  });

  test("201 returns the same folder for the same Idempotency-Key", async () => {
    const { api } = await createTestTenant();
    const body = { name: "Once", media_type: "upload" };
    const key = { "Idempotency-Key": newId() };
    const first = await api.post("/folders", body, key);
    const again = await api.post("/folders", body, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await api.get("/folders")).body.data.total).toBe(1);
  });

  test("409 folder_name_conflict among siblings ignoring case, at the root and below", async () => {
    const tenant = await createTestTenant();
    const root = await createFolder(tenant, { name: "Été" });
    for (const name of ["Été", "ÉTÉ", " été", "E\u0301te\u0301"]) {
      expect(getStatusAndCode(await tenant.api.post("/folders", { name, media_type: "upload" }))).toEqual([
        409,
        "folder_name_conflict",
      ]);
    }
    await createFolder(tenant, { name: "May", parentId: root.id });
    const body = { name: "mAY", media_type: "upload", parent_folder_id: root.id };
    expect(getStatusAndCode(await tenant.api.post("/folders", body))).toEqual([409, "folder_name_conflict"]);
  });

  test("201 allows the same name under another parent, media type or scope", async () => {
    const tenant = await createTestTenant();
    const root = await createFolder(tenant, { name: "Same" });
    const nested = await createFolder(tenant, { name: "Same", parentId: root.id });
    const other = await createFolder(tenant, { name: "Same", mediaType: "ai_image" });
    const foreign = await createFolder(await createTestTenant(), { name: "Same" });
    expect(new Set([root.id, nested.id, other.id, foreign.id]).size).toBe(4);
  });

  test("201 for one of many concurrent creations of a name, 409 for the others", async () => {
    const { api } = await createTestTenant();
    const body = { name: "Race", media_type: "upload" };
    const responses = await Promise.all(Array.from({ length: 8 }, () => api.post("/folders", body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(new Set(responses.map(({ body }) => body.error_code))).toEqual(new Set([undefined, "folder_name_conflict"]));
  });

  test("409 folder_too_deep below the 32nd level", async () => {
    const tenant = await createTestTenant();
    const chain = await insertChain(tenant, 31);
    const lowest = await createFolder(tenant, { parentId: chain.at(-1) ?? "" });
    const body = { name: "33", media_type: "upload", parent_folder_id: lowest.id };
    expect(getStatusAndCode(await tenant.api.post("/folders", body))).toEqual([409, "folder_too_deep"]);
    expect((await tenant.api.get("/folders?limit=1")).body.data.total).toBe(32);
  });

  test("404 not_found for an unknown parent and a parent of another scope", async () => {
    const { api } = await createTestTenant();
    const foreign = await createFolder(await createTestTenant());
    for (const parent_folder_id of [newId(), foreign.id]) {
      const body = { name: "a", media_type: "upload", parent_folder_id };
      expect(getStatusAndCode(await api.post("/folders", body))).toEqual([404, "not_found"]);
    }
  });

  test("422 invalid_folder_media_type under a parent of another media type", async () => {
    const tenant = await createTestTenant();
    const parent = await createFolder(tenant, { mediaType: "slideshow" });
    const body = { name: "a", media_type: "upload", parent_folder_id: parent.id };
    expect(getStatusAndCode(await tenant.api.post("/folders", body))).toEqual([422, "invalid_folder_media_type"]);
  });

  test("422 invalid_payload reports the field", async () => {
    const { api } = await createTestTenant();
    for (const [field, body] of [
      ["name", { media_type: "upload" }],
      ["name", { name: " \t ", media_type: "upload" }],
      ["name", { name: "x".repeat(256), media_type: "upload" }],
      ["media_type", { name: "a" }],
      ["media_type", { name: "a", media_type: "render" }],
      ["parent_folder_id", { name: "a", media_type: "upload", parent_folder_id: "root" }],
    ] as const) {
      const response = await api.post("/folders", body);
      expect(getStatusAndCode(response)).toEqual([422, "invalid_payload"]);
      expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
    }
    expect((await api.post("/folders", { name: "x".repeat(255), media_type: "upload" })).status).toBe(201);
  });
});

describe("GET /folders", () => {
  test("200 lists all levels newest first, in pages without overlap or gaps", async () => {
    const tenant = await createTestTenant();
    const chain = await insertChain(tenant, 3);
    const other = await createFolder(tenant, { mediaType: "slideshow" });
    const newest = [other.id, ...chain.toReversed()];
    const all = await tenant.api.get("/folders");
    expect(all.status).toBe(200);
    expect(all.body.data).toMatchObject({ total: 4, limit: 50, offset: 0 });
    const ids = (response: typeof all): string[] => response.body.data.folders.map(({ id }: { id: string }) => id);
    expect(ids(all)).toEqual(newest);
    const pages = [await tenant.api.get("/folders?limit=3"), await tenant.api.get("/folders?limit=3&offset=3")];
    expect(pages.flatMap(ids)).toEqual(newest);
    expect(pages[1]?.body.data).toMatchObject({ total: 4, limit: 3, offset: 3 });
    expect((await tenant.api.get("/folders?offset=9")).body.data).toEqual({
      folders: [],
      total: 4,
      limit: 50,
      offset: 9,
      next_cursor: null,
    });
  });

  test("200 filters by media type, parent and root, in the format of GET /folders/{folderId}", async () => {
    const tenant = await createTestTenant();
    const root = await createFolder(tenant, { name: "Root" });
    const child = await createFolder(tenant, { name: "Child", parentId: root.id });
    await createFolder(tenant, { name: "Grandchild", parentId: child.id });
    await createFolder(tenant, { name: "Shows", mediaType: "slideshow" });
    const names = async (query: string) => {
      const { folders, total } = (await tenant.api.get(`/folders?${query}`)).body.data;
      expect(total).toBe(folders.length);
      return folders.map(({ path }: { path: string }) => path);
    };
    expect(await names("media_type=upload")).toEqual(["/Root/Child/Grandchild", "/Root/Child", "/Root"]);
    expect(await names("parent_folder_id=root")).toEqual(["/Shows", "/Root"]);
    expect(await names("parent_folder_id=root&media_type=slideshow")).toEqual(["/Shows"]);
    expect(await names(`parent_folder_id=${root.id}`)).toEqual(["/Root/Child"]);
    expect(await names(`parent_folder_id=${root.id}&media_type=slideshow`)).toEqual([]);
    const [listed] = (await tenant.api.get(`/folders?parent_folder_id=${root.id}`)).body.data.folders;
    expect(listed).toEqual((await tenant.api.get(`/folders/${child.id}`)).body.data);
  });

  test("400 invalid_query_parameter says what a parent may be", async () => {
    const { api } = await createTestTenant();
    const { body } = await api.get("/folders?parent_folder_id=top");
    expect(body.message).toMatch(/UUID of a folder, or root/);
  });

  test("404 not_found for a parent that is not in scope", async () => {
    const { api } = await createTestTenant();
    const foreign = await createFolder(await createTestTenant());
    for (const parent of [newId(), foreign.id]) {
      expect(getStatusAndCode(await api.get(`/folders?parent_folder_id=${parent}`))).toEqual([404, "not_found"]);
    }
  });
});

describe("GET /folders/{folderId} and /ancestors", () => {
  test("200 returns the path from the root without the folder itself", async () => {
    const tenant = await createTestTenant();
    const top = await createFolder(tenant, { name: "Top" });
    const middle = await createFolder(tenant, { name: "Middle", parentId: top.id });
    const leaf = await createFolder(tenant, { name: "Leaf", parentId: middle.id });
    const { status, body } = await tenant.api.get(`/folders/${leaf.id}/ancestors`);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ancestors: [
        { id: top.id, name: "Top", parent_folder_id: null, depth: 1 },
        { id: middle.id, name: "Middle", parent_folder_id: top.id, depth: 2 },
      ],
    });
    expect((await tenant.api.get(`/folders/${top.id}/ancestors`)).body.data).toEqual({ ancestors: [] });
    expect((await tenant.api.get(`/folders/${leaf.id.toUpperCase()}`)).body.data.path).toBe("/Top/Middle/Leaf");
  });

  test("200 counts direct items and returns the four newest", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const child = await createFolder(tenant, { parentId: folder.id });
    await createFolder(tenant, { parentId: child.id });
    const files = await insertFiles(tenant, 6, "upload");
    await tenant.api.post(`/folders/${folder.id}/items`, { item_ids: files.slice(0, 5) });
    await tenant.api.post(`/folders/${child.id}/items`, { item_ids: files.slice(5) });
    const { data } = (await tenant.api.get(`/folders/${folder.id}`)).body;
    expect(data).toMatchObject({ file_count: 5, subfolder_count: 1 });
    expect(data.preview_files).toEqual(
      files
        .slice(1, 5)
        .toReversed()
        .map((id) => ({
          id,
          url: `https://cdn.example.com/${id}`,
          content_type: "image/jpeg",
        })),
    );
  });

  test("200 previews slideshows by their preview image and omits those without one", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant, { mediaType: "slideshow" });
    const [picture] = await insertFiles(tenant, 1, "render");
    const renderedUrl = `https://cdn.example.com/${picture}`;
    const slideshowIds = await insertSlideshows(tenant, [renderedUrl, null, "https://elsewhere.example.com/a.png"]);
    await tenant.api.post(`/folders/${folder.id}/items`, { item_ids: slideshowIds });
    const { data } = (await tenant.api.get(`/folders/${folder.id}`)).body;
    expect(data.file_count).toBe(3);
    expect(data.preview_files).toEqual([
      { id: slideshowIds[2], url: "https://elsewhere.example.com/a.png", content_type: null },
      { id: slideshowIds[0], url: renderedUrl, content_type: "image/jpeg" },
    ]);
  });
});

describe("DELETE /folders/{folderId}", () => {
  test("200 deletes a chain of 32 folders with its memberships and keeps files and slideshows", async () => {
    const tenant = await createTestTenant();
    for (const mediaType of ["upload", "slideshow"] as const) {
      const folder = await createFolder(tenant, { mediaType });
      const items =
        mediaType === "upload" ? await insertFiles(tenant, 2, "upload") : await insertSlideshows(tenant, [null, null]);
      const kept = await createFolder(tenant, { mediaType });
      await tenant.api.post(`/folders/${kept.id}/items`, { item_ids: items });
      let [parentId, below] = [folder.id, [] as string[]];
      for (let level = 2; level <= 32; level++) {
        parentId = (await createFolder(tenant, { mediaType, parentId })).id;
        below.push(parentId);
      }
      await tenant.api.post(`/folders/${parentId}/items`, { item_ids: items });

      const response = await tenant.api.delete(`/folders/${folder.id}`);
      expect([response.status, response.body.data]).toEqual([200, { id: folder.id, deleted: true }]);
      for (const id of [folder.id, ...below]) expect((await tenant.api.get(`/folders/${id}`)).status).toBe(404);
      below = [folder.id, ...below];
      const left = await queryRows(
        sql`select 1 from folder_items where folder_id = any(${`{${below.join(",")}}`}::uuid[])`,
      );
      expect(left).toEqual([]);
      const stayed = (await tenant.api.get(`/folders/${kept.id}/items`)).body.data.items;
      expect(stayed.map(({ id }: { id: string }) => id)).toEqual(items.toReversed());
      expect(getStatusAndCode(await tenant.api.delete(`/folders/${folder.id}`))).toEqual([404, "not_found"]);
    }
  });
});
