// The read of an endpoint leaves with the verification of the key, as one HTTP request to the database.
import { NeonDbError } from "@neondatabase/serverless";
import { sql } from "drizzle-orm";
import { PgRaw } from "drizzle-orm/pg-core/query-builders/raw";
import { v7 as newId } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { type Read, sendTogether, toRead } from "../../lib/queries/read.ts";
import type { ReadOnlyDb } from "../../lib/services/database.ts";
import { at } from "../../lib/shared/at.ts";
import { createTestAccount, createTestTenant, vars } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";

afterEach(() => vi.restoreAllMocks());

/** Responds to each query with its own text, and to a query `fail` with an error of the database. */
function createDatabase(failure: Error = new NeonDbError("failed")) {
  const sent: string[][] = [];
  const run = async (texts: string[]) => {
    sent.push(texts);
    if (texts.includes("fail")) throw failure;
    return texts;
  };
  const db = { batch: (queries: PgRaw<string>[]) => run(queries.map((query) => query.getQuery().sql)) };
  const toQuery = (text: string) =>
    new PgRaw(
      async () => at(await run([text]), 0),
      sql.raw(text),
      { sql: text, params: [] },
      (result) => result,
    );
  const read = (...texts: [string, ...string[]]) =>
    toRead(db as unknown as ReadOnlyDb, texts.map(toQuery) as [PgRaw<string>], (results) => results);
  const send = (...reads: [Read<unknown>, Read<unknown>]) => sendTogether(db as unknown as ReadOnlyDb, ...reads);
  return { sent, read, send };
}

test("two reads leave together, and each gets its own result", async () => {
  const { sent, read, send } = createDatabase();
  const results = await send(read("a"), read("b", "c"));
  expect(sent).toEqual([["a", "b", "c"]]);
  expect(results).toEqual([
    { ok: true, value: ["a"] },
    { ok: true, value: ["b", "c"] },
  ]);
});

test("a read that fails takes no other along", async () => {
  const { sent, read, send } = createDatabase();
  const [good, bad] = await send(read("a"), read("fail"));
  expect(good).toEqual({ ok: true, value: ["a"] });
  expect(bad).toMatchObject({ ok: false, error: { message: "failed" } });
  expect(sent).toEqual([["a", "fail"], ["a"], ["fail"]]);
});

test("when the database does not respond, nothing is sent again", async () => {
  const unreachable = new Error("timeout");
  const { sent, read, send } = createDatabase(unreachable);
  expect(await send(read("a"), read("fail"))).toEqual([
    { ok: false, error: unreachable },
    { ok: false, error: unreachable },
  ]);
  expect(sent).toEqual([["a", "fail"]]);
});

test("a lone statement is sent as it is", async () => {
  const { sent, read } = createDatabase();
  expect(await read("a")).toEqual(["a"]);
  expect(sent).toEqual([["a"]]);
});

test("a warm read is one request to the database, the first one of an isolate two", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const post = await tenant.api.post("/posts", { caption: "a", accounts: [{ id: account.id }] });
  expect(post.status).toBe(201);
  const count = async (path: string) => {
    const requestId = newId();
    const { result, cost } = await measureCost(requestId, () =>
      tenant.api.get(path, { headers: { "X-Request-Id": requestId } }),
    );
    return [result.status, cost.database];
  };
  const cold = await createTestTenant();
  const requestId = newId();
  const first = await measureCost(requestId, () => cold.api.get("/posts", { headers: { "X-Request-Id": requestId } }));
  expect(first.cost.database).toBe(2);
  for (const path of ["/accounts", "/posts", `/posts/${post.body.data.id}`, "/packs", "/slideshows", "/templates"])
    expect([path, ...(await count(path))]).toEqual([path, 200, 1]);
  expect(await count(`/posts/${newId()}`)).toEqual([404, 1]);
});

/** Responds to the requests of the database with `respond()` where it is not null. Returns how many there were. */
function respondToBatches(respond: () => Response | null): () => number {
  const originalFetch = globalThis.fetch;
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const isBatch = String(input) === vars.DATABASE_FETCH_URL && String(init?.body).startsWith('{"queries"');
    return (isBatch ? respond() : null) ?? originalFetch(input, init);
  });
  return () => fetching.mock.calls.filter(([url]) => String(url) === vars.DATABASE_FETCH_URL).length;
}

test("when the database rejects the batch of a read, each statement is sent alone; when it is down, none is", async () => {
  const { api } = await createTestTenant();
  await api.get("/accounts");
  const countRejected = respondToBatches(() => Response.json({ message: "failed", code: "XX000" }, { status: 400 }));
  expect([(await api.get("/accounts")).status, countRejected()]).toEqual([200, 3]);
  vi.restoreAllMocks();
  const countDown = respondToBatches(() => new Response("", { status: 503 }));
  expect([(await api.get("/accounts")).status, countDown()]).toEqual([503, 1]);
});
