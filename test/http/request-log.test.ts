// The log line of a request, and the list of a key's last requests.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import app from "../../functions/index.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import { createBindings, createClient, createTestKey, createTestTenant, queryRows, vars } from "../support/harness.ts";
import { createBrowser, signInOwner } from "../workspace/dashboard.ts";

afterEach(() => vi.restoreAllMocks());

/** The log lines that `work` writes for a request id. */
async function captureLog(requestId: string, work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));
  await work();
  vi.restoreAllMocks();
  return lines
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((line) => line.request_id === requestId);
}

test("a success is one line with route, ids, key, time and round trips", async () => {
  const { api, token } = await createTestTenant();
  const folder = (await api.post("/folders", { name: "Tea", media_type: "upload" })).body.data;
  const requestId = newId();
  const headers = { "X-Request-Id": requestId };
  const lines = await captureLog(requestId, () => api.get(`/folders/${folder.id}`, { headers }));
  expect(lines).toEqual([
    {
      request_id: requestId,
      level: "info",
      endpoint: "folders.get",
      route: "GET /folders/{folderId}",
      status: 200,
      ids: [folder.id],
      key: token.split(".")[0],
      ms: expect.any(Number),
      round_trips: 1,
    },
  ]);
});

test("a failure names its code and the paths and codes of the fields, never what was sent", async () => {
  const { api } = await createTestTenant();
  const requestId = newId();
  const body = { caption: "private words", accounts: [], media: { type: "video", url: "no address" } };
  const lines = await captureLog(requestId, () =>
    api.call("POST", "/posts", { body, headers: { "X-Request-Id": requestId } }),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ status: 422, error_code: "invalid_payload", level: "info" });
  expect(lines[0]?.fields).toEqual([
    expect.stringMatching(/^accounts \w+$/),
    expect.stringMatching(/^media\.url \w+$/),
  ]);
  expect(JSON.stringify(lines)).not.toContain("private words");
});

/** To the Worker, whose files and pages all exist. */
async function send(method: string, path: string, requestId: string): Promise<Response> {
  const found = { fetch: async () => new Response("found") };
  const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
  const request = new Request(`http://api.test${path}`, { method, headers: { "X-Request-Id": requestId } });
  return app.fetch(request, { ...createBindings([]), ASSETS: found, WORKSPACE: found }, context);
}

const TOKEN = "secret".repeat(7);

test.each([
  ["GET", `${BASE_PATH}/no/such?q=secret`, 404, `${BASE_PATH}/no/such`, "route_not_found"],
  ["GET", `/${"a/".repeat(300)}`, 404, `/${"a/".repeat(300)}`.slice(0, 200), "route_not_found"],
  ["PATCH", `${BASE_PATH}/posts/delete`, 405, `${BASE_PATH}/posts/delete`, "method_not_allowed"],
  ["PUT", `${BASE_PATH}/posts/a`, 405, `${BASE_PATH}/posts/a`, "method_not_allowed"],
  ["PUT", `/connect/${TOKEN}`, 405, "/connect/...", "method_not_allowed"],
  ["GET", "/", 302, "/", undefined],
  ["GET", "/docs?q=secret", 200, "/docs", undefined],
  ["HEAD", "/llms.txt", 200, "/llms.txt", undefined],
  ["GET", "/openapi.json", 200, "/openapi.json", undefined],
  ["GET", "/dashboard/assets/a.css", 200, "/dashboard/assets/a.css", undefined],
])("%s %s outside of the API is one line without a query and tokens", async (method, path, status, logged, code) => {
  const requestId = newId();
  const lines = await captureLog(requestId, () => send(method, path, requestId));
  const line = { request_id: requestId, level: "info", route: `${method} ${logged}`, status, ms: expect.any(Number) };
  expect(lines).toEqual([code ? { ...line, error_code: code } : line]);
});

test("a page that the Worker of the dashboard serves is logged there only", async () => {
  const requestId = newId();
  expect(await captureLog(requestId, () => send("GET", "/dashboard", requestId))).toEqual([]);
});

test("a page of the dashboard is one line with the pattern of its path, never the token of a link", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const visits = [
    [owner, `/dashboard/${tenant.workspaceId}/queue?notice=secret`, 200, "GET /dashboard/{workspaceId}/queue"],
    [createBrowser(), `/dashboard/${tenant.workspaceId}/queue`, 302, "GET /dashboard/{workspaceId}/queue"],
    [createBrowser(), `/dashboard/unsubscribe/${TOKEN}`, 404, "GET /dashboard/unsubscribe/{token}"],
    [createBrowser(), `/connect/${TOKEN}`, 404, "GET /connect/:token"],
    [createBrowser(), `/dashboard/no/such/${TOKEN}`, 404, "GET /dashboard/no/such/..."],
  ] as const;
  for (const [browser, path, status, route] of visits) {
    const requestId = newId();
    const lines = await captureLog(requestId, () => browser.visit(path, { headers: { "X-Request-Id": requestId } }));
    expect(lines).toEqual([expect.objectContaining({ route, status, level: "info", ms: expect.any(Number) })]);
    expect(JSON.stringify(lines)).not.toContain("secret");
  }
});

