// Folders over HTTP: create, get, list, ancestors and delete.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { mintTenant, rows } from "../harness.ts";
import { createChain, createFolder, insertFiles, insertSlideshows, told } from "./folders.ts";

describe("POST /folders", () => {
  test("201 makes a folder at the root and one under it, each with its whole record", async () => {
    const { api } = await mintTenant();
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

  test("201 takes every media type, and an id in capitals", async () => {
    const tenant = await mintTenant();
    for (const mediaType of ["upload", "slideshow", "ai_image", "ai_video"] as const) {
      const parent = await createFolder(tenant, { mediaType });
      const child = await createFolder(tenant, { mediaType, parentId: parent.id.toUpperCase() });
      expect(child).toMatchObject({ media_type: mediaType, parent_folder_id: parent.id });
    }
  });

  test("201 again with the same Idempotency-Key is the same folder, once", async () => {
    const { api } = await mintTenant();
    const body = { name: "Once", media_type: "upload" };
    const key = { "Idempotency-Key": newId() };
    const first = await api.post("/folders", body, key);
    const again = await api.post("/folders", body, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await api.get("/folders")).body.data.total).toBe(1);
  });

  test("409 folder_name_conflict among siblings whatever the case, at the root and below it", async () => {
    const tenant = await mintTenant();
    const root = await createFolder(tenant, { name: "Été" });
    for (const name of ["Été", "ÉTÉ", " été", "E\u0301te\u0301"]) {
      expect(told(await tenant.api.post("/folders", { name, media_type: "upload" }))).toEqual([
        409,
        "folder_name_conflict",
      ]);
    }
    await createFolder(tenant, { name: "May", parentId: root.id });
    const body = { name: "mAY", media_type: "upload", parent_folder_id: root.id };
    expect(told(await tenant.api.post("/folders", body))).toEqual([409, "folder_name_conflict"]);
  });

  test("201 takes a name that is taken elsewhere: under another parent, in another media type, in another scope", async () => {
    const tenant = await mintTenant();
    const root = await createFolder(tenant, { name: "Same" });
    const nested = await createFolder(tenant, { name: "Same", parentId: root.id });
    const other = await createFolder(tenant, { name: "Same", mediaType: "ai_image" });
    const foreign = await createFolder(await mintTenant(), { name: "Same" });
    expect(new Set([root.id, nested.id, other.id, foreign.id]).size).toBe(4);
  });

  test("one of many creations of a name at once wins, the others answer 409", async () => {
    const { api } = await mintTenant();
    const body = { name: "Race", media_type: "upload" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post("/folders", body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(new Set(answers.map(({ body }) => body.error_code))).toEqual(new Set([undefined, "folder_name_conflict"]));
  });

  test("409 folder_too_deep below the 32nd level", async () => {
    const tenant = await mintTenant();
    const chain = await createChain(tenant, 32);
    const body = { name: "33", media_type: "upload", parent_folder_id: chain.at(-1) };
    expect(told(await tenant.api.post("/folders", body))).toEqual([409, "folder_too_deep"]);
    expect((await tenant.api.get("/folders?limit=1")).body.data.total).toBe(32);
  });

  test("404 not_found for a parent that nobody has, or that another scope has", async () => {
    const { api } = await mintTenant();
    const foreign = await createFolder(await mintTenant());
    for (const parent_folder_id of [newId(), foreign.id]) {
      const body = { name: "a", media_type: "upload", parent_folder_id };
      expect(told(await api.post("/folders", body))).toEqual([404, "not_found"]);
    }
  });

  test("422 invalid_folder_media_type under a parent of another media type", async () => {
    const tenant = await mintTenant();
    const parent = await createFolder(tenant, { mediaType: "slideshow" });
    const body = { name: "a", media_type: "upload", parent_folder_id: parent.id };
    expect(told(await tenant.api.post("/folders", body))).toEqual([422, "invalid_folder_media_type"]);
  });

  test("422 invalid_payload names the field", async () => {
    const { api } = await mintTenant();
    for (const [field, body] of [
      ["name", { media_type: "upload" }],
      ["name", { name: " \t ", media_type: "upload" }],
      ["name", { name: "x".repeat(256), media_type: "upload" }],
      ["media_type", { name: "a" }],
      ["media_type", { name: "a", media_type: "render" }],
      ["parent_folder_id", { name: "a", media_type: "upload", parent_folder_id: "root" }],
    ] as const) {
      const answer = await api.post("/folders", body);
      expect(told(answer)).toEqual([422, "invalid_payload"]);
      expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([field]);
    }
    expect((await api.post("/folders", { name: "x".repeat(255), media_type: "upload" })).status).toBe(201);
  });
});

describe("GET /folders", () => {
  test("200 lists every level newest first, with paging that neither overlaps nor skips", async () => {
    const tenant = await mintTenant();
    const chain = await createChain(tenant, 3);
    const other = await createFolder(tenant, { mediaType: "slideshow" });
    const newest = [other.id, ...chain.toReversed()];
    const all = await tenant.api.get("/folders");
    expect(all.status).toBe(200);
    expect(all.body.data).toMatchObject({ total: 4, limit: 50, offset: 0 });
    const ids = (answer: typeof all): string[] => answer.body.data.folders.map(({ id }: { id: string }) => id);
    expect(ids(all)).toEqual(newest);
    const pages = [await tenant.api.get("/folders?limit=3"), await tenant.api.get("/folders?limit=3&offset=3")];
    expect(pages.flatMap(ids)).toEqual(newest);
    expect(pages[1]?.body.data).toMatchObject({ total: 4, limit: 3, offset: 3 });
    expect((await tenant.api.get("/folders?offset=9")).body.data).toEqual({
      folders: [],
      total: 4,
      limit: 50,
      offset: 9,
    });
  });

  test("200 filters by media type, by parent and by the root, and shows the record that GET shows", async () => {
    const tenant = await mintTenant();
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

  test("400 invalid_query_parameter names what is wrong", async () => {
    const { api } = await mintTenant();
    for (const [name, query] of [
      ["limit", "limit=0"],
      ["limit", "limit=101"],
      ["limit", "limit=ten"],
      ["offset", "offset=-1"],
      ["media_type", "media_type=video"],
      ["parent_folder_id", "parent_folder_id=top"],
      ["parent_folder_id", "parent_folder_id="],
    ]) {
      const answer = await api.get(`/folders?${query}`);
      expect(told(answer)).toEqual([400, "invalid_query_parameter"]);
      expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([name]);
      if (name === "parent_folder_id") expect(answer.body.message).toMatch(/UUID of a folder, or root/);
    }
  });

  test("404 not_found for a parent that is not in scope", async () => {
    const { api } = await mintTenant();
    const foreign = await createFolder(await mintTenant());
    for (const parent of [newId(), foreign.id]) {
      expect(told(await api.get(`/folders?parent_folder_id=${parent}`))).toEqual([404, "not_found"]);
    }
  });
});

describe("GET /folders/{folderId} and its ancestors", () => {
  test("200 with the way from the root, without the folder itself", async () => {
    const tenant = await mintTenant();
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

  test("200 counts what lies directly in it and shows the four newest", async () => {
    const tenant = await mintTenant();
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

  test("200 previews slideshows by their preview image, and leaves out those without one", async () => {
    const tenant = await mintTenant();
    const folder = await createFolder(tenant, { mediaType: "slideshow" });
    const [picture] = await insertFiles(tenant, 1, "render");
    const drawn = `https://cdn.example.com/${picture}`;
    const shows = await insertSlideshows(tenant, [drawn, null, "https://elsewhere.example.com/a.png"]);
    await tenant.api.post(`/folders/${folder.id}/items`, { item_ids: shows });
    const { data } = (await tenant.api.get(`/folders/${folder.id}`)).body;
    expect(data.file_count).toBe(3);
    expect(data.preview_files).toEqual([
      { id: shows[2], url: "https://elsewhere.example.com/a.png", content_type: null },
      { id: shows[0], url: drawn, content_type: "image/jpeg" },
    ]);
  });
});

describe("DELETE /folders/{folderId}", () => {
  test("200 takes a chain of 32 with its memberships; files and slideshows stay", async () => {
    const tenant = await mintTenant();
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

      const answer = await tenant.api.delete(`/folders/${folder.id}`);
      expect([answer.status, answer.body.data]).toEqual([200, { id: folder.id, deleted: true }]);
      for (const id of [folder.id, ...below]) expect((await tenant.api.get(`/folders/${id}`)).status).toBe(404);
      below = [folder.id, ...below];
      const left = await rows(sql`select 1 from folder_items where folder_id = any(${`{${below.join(",")}}`}::uuid[])`);
      expect(left).toEqual([]);
      const stayed = (await tenant.api.get(`/folders/${kept.id}/items`)).body.data.items;
      expect(stayed.map(({ id }: { id: string }) => id)).toEqual(items.toReversed());
      expect(told(await tenant.api.delete(`/folders/${folder.id}`))).toEqual([404, "not_found"]);
    }
  });
});
