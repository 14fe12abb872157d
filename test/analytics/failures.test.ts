// An error that nobody foresaw: every analytics operation answers 500 with a fixed sentence.
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

/** A database of its own, with keys and plans and without the tables of analytics. */
beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  const db = connect(address(), "failures");
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  await tenants.setPlan(db, owner, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await tenants.createKey(db, owner, { id: newId(), name: "test", kind: "key", expiresAt: null });
  await database.exec("drop table analytics_targets cascade");
});

afterAll(async () => {
  await database.close();
});

const target = `/analytics/targets/${newId()}`;

test.each<[method: string, path: string, body: object | undefined]>([
  ["GET", "/analytics/summary", undefined],
  ["GET", "/analytics/summary/posts", undefined],
  ["GET", "/analytics/targets", undefined],
  ["POST", "/analytics/targets", { platform: "tiktok", identifier: "a" }],
  ["GET", target, undefined],
  ["PATCH", target, { favorite: true }],
  ["DELETE", target, undefined],
  ["POST", `${target}/refresh`, undefined],
  ["GET", `/analytics/refreshes/${newId()}`, undefined],
])("500 analytics_failed: %s %s", async (method, path, body) => {
  const answer = await client(token).call(method, path, { body, env: address(), headers: { "X-Request-Id": "job-7" } });
  expect([answer.status, answer.body.error_code]).toEqual([500, "analytics_failed"]);
  expect(answer.body.message).toBe("Something went wrong on our side. Quote the request id job-7 to support.");
  expect(answer.body).not.toHaveProperty("data");
});
