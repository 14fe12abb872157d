// Statements that a request issues together leave as one HTTP request to the database.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createReadBatch, type DriverResponse, toDriverResponse } from "../../lib/services/read-batch.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";

const isBatch = (body: string) => "queries" in JSON.parse(body);

/** Answers each statement with its own text, and a statement `fail` with an error. */
function createDatabase() {
  const sent: string[] = [];
  const send = async (body: string): Promise<DriverResponse> => {
    sent.push(body);
    const parsed = JSON.parse(body);
    const statements: { query: string }[] = parsed.queries ?? [parsed];
    if (statements.some(({ query }) => query === "fail")) return toDriverResponse(400, () => ({ message: "failed" }));
    const results = statements.map(({ query }) => ({ rows: [query] }));
    return toDriverResponse(200, () => (parsed.queries ? { results } : results[0]));
  };
  return { sent, send };
}

test("statements of one moment leave together, and each gets its own result", async () => {
  const { sent, send } = createDatabase();
  const batch = createReadBatch();
  batch.open();
  const bodies = [{ query: "a" }, { queries: [{ query: "b" }, { query: "c" }] }, { query: "d" }];
  const responses = await Promise.all(bodies.map((body) => batch.add(JSON.stringify(body), send)));
  expect(sent).toHaveLength(1);
  expect(await Promise.all(responses.map((response) => response.json()))).toEqual([
    { rows: ["a"] },
    { results: [{ rows: ["b"] }, { rows: ["c"] }] },
    { rows: ["d"] },
  ]);
  expect(batch.isOpen()).toBe(false);
});

test("a statement that fails takes no other along", async () => {
  const { sent, send } = createDatabase();
  const batch = createReadBatch();
  batch.open();
  const [good, bad] = await Promise.all(["a", "fail"].map((query) => batch.add(JSON.stringify({ query }), send)));
  expect(await good?.json()).toEqual({ rows: ["a"] });
  expect(bad?.status).toBe(400);
  expect(sent.map(isBatch)).toEqual([true, false, false]);
});

test("a lone statement is sent as it is", async () => {
  const { sent, send } = createDatabase();
  const batch = createReadBatch();
  batch.open();
  expect(await (await batch.add('{"query":"a"}', send)).json()).toEqual({ rows: ["a"] });
  expect(sent).toEqual(['{"query":"a"}']);
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
