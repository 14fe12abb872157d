// An error that nobody foresaw: each folder operation answers its own 500 with a fixed sentence.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect } from "../../lib/db.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { client } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";

let database: Database;
let token: string;
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });

/** A database of its own, with keys and plans and without the tables of folders. */
beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  const db = connect(address(), "failures");
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  await tenants.setPlan(db, owner, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await tenants.createKey(db, owner, { id: newId(), name: "test", kind: "key", expiresAt: null });
  await database.exec("drop table folder_items; drop table folders");
});

afterAll(async () => {
  await database.close();
});

const folder = `/folders/${newId()}`;
const items = { item_ids: [newId()] };
const operations: [code: string, method: string, path: string, body: object | undefined][] = [
  ["folder_create_failed", "POST", "/folders", { name: "a", media_type: "upload" }],
  ["folder_list_failed", "GET", "/folders", undefined],
  ["folder_get_failed", "GET", folder, undefined],
  ["folder_update_failed", "PATCH", folder, { parent_folder_id: null }],
  ["folder_delete_failed", "DELETE", folder, undefined],
  ["folder_ancestors_failed", "GET", `${folder}/ancestors`, undefined],
  ["folder_items_add_failed", "POST", `${folder}/items`, items],
  ["folder_items_list_failed", "GET", `${folder}/items`, undefined],
  ["folder_items_remove_failed", "DELETE", `${folder}/items`, items],
];

test.each(operations)("500 %s", async (code, method, path, body) => {
  const answer = await client(token).call(method, path, { body, env: address(), headers: { "X-Request-Id": code } });
  expect([answer.status, answer.body.error_code]).toEqual([500, code]);
  expect(answer.body.message).toBe(`Something went wrong on our side. Quote the request id ${code} to support.`);
  expect(answer.body).not.toHaveProperty("data");
});
