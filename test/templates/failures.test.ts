// What nobody foresaw: a table that is gone is a 500 with the operation's own code, and says nothing of the inside.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect } from "../../lib/db.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { client } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { wholeConfig } from "./templates.ts";

/** A database of its own, so that nobody else misses the tables. */
let database: Database;
let token: string;
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  const db = connect(address(), "failures");
  const owner = await tenants.createOwner(db, { id: newId(), email: "owner@example.com", name: "Owner" });
  await tenants.setPlan(db, owner, newId(), { tier: "creator", status: "active", paidUntil: null });
  token = await tenants.createKey(db, owner, { id: newId(), name: "failures", kind: "key", expiresAt: null });
  await database.exec("drop table templates, slideshows, packs, pack_images cascade");
});

afterAll(async () => {
  await database.close();
});

const id = newId();
const template = { name: "a", config: wholeConfig() };
const image = { image_url: "https://media.example.com/a.png" };

test.each<[code: string, method: string, path: string, body?: object]>([
  ["template_create_failed", "POST", "/templates", template],
  ["templates_list_failed", "GET", "/templates"],
  ["template_get_failed", "GET", `/templates/${id}`],
  ["template_update_failed", "PATCH", `/templates/${id}`, template],
  ["template_delete_failed", "DELETE", `/templates/${id}`],
  ["template_from_slideshow_failed", "POST", `/templates/from-slideshow/${id}`, {}],
  ["pack_create_failed", "POST", "/packs", { name: "a" }],
  ["packs_list_failed", "GET", "/packs"],
  ["pack_get_failed", "GET", `/packs/${id}`],
  ["pack_update_failed", "PATCH", `/packs/${id}`, { name: "a" }],
  ["pack_delete_failed", "DELETE", `/packs/${id}`],
  ["pack_image_add_failed", "POST", `/packs/${id}/images`, image],
  ["pack_image_delete_failed", "DELETE", `/packs/${id}/images/${id}`],
])("500 %s", async (code, method, path, body) => {
  const answer = await client(token).call(method, path, { body, env: address() });
  expect([answer.status, answer.body.error_code]).toEqual([500, code]);
  expect(answer.body.message).toContain(answer.headers.get("x-request-id"));
  expect(JSON.stringify(answer.body)).not.toMatch(/relation|select|templates"|does not exist/i);
});
