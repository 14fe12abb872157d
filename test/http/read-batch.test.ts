// Statements that a request issues together leave as one HTTP request to the database.
import { v7 as newId } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { createReadBatch } from "../../lib/services/read-batch.ts";
import { createTestAccount, createTestTenant, vars } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";

afterEach(() => vi.restoreAllMocks());

/** Responses each query with its own text, and a query `fail` with an error. */
function createDatabase() {
  const sent: string[][] = [];
  const run = async (queries: string[]): Promise<unknown[]> => {
    sent.push(queries);
    if (queries.includes("fail")) throw new Error("failed");
    return queries.map((query) => ({ rows: [query] }));
  };
  const batch = createReadBatch({ runAll: run, isAnswer: () => true });
  batch.open();
  return { sent, batch, add: (...queries: string[]) => batch.add(queries, () => run(queries)) };
}

test("statements of one moment leave together, and each gets its own result", async () => {
  const { sent, batch, add } = createDatabase();
  const results = await Promise.all([add("a"), add("b", "c"), add("d")]);
  expect(sent).toEqual([["a", "b", "c", "d"]]);
  expect(results).toEqual([[{ rows: ["a"] }], [{ rows: ["b"] }, { rows: ["c"] }], [{ rows: ["d"] }]]);
  expect(batch.isOpen()).toBe(false);
});

test("a statement that fails takes no other along", async () => {
  const { sent, add } = createDatabase();
  const [good, bad] = await Promise.allSettled([add("a"), add("fail")]);
  expect(good).toEqual({ status: "fulfilled", value: [{ rows: ["a"] }] });
  expect(bad).toMatchObject({ status: "rejected", reason: { message: "failed" } });
  expect(sent).toEqual([["a", "fail"], ["a"], ["fail"]]);
});

test("when the database does not respond, nothing is sent again", async () => {
  const sent: string[][] = [];
  const unreachable = new Error("timeout");
  const run = async (queries: string[]) => {
    sent.push(queries);
    throw unreachable;
  };
  const batch = createReadBatch({ runAll: run, isAnswer: () => false });
  batch.open();
  const add = (query: string) => batch.add([query], () => run([query]));
  const results = await Promise.allSettled([add("a"), add("b")]);
  expect(results).toEqual([
    { status: "rejected", reason: unreachable },
    { status: "rejected", reason: unreachable },
  ]);
  expect(sent).toEqual([["a", "b"]]);
});

test("a lone statement is sent as it is", async () => {
  const { sent, add } = createDatabase();
  expect(await add("a")).toEqual([{ rows: ["a"] }]);
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