test.each([
  [
    "a failure with a reason adds its cause, without a stack",
    { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9" },
    503,
    /^provider_unavailable: The rate limiter did not respond\. .* Cause: TypeError: fetch failed, caused by .*$/,
  ],
  [
    "an unexpected failure adds its stack",
    { DATABASE_FETCH_URL: `${vars.UPSTASH_REDIS_REST_URL}/no` },
    500,
    /^Error: a statement failed: [\s\S]*\n +at /,
  ],
])("%s", async (_what, env, status, added) => {
  const { api } = await createTestTenant();
  await api.get("/packs");
  const requestId = newId();
  const headers = { "X-Request-Id": requestId, "Idempotency-Key": newId() };
  const lines = await captureLog(requestId, () =>
    withFastPauses(() => api.call("POST", "/packs", { body: { name: "Tea" }, env, headers })),
  );
  const errors = lines.flatMap(({ error }) => error ?? []);
  expect(errors).toEqual([expect.stringMatching(added)]);
  expect(lines.filter(({ route }) => route)).toMatchObject([{ level: "error", status }]);
});

test("200 lists the requests of the key itself, newest first, and one by its id", async () => {
  const tenant = await createTestTenant();
  const requestId = `job-${newId()}`;
  await tenant.api.get("/accounts");
  await tenant.api.get(`/posts/${newId()}`, { headers: { "X-Request-Id": requestId } });
  const { body } = await tenant.api.get("/requests?limit=1");
  const expected = {
    request_id: requestId,
    operation: "posts.get",
    method: "GET",
    route: "/posts/{postId}",
    status: 404,
    error_code: "not_found",
    ms: expect.any(Number),
    at: expect.stringMatching(/Z$/),
  };
  const page = { limit: 1, offset: 0, next_cursor: expect.any(String), has_more: true };
  expect(body.data).toEqual({ requests: [expected], ...page });
  expect((await tenant.api.get("/requests?offset=1")).body.data).toMatchObject({
    requests: [{ operation: "accounts.list", status: 200, error_code: null }],
    has_more: false,
  });
  expect((await tenant.api.get(`/requests/${requestId}`)).body.data).toEqual(expected);
  // Another key of the same workspace has its own list.
  const other = createClient(await createTestKey(tenant));
  expect((await other.get("/requests")).body.data.requests).toEqual([]);
  expect((await other.get(`/requests/${requestId}`)).status).toBe(404);
});

/** Holds the responses of the database until `count` have arrived. Returns how many calls of Redis there were since. */
function holdDatabase(count: number): () => number {
  const { DATABASE_FETCH_URL, UPSTASH_REDIS_REST_URL = "" } = vars;
  const originalFetch = globalThis.fetch;
  const { promise: all, resolve: release } = Promise.withResolvers<void>();
  let arrived = 0;
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const response = await originalFetch(input, init);
    if (String(input) !== DATABASE_FETCH_URL) return response;
    const text = await response.text();
    arrived += 1;
    if (arrived === count) release();
    await all;
    return new Response(text, { status: response.status });
  });
  return () => fetching.mock.calls.filter(([url]) => String(url).startsWith(UPSTASH_REDIS_REST_URL)).length;
}

test.each([
  ["logged by one call locally", {}, 1],
  [
    "logged by a call each elsewhere",
    { ENVIRONMENT: "production", PUBLIC_URL: "https://api.example.com", ALLOWED_PRIVATE_HOSTS: "" },
    6,
  ],
])("requests that end at the same time are listed by one call of Redis and %s", async (_what, settings, logCalls) => {
  const tenant = await createTestTenant();
  const other = createClient(await createTestKey(tenant));
  // A key that the isolate knows costs one call of the database.
  await Promise.all([tenant.api.get("/accounts"), other.get("/accounts")]);
  // The requests of an isolate have the same bindings.
  const bindings = { ...createBindings([]), ...settings };
  const ids = Array.from({ length: 6 }, (_, at) => `together-${at}-${newId()}`);
  const countRedisCalls = holdDatabase(ids.length);
  const logged: string[] = [];
  vi.spyOn(console, "log").mockImplementation((lines: unknown) => void logged.push(String(lines)));
  const send = (id: string, at: number) =>
    (at < 4 ? tenant.api : other).get("/accounts", { bindings, headers: { "X-Request-Id": id } });
  await Promise.all(ids.map(send));
  expect(countRedisCalls()).toBe(1);
  vi.restoreAllMocks();
  expect(logged).toHaveLength(logCalls);
  const lines = logged.join("\n").split("\n");
  expect(lines.map((line) => JSON.parse(line).request_id).toSorted()).toEqual(ids.toSorted());
  const list = async (api: typeof other) =>
    (await api.get("/requests?limit=4")).body.data.requests.map(({ request_id }: { request_id: string }) => request_id);
  expect((await list(tenant.api)).sort()).toEqual(ids.slice(0, 4));
  expect((await list(other)).slice(0, 2).sort()).toEqual(ids.slice(4));
});

test("500 with a code of its own when the stored list is damaged", async () => {
  const { api, token } = await createTestTenant();
  const [key] = await queryRows<{ id: string }>(sql`select id from api_keys where public_id = ${token.split(".")[0]}`);
  await fetch(vars.UPSTASH_REDIS_REST_URL ?? "", {
    method: "POST",
    headers: { Authorization: `Bearer ${vars.UPSTASH_REDIS_REST_TOKEN}` },
    body: JSON.stringify(["LPUSH", `requests:${key?.id}`, "null"]),
  });
  const responses = await Promise.all(["/requests", "/requests/job-1"].map((path) => api.get(path)));
  expect(responses.map(({ status, body }) => [status, body.error_code])).toEqual([
    [500, "requests_list_failed"],
    [500, "request_get_failed"],
  ]);
});
