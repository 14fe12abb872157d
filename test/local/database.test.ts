// The local database with the production clients: Neon's driver and Drizzle.
import { mkdtempSync, openAsBlob, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NeonDbError, neon, neonConfig } from "@neondatabase/serverless";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { bigint, boolean, customType, integer, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { type Database, startDatabase } from "./database.ts";

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

const things = pgTable("things", {
  id: uuid().primaryKey(),
  name: text().notNull().unique("things_name_key"),
  tags: text().array().notNull(),
  config: jsonb().notNull(),
  active: boolean().notNull(),
  count: integer(),
  size: bigint({ mode: "number" }),
  at: timestamp({ withTimezone: true, mode: "date" }),
  raw: bytes(),
});

const ONE = "5f1c9a34-7a3e-4f0e-9a3c-2f6a0a3a9d11";
const TWO = "0b0f6c1e-5d7e-4f9b-8f43-6f5b8f0c2c22";
const thing = { id: ONE, name: "one", tags: ["a", 'b "c"', "d,e"], config: { list: [1, "2", null] }, active: true };

/** The Worker sets the function when it is imported; both are global. */
const { fetchEndpoint, fetchFunction } = neonConfig;
const calls = createCallCounter();
const dataDir = mkdtempSync(join(tmpdir(), "database-"));
let database: Database;
const connect = () => neon(database.url);
const orm = () => drizzle({ client: connect(), schema: { things } });

beforeAll(async () => {
  // Before the database starts: a hook that runs out of time continues, and would change them for the files after this one.
  neonConfig.fetchEndpoint = () => database.fetchUrl;
  neonConfig.fetchFunction = undefined;
  const template = await openAsBlob(inject("databaseTemplate"));
  database = await startDatabase({ calls, dataDir, template });
  await database.exec(`CREATE TABLE things (
    id uuid PRIMARY KEY, name text NOT NULL CONSTRAINT things_name_key UNIQUE, tags text[] NOT NULL,
    config jsonb NOT NULL, active boolean NOT NULL, count integer, size bigint, at timestamptz, raw bytea);
    CREATE INDEX things_count ON things (count);`);
});

beforeEach(async () => {
  calls.reset();
  await database.exec("TRUNCATE things");
});

afterAll(async () => {
  Object.assign(neonConfig, { fetchEndpoint, fetchFunction });
  await database.close();
  rmSync(dataDir, { recursive: true });
});

test("Drizzle reads every type that it wrote", async () => {
  const whole = { ...thing, count: -7, size: 9_007_199_254_740_991, at: new Date("2026-03-01T10:20:30.456Z") };
  const raw = new Uint8Array([0, 255, 92, 39]);
  const [inserted] = await orm()
    .insert(things)
    .values({ ...whole, raw })
    .returning();
  const [found] = await orm().select().from(things).where(eq(things.active, true));
  expect(found).toEqual(inserted);
  expect({ ...found, raw: null }).toEqual({ ...whole, raw: null });
  expect([...(found?.raw ?? [])]).toEqual([...raw]);
});

test("a missing value is read as null", async () => {
  await orm().insert(things).values(thing);
  expect(await orm().query.things.findFirst()).toMatchObject({ count: null, size: null, at: null, raw: null });
});

test("values are sent in Postgres' text format", async () => {
  const client = connect();
  const types = { getTypeParser: () => (value: string) => value };
  const query = `SELECT true AS b, 1::int8 AS i, '{"a": 1}'::jsonb AS j, ARRAY['x','y z'] AS a, '\\x00ff'::bytea AS r,
    '2026-03-01 10:20:30.45+00'::timestamptz AS t, 1.50::numeric AS n, '1 day 02:00'::interval AS d, NULL AS z`;
  const result = await client.query(query, [], { types, fullResults: true });
  expect(result.rows[0]).toEqual({
    b: "t",
    i: "1",
    j: '{"a": 1}',
    a: '{x,"y z"}',
    r: "\\x00ff",
    t: "2026-03-01 10:20:30.45+00",
    n: "1.50",
    d: "1 day 02:00:00",
    z: null,
  });
  expect(result).toMatchObject({ command: "SELECT", rowCount: 1 });
  expect(result.fields.map((field) => field.dataTypeID)).toEqual([16, 20, 3802, 1009, 17, 1184, 1700, 1186, 25]);
});

test("parameters of every type are accepted", async () => {
  const at = new Date("2026-03-01T10:20:30.456Z");
  const [row] = await connect().query(
    `SELECT $1::boolean AS b, $2::jsonb AS j, $3::uuid[] AS u, $4::timestamptz = '2026-03-01T10:20:30.456Z' AS t, $5::int AS i, $6::text AS z,
     $7::text[] AS a, $8::bytea AS r, $9::float8 AS f`,
    [false, { k: [1] }, [ONE, TWO], at, 5, null, ["x", null, 'q"'], Buffer.from([1, 2]), 0.1],
  );
  expect(row).toEqual({
    b: false,
    j: { k: [1] },
    u: [ONE, TWO],
    t: true,
    i: 5,
    z: null,
    a: ["x", null, 'q"'],
    r: Buffer.from([1, 2]),
    f: 0.1,
  });
});

test("the number of changed rows is returned", async () => {
  await orm()
    .insert(things)
    .values([thing, { ...thing, id: TWO, name: "two" }]);
  const updated = await orm().update(things).set({ count: 1 });
  expect(updated).toMatchObject({ command: "UPDATE", rowCount: 2 });
});

test("a violated constraint throws a NeonDbError with code and constraint", async () => {
  await orm().insert(things).values(thing);
  const error = await connect()`INSERT INTO things (id, name, tags, config, active)
    VALUES (${TWO}, 'one', '{}', '{}', true)`.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NeonDbError);
  expect(error).toMatchObject({
    code: "23505",
    constraint: "things_name_key",
    table: "things",
    schema: "public",
    severity: "ERROR",
    detail: "Key (name)=(one) already exists.",
  });
});

