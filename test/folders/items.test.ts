// Items of folders over HTTP: add, list, remove.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant, openTestDatabase } from "../support/harness.ts";
import { createFolder, getStatusAndCode, insertFiles, insertSlideshows } from "./factories.ts";

const getItemsPath = (id: string) => `/folders/${id}/items`;

describe("POST /folders/{folderId}/items", () => {
  test("200 adds files, ignores repeated ids in any case, and does not count existing items", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const [a = "", b = ""] = await insertFiles(tenant, 2, "upload");
    const first = await tenant.api.post(getItemsPath(folder.id), { item_ids: [a, a, a.toUpperCase()] });
    expect([first.status, first.body.data]).toEqual([200, { folder_id: folder.id, item_type: "file", added_count: 1 }]);
    const second = await tenant.api.post(getItemsPath(folder.id), { item_ids: [a, b] });
    expect(second.body.data.added_count).toBe(1);
    const third = await tenant.api.post(getItemsPath(folder.id), { item_ids: [a, b] });
    expect([third.status, third.body.data.added_count]).toEqual([200, 0]);
    expect((await tenant.api.get(`/folders/${folder.id}`)).body.data.file_count).toBe(2);
  });

  test("200 adds 200 items, and an item to several folders", async () => {
    const tenant = await createTestTenant();
    const files = await insertFiles(tenant, 200, "upload");
    for (const folder of [await createFolder(tenant), await createFolder(tenant)]) {
      const added = await tenant.api.post(getItemsPath(folder.id), { item_ids: files });
      expect([added.status, added.body.data.added_count]).toEqual([200, 200]);
    }
  });

  test("200 adds items of each media type", async () => {
    const tenant = await createTestTenant();
    const [show = ""] = await insertSlideshows(tenant, [null]);
    for (const [mediaType, itemType, id] of [
      ["upload", "file", (await insertFiles(tenant, 1, "upload"))[0]],
      ["ai_image", "file", (await insertFiles(tenant, 1, "ai_image"))[0]],
      ["ai_video", "file", (await insertFiles(tenant, 1, "ai_video"))[0]],
      ["slideshow", "slideshow", show],
    ] as const) {
      const folder = await createFolder(tenant, { mediaType });
      const added = await tenant.api.post(getItemsPath(folder.id), { item_ids: [id] });
      expect(added.body.data).toEqual({ folder_id: folder.id, item_type: itemType, added_count: 1 });
    }
  });

  test("404 item_not_found reports items of another media type", async () => {
    const tenant = await createTestTenant();
    const ids = {
      upload: (await insertFiles(tenant, 1, "upload"))[0] ?? "",
      ai_image: (await insertFiles(tenant, 1, "ai_image"))[0] ?? "",
      ai_video: (await insertFiles(tenant, 1, "ai_video"))[0] ?? "",
      slideshow: (await insertSlideshows(tenant, [null]))[0] ?? "",
      render: (await insertFiles(tenant, 1, "render"))[0] ?? "",
    };
    for (const mediaType of ["upload", "ai_image", "ai_video", "slideshow"] as const) {
      const folder = await createFolder(tenant, { mediaType });
      for (const [kind, id] of Object.entries(ids)) {
        if (kind === mediaType) continue;
        const rejected = await tenant.api.post(getItemsPath(folder.id), { item_ids: [id] });
        expect(getStatusAndCode(rejected)).toEqual([404, "item_not_found"]);
        expect(rejected.body.message).toContain(id);
      }
    }
  });

  test("404 item_not_found adds nothing when one item is unknown or of another scope", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const mine = await insertFiles(tenant, 3, "upload");
    const [foreign = ""] = await insertFiles(await createTestTenant(), 1, "upload");
    for (const stranger of [newId(), foreign]) {
      const rejected = await tenant.api.post(getItemsPath(folder.id), { item_ids: [...mine, stranger] });
      expect(getStatusAndCode(rejected)).toEqual([404, "item_not_found"]);
      expect(rejected.body.message).toContain(stranger);
      for (const id of mine) expect(rejected.body.message).not.toContain(id);
    }
    expect((await tenant.api.get(getItemsPath(folder.id))).body.data.total).toBe(0);
  });

  test("422 invalid_payload for no ids, for 201 ids even when repeated, and for malformed ids", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const [file = ""] = await insertFiles(tenant, 1, "upload");
    for (const body of [
      {},
      { item_ids: [] },
      { item_ids: null },
      { item_ids: file },
      { item_ids: [file, "summer"] },
      { item_ids: Array(201).fill(file) },
    ]) {
      for (const method of ["POST", "DELETE"]) {
        const rejected = await tenant.api.call(method, getItemsPath(folder.id), { body });
        expect(getStatusAndCode(rejected)).toEqual([422, "invalid_payload"]);
        expect(Object.keys(rejected.body.issues.fieldErrors)).toEqual(["item_ids"]);
      }
    }
  });

  test("200 for concurrent additions and removals of the same items in any order", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const files = await insertFiles(tenant, 50, "upload");
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all(
        ["POST", "DELETE", "POST", "DELETE", "POST"].map((method, at) =>
          tenant.api.call(method, getItemsPath(folder.id), { body: { item_ids: at % 2 ? files : files.toReversed() } }),
        ),
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const added = responses.reduce((sum, { body }) => sum + (body.data.added_count ?? -body.data.removed_count), 0);
      const { total } = (await tenant.api.get(getItemsPath(folder.id))).body.data;
      expect(total).toBe(added);
      await tenant.api.call("DELETE", getItemsPath(folder.id), { body: { item_ids: files } });
    }
  });

  test("adding items while their folder or one of them is deleted adds all or fails", async () => {
    const tenant = await createTestTenant();
    for (let round = 0; round < 20; round++) {
      const [doomed, folder] = [await createFolder(tenant), await createFolder(tenant)];
      const files = await insertFiles(tenant, 200, "upload");
      const add = (id: string) => tenant.api.post(getItemsPath(id), { item_ids: files });
      const [deleted, late, , added] = await Promise.all([
        tenant.api.delete(`/folders/${doomed.id}`),
        Promise.all([add(doomed.id), add(doomed.id), add(doomed.id)]),
        openTestDatabase().execute(sql`delete from files where id = ${files[10]}`),
        Promise.all([add(folder.id), add(folder.id), add(folder.id)]),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of late) expect([200, 404]).toContain(status);
      for (const { body } of added) expect([undefined, "item_not_found"]).toContain(body.error_code);
      const { total } = (await tenant.api.get(getItemsPath(folder.id))).body.data;
      expect(total).toBe(added.some(({ status }) => status === 200) ? 199 : 0);
    }
  });

  test("200 returns the same count for the same Idempotency-Key", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const body = { item_ids: await insertFiles(tenant, 2, "upload") };
    const key = { "Idempotency-Key": newId() };
    const first = await tenant.api.post(getItemsPath(folder.id), body, key);
    expect((await tenant.api.post(getItemsPath(folder.id), body, key)).body).toEqual(first.body);
  });
});

