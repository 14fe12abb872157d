// Requests that wait for the row of the same code or token, on PostgreSQL: the embedded database runs one statement at a time.
import pg from "pg";
import { expect, test } from "vitest";
import { createClient, createTestTenant } from "../support/harness.ts";
import { signInOwner } from "../workspace/dashboard.ts";
import { consent, createGranted, createProgram, exchange, refresh, startAttempt } from "./flow.ts";

const url = process.env.LOCAL_POSTGRES_URL;
const REQUESTS = 6;
/** Starts the work as often while another connection holds the newest row of the table, then releases it. */
async function runWhileLocked<Result>(table: string, work: () => Promise<Result>) {
  const [client, observer] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([client.connect(), observer.connect()]);
  await client.query("begin");
  await client.query(`select 1 from ${table} for update`);
  const waiting = Array.from({ length: REQUESTS }, () => work());
  const settled = Promise.allSettled(waiting);
  // A transaction sees one state of the view, so that the client would see no change.
  const select = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1";
  await expect.poll(async () => (await observer.query(select, [`%${table}%`])).rowCount).toBe(REQUESTS);
  await client.query("commit");
  await Promise.all([client.end(), observer.end()]);
  return settled;
}

test.skipIf(!url)("refreshes that waited for each other get the same tokens", async () => {
  const { program, refreshToken } = await createGranted();
  const results = await runWhileLocked("grant_refresh_tokens", () => refresh(program, refreshToken));
  const tokens = results.map((result) => (result.status === "fulfilled" ? result.value.access_token : result.reason));
  expect(new Set(tokens).size).toBe(1);
  expect((await createClient(tokens[0]).get("/posts")).status).toBe(200);
});

test.skipIf(!url)("of exchanges that waited for each other one gets tokens, and the others revoke them", async () => {
  const [browser, program] = [await signInOwner(await createTestTenant()), await createProgram()];
  const attempt = await startAttempt(program);
  const address = await consent(browser, attempt);
  const results = await runWhileLocked("grant_codes", () => exchange(program, attempt, address));
  const given = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason.error] : []));
  expect([given.length, new Set(errors)]).toEqual([1, new Set(["invalid_grant"])]);
  expect((await createClient(given[0]?.access_token ?? "").get("/posts")).body.error_code).toBe("revoked_token");
});
