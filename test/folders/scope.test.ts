// Isolation of folders between scopes.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant, queryRows } from "../support/harness.ts";
import { createFolder, getStatusAndCode } from "./factories.ts";

describe("every operation on one folder", () => {
  const operations: [method: string, rest: string, body: object | undefined][] = [
    ["GET", "", undefined],
    ["PATCH", "", { parent_folder_id: null }],
    ["DELETE", "", undefined],
    ["GET", "/ancestors", undefined],
    ["GET", "/items", undefined],
    ["POST", "/items", { item_ids: [newId()] }],
    ["DELETE", "/items", { item_ids: [newId()] }],
  ];

  test.each(operations)(
    "404 not_found: %s /folders/{id}%s hides another scope's folder",
    async (method, rest, body) => {
      const owner = await createTestTenant();
      const personal = await createTestTenant({ personal: true });
      const folder = await createFolder(owner, { name: "Mine" });
      for (const { api } of [await createTestTenant(), personal]) {
        expect(getStatusAndCode(await api.call(method, `/folders/${folder.id}${rest}`, { body }))).toEqual([
          404,
          "not_found",
        ]);
      }
      expect((await owner.api.get(`/folders/${folder.id}`)).body.data).toEqual(folder);
      expect((await personal.api.get("/folders")).body.data.total).toBe(0);
    },
  );

  test.each(operations)("422 invalid_path: %s /folders/{id}%s requires a UUID", async (method, rest, body) => {
    const { api } = await createTestTenant();
    expect(getStatusAndCode(await api.call(method, `/folders/summer${rest}`, { body }))).toEqual([422, "invalid_path"]);
  });
});

test("200 a personal key sees only the owner's folders without a workspace", async () => {
  const personal = await createTestTenant({ personal: true });
  const folder = await createFolder(personal, { name: "Home" });
  expect((await personal.api.get(`/folders/${folder.id}`)).body.data).toEqual(folder);
  const inWorkspace = await queryRows<{ scope_id: string }>(sql`select scope_id from folders where id = ${folder.id}`);
  expect(inWorkspace).toEqual([{ scope_id: personal.ownerId }]);
});
