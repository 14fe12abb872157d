// The Worker in its runtime: mounted routes, and errors of a missing configuration.
import { createExecutionContext, createMessageBatch, createScheduledController, env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import worker from "../../functions/index.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";

/** The environment of wrangler.toml alone. */
const UNCONFIGURED_ENV = { ENVIRONMENT: "production", ASSETS: env.ASSETS };
const UNCONFIGURED_MESSAGE =
  /The service is not configured: .*DATABASE_URL.*UPSTASH_REDIS_REST_URL.*S3_SECRET_ACCESS_KEY.*TOKEN_KEY/;

function sendRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  vars: Record<string, string> = {},
): Promise<Response> {
  const request = new Request(`http://api.test${path}`, { method, headers });
  return Promise.resolve(worker.fetch(request, { ...UNCONFIGURED_ENV, ...vars }, createExecutionContext()));
}

test("404 route_not_found in the envelope, with the caller's request id", async () => {
  const answer = await sendRequest("GET", "/nowhere", { "x-request-id": "mine.1" });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("x-request-id")).toBe("mine.1");
  expect(await answer.json()).toMatchObject({ ok: false, code: 404, error_code: "route_not_found" });
});

test("405 method_not_allowed lists the allowed methods", async () => {
  const answer = await sendRequest("DELETE", `${BASE_PATH}/posts`, {});
  expect(answer.status).toBe(405);
  const allowed = answer.headers.get("allow")?.split(", ") ?? [];
  expect(allowed).toEqual(expect.arrayContaining(["GET", "POST"]));
  expect(allowed).not.toContain("DELETE");
  expect(await answer.json()).toMatchObject({ ok: false, error_code: "method_not_allowed" });
});

test("200 returns the OpenAPI document at the root and under the base path, without a host when PUBLIC_URL is missing", async () => {
  for (const path of ["/openapi.json", `${BASE_PATH}/openapi.json`]) {
    const answer = await sendRequest("GET", path, {});
    expect(answer.status).toBe(200);
    const document = await answer.json<{ servers: unknown; paths: Record<string, unknown> }>();
    expect(document.servers).toEqual([{ url: BASE_PATH, description: expect.any(String) }]);
    expect(Object.keys(document.paths)).toContain("/posts/{postId}");
  }
});

test("200 names PUBLIC_URL as the server, whatever the host of the request", async () => {
  const answer = await sendRequest("GET", "/openapi.json", {}, { PUBLIC_URL: "https://api.example.com" });
  const { servers } = await answer.json<{ servers: unknown }>();
  expect(servers).toEqual([expect.objectContaining({ url: `https://api.example.com${BASE_PATH}` })]);
});

test("302 leads from the root to the reference page", async () => {
  const answer = await sendRequest("GET", "/", {});
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs"]);
});

test("200 returns the reference page, whose style and script are files of its own host that browsers may keep", async () => {
  const answer = await sendRequest("GET", "/docs", {});
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(answer.headers.get("content-security-policy")).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
  const html = await answer.text();
  expect(html).toContain('id="posts-create"');
  expect(html).toContain('id="idempotency-and-retries"');
  const sources = [...html.matchAll(/(?:<script src|rel="stylesheet" href)="([^"]+)"/g)].map(
    ([, source = ""]) => source,
  );
  expect(sources.toSorted()).toEqual([
    expect.stringMatching(/^\/docs\/[0-9a-f]{12}-(script\.js|style\.css)$/),
    expect.stringMatching(/^\/docs\/[0-9a-f]{12}-(script\.js|style\.css)$/),
  ]);
  for (const path of sources) {
    const file = await sendRequest("GET", path, { "X-Request-Id": "asset-1" });
    await file.arrayBuffer();
    expect([file.status, file.headers.get("content-type")]).toEqual([200, expect.stringMatching(/javascript|css/)]);
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(file.headers.get("x-request-id")).toBe("asset-1");
    expect(file.headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("200 returns the guides as Markdown, listed in llms.txt", async () => {
  const list = await (await sendRequest("GET", "/llms.txt", {})).text();
  expect(list).toMatch(/^- prepare_post: Prepare a draft of a post\. /m);
  const paths = [...list.matchAll(/\((\/docs\/[a-z-]+\.md)\)/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(12);
  for (const path of paths) {
    const answer = await sendRequest("GET", path, {});
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/markdown; charset=utf-8",
    ]);
    expect(await answer.text()).toMatch(/^# .+\n\n/);
  }
  const examples = [...list.matchAll(/\((\/docs\/examples\/[^)]+)\)/g)].map(([, path]) => path ?? "");
  expect(examples).toHaveLength(2);
  for (const path of examples) {
    const example = await sendRequest("GET", path, {});
    expect([path, example.status, typeof (await example.json())]).toEqual([path, 200, "object"]);
  }
});

test("404 for a file of the reference that does not exist", async () => {
  const answer = await sendRequest("GET", "/docs/no-such-guide.md", {});
  expect([answer.status, (await answer.json<{ error_code: string }>()).error_code]).toEqual([404, "route_not_found"]);
});

test("200 opens the OpenAPI document alone to web pages", async () => {
  const answer = await sendRequest("GET", "/openapi.json", { Origin: "https://example.com" });
  await answer.arrayBuffer();
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
});

test("404 has the security headers and no CORS headers, whatever the origin", async () => {
  const { headers } = await sendRequest("GET", `${BASE_PATH}/nothing`, { Origin: "https://example.com" });
  expect(headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get("access-control-allow-origin")).toBeNull();
});

/** Captures what the Worker writes to the error log while it responds. */
async function captureErrors(request: () => Promise<Response>): Promise<{ answer: Response; logged: string }> {
  const spy = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const answer = await request();
  const logged = spy.mock.calls.map(([line]) => String(line)).join("\n");
  spy.mockRestore();
  return { answer, logged };
}

test("500 internal_error names the missing variables in the log, not to the caller", async () => {
  const { answer, logged } = await captureErrors(() => sendRequest("GET", `${BASE_PATH}/accounts`, {}));
  expect(answer.status).toBe(500);
  const body = await answer.json<{ error_code: string; message: string }>();
  expect(body.error_code).toBe("internal_error");
  expect(body.message).not.toContain("DATABASE_URL");
  expect(logged).toMatch(UNCONFIGURED_MESSAGE);
});

test("500 reports a malformed variable without its value", async () => {
  const secret = "not-32-bytes";
  const request = new Request(`http://api.test${BASE_PATH}/accounts`);
  const { answer, logged } = await captureErrors(async () =>
    worker.fetch(request, { ...UNCONFIGURED_ENV, TOKEN_KEY: secret }, createExecutionContext()),
  );
  expect(logged).toContain("TOKEN_KEY: must be 32 bytes in base64");
  expect(`${logged} ${await answer.text()}`).not.toContain(secret);
});

test("cron fails with the names of the missing variables", async () => {
  const run = worker.scheduled(createScheduledController(), UNCONFIGURED_ENV, createExecutionContext());
  await expect(run).rejects.toThrow(UNCONFIGURED_MESSAGE);
});

test("the queue fails with the names of the missing variables, so that its messages are redelivered", async () => {
  const message = { id: "1", timestamp: 0, attempts: 1, body: { deliveryIds: [] } };
  const batch = createMessageBatch("deliveries", [message]);
  const run = worker.queue(batch, UNCONFIGURED_ENV, createExecutionContext());
  await expect(run).rejects.toThrow(UNCONFIGURED_MESSAGE);
});