test("Drizzle wraps the NeonDbError of a single query", async () => {
  const db = orm();
  await db.insert(things).values(thing);
  const again = db.insert(things).values({ ...thing, id: TWO });
  await expect(again).rejects.toMatchObject({ cause: { code: "23505", constraint: "things_name_key" } });
});

test("a failing statement rolls back its batch", async () => {
  const db = orm();
  const twice = db.batch([db.insert(things).values(thing), db.insert(things).values({ ...thing, id: TWO })]);
  await expect(twice).rejects.toMatchObject({ code: "23505" });
  expect(await db.$count(things)).toBe(0);
});

test("a batch returns the result of each statement", async () => {
  const db = orm();
  const [inserted, found, counted] = await db.batch([
    db.insert(things).values(thing).returning({ id: things.id }),
    db.select({ name: things.name }).from(things),
    db.select({ n: sql<string>`count(*)` }).from(things),
  ]);
  expect([inserted, found, counted]).toEqual([[{ id: ONE }], [{ name: "one" }], [{ n: "1" }]]);
});

test("batches of parallel requests are isolated", async () => {
  const client = connect();
  await orm()
    .insert(things)
    .values({ ...thing, count: 0 });
  const step = () =>
    client.transaction([
      client`UPDATE things SET count = count + 1`,
      client`SELECT pg_sleep(0.001)`,
      client`UPDATE things SET count = count * 1 RETURNING count`,
    ]);
  const failing = () => client.transaction([client`UPDATE things SET count = count + 100`, client`SELECT 1/0`]);
  const all = await Promise.allSettled([step(), failing(), step(), failing(), step()]);
  expect(all.map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
  expect(await database.query("SELECT count FROM things")).toEqual([{ count: 3 }]);
});

test("a batch respects its isolation level and read-only mode", async () => {
  const client = connect();
  const [level] = await client.transaction([client`SELECT current_setting('transaction_isolation') AS level`], {
    isolationLevel: "Serializable",
  });
  expect(level).toEqual([{ level: "serializable" }]);
  const write = client.transaction([client`DELETE FROM things`], { readOnly: true });
  await expect(write).rejects.toMatchObject({ code: "25006" });
});

test("a BEGIN without COMMIT leaves no transaction open", async () => {
  await connect()`BEGIN`;
  await expect(connect()`SAVEPOINT a`).rejects.toMatchObject({ code: "25P01" });
});

test("several statements in one query are rejected, as by Postgres", async () => {
  await expect(connect().query("SELECT 1; SELECT 2")).rejects.toMatchObject({ code: "42601" });
});

test("without Neon's headers rows are objects of JSON values", async () => {
  const body = JSON.stringify({ query: "SELECT true AS b, 1 AS i, 1::int8 AS l, '[1]'::json AS j", params: [] });
  const response = await fetch(database.fetchUrl, { method: "POST", body });
  expect(await response.json()).toMatchObject({ rows: [{ b: true, i: 1, l: "1", j: [1] }], rowAsArray: false });
});

test("calls are counted by request id and a batch is one call", async () => {
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    return fetch(url, { ...init, headers: { ...init.headers, "x-request-id": "req_1" } });
  };
  // Without a delay, parallel calls would hardly overlap at the server.
  calls.setDelay(20);
  const client = connect();
  await Promise.all([client`SELECT 1`, client`SELECT 2`]);
  await client.transaction([client`SELECT 1`, client`SELECT 2`]);
  neonConfig.fetchFunction = undefined;
  await client`SELECT 3`;
  expect(calls.report()).toMatchObject({ request_id: "req_1", database: 3, redis: 0, round_trips: 2 });
  expect(calls.report(null)).toMatchObject({ request_id: null, database: 1 });
});

test("a stopped database drops connections and recovers", async () => {
  calls.stop("database", 60_000);
  await expect(connect()`SELECT 1`).rejects.toThrow("Error connecting to database");
  expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  calls.stop("database", 1);
  await expect.poll(() => connect()`SELECT 1 AS one`.catch(() => null)).toEqual([{ one: 1 }]);
});

test("rows survive a restart", async () => {
  await orm().insert(things).values(thing);
  await database.close();
  database = await startDatabase({ calls, dataDir });
  expect(await orm().$count(things)).toBe(1);
});