describe("GET /folders/{folderId}/items", () => {
  test("200 lists files in the format of GET /files, newest first, in pages", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const files = await insertFiles(tenant, 5, "upload");
    await tenant.api.post(getItemsPath(folder.id), { item_ids: files });
    const page = await tenant.api.get(`${getItemsPath(folder.id)}?limit=2&offset=1`);
    const shown = (await tenant.api.get("/files")).body.data.files;
    expect(shown.map(({ id }: { id: string }) => id)).toEqual(files.toReversed());
    const instants = { created_at: expect.any(String), added_at: expect.any(String) };
    const [, second, third] = shown.map((file: { contentType: string }) => ({
      ...{ ...file, content_type: file.contentType },
      ...instants,
    }));
    expect([page.status, page.body.data]).toEqual([
      200,
      {
        media_type: "upload",
        item_type: "file",
        items: [second, third],
        total: 5,
        limit: 2,
        offset: 1,
        next_cursor: expect.any(String),
      },
    ]);
    expect((await tenant.api.get(`${getItemsPath(folder.id)}?offset=5`)).body.data).toMatchObject({
      items: [],
      total: 5,
      limit: 50,
    });
  });

  test("200 lists slideshows in the format of GET /slideshows", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant, { mediaType: "slideshow" });
    const [show] = await insertSlideshows(tenant, ["https://cdn.example.com/a.jpg"]);
    await tenant.api.post(getItemsPath(folder.id), { item_ids: [show] });
    const { data } = (await tenant.api.get(getItemsPath(folder.id))).body;
    expect(data).toMatchObject({ media_type: "slideshow", item_type: "slideshow", total: 1, limit: 50, offset: 0 });
    const { slideshows } = (await tenant.api.get("/slideshows")).body.data;
    expect(slideshows).toHaveLength(1);
    expect(data.items).toEqual([{ ...slideshows[0], id: show, added_at: expect.any(String) }]);
  });

  test("200 omits deleted items", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant);
    const [kept, gone] = await insertFiles(tenant, 2, "upload");
    await tenant.api.post(getItemsPath(folder.id), { item_ids: [kept, gone] });
    await openTestDatabase().execute(sql`delete from files where id = ${gone}`);
    const { items, total } = (await tenant.api.get(getItemsPath(folder.id))).body.data;
    expect([items.length, items[0].id, total]).toEqual([1, kept, 1]);
  });
});

describe("DELETE /folders/{folderId}/items", () => {
  test("200 removes and counts existing items only, without deleting them", async () => {
    const tenant = await createTestTenant();
    const [folder, other] = [await createFolder(tenant), await createFolder(tenant)];
    const [a = "", b = "", c = ""] = await insertFiles(tenant, 3, "upload");
    for (const { id } of [folder, other]) await tenant.api.post(getItemsPath(id), { item_ids: [a, b] });
    const removed = await tenant.api.call("DELETE", getItemsPath(folder.id), {
      body: { item_ids: [a, a.toUpperCase(), c, newId()] },
    });
    expect([removed.status, removed.body.data]).toEqual([
      200,
      { folder_id: folder.id, item_type: "file", removed_count: 1 },
    ]);
    const left = async (id: string) =>
      (await tenant.api.get(getItemsPath(id))).body.data.items.map((item: { id: string }) => item.id);
    expect([await left(folder.id), await left(other.id)]).toEqual([[b], [b, a]]);
    const again = await tenant.api.post(getItemsPath(folder.id), { item_ids: [a] });
    expect(again.body.data.added_count).toBe(1);
  });

  test("200 removes slideshows", async () => {
    const tenant = await createTestTenant();
    const folder = await createFolder(tenant, { mediaType: "slideshow" });
    const shows = await insertSlideshows(tenant, [null, null]);
    await tenant.api.post(getItemsPath(folder.id), { item_ids: shows });
    const removed = await tenant.api.call("DELETE", getItemsPath(folder.id), { body: { item_ids: shows } });
    expect(removed.body.data).toEqual({ folder_id: folder.id, item_type: "slideshow", removed_count: 2 });
  });
});
