// The Worker inside its own runtime: what it mounts, and what it says when nobody configured it.
import { createExecutionContext, createMessageBatch, createScheduledController, env } from "cloudflare:test";
import { expect, test } from "vitest";
import worker from "../../functions/index.ts";
import { BASE_PATH } from "../../lib/paths.ts";

/** What wrangler.toml alone gives it. */
const BARE = { ENVIRONMENT: "production", ASSETS: env.ASSETS };
const UNCONFIGURED =
  /The service is not configured: .*DATABASE_URL.*UPSTASH_REDIS_REST_URL.*S3_SECRET_ACCESS_KEY.*TOKEN_KEY/;

function send(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const request = new Request(`http://api.test${path}`, { method, headers });
  return Promise.resolve(worker.fetch(request, BARE, createExecutionContext()));
}

test("404 route_not_found in the envelope, with the request id that was sent", async () => {
  const answer = await send("GET", "/nowhere", { "x-request-id": "mine.1" });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("x-request-id")).toBe("mine.1");
  expect(await answer.json()).toMatchObject({ ok: false, code: 404, error_code: "route_not_found" });
});

test("405 method_not_allowed names the methods that are there", async () => {
  const answer = await send("DELETE", `${BASE_PATH}/posts`, {});
  expect(answer.status).toBe(405);
  const allowed = answer.headers.get("allow")?.split(", ") ?? [];
  expect(allowed).toEqual(expect.arrayContaining(["GET", "POST"]));
  expect(allowed).not.toContain("DELETE");
  expect(await answer.json()).toMatchObject({ ok: false, error_code: "method_not_allowed" });
});

test("200 the OpenAPI document at the root and beside the endpoints, naming the server that was asked", async () => {
  for (const path of ["/openapi.json", `${BASE_PATH}/openapi.json`]) {
    const answer = await send("GET", path, {});
    expect(answer.status).toBe(200);
    const document = await answer.json<{ servers: unknown; paths: Record<string, unknown> }>();
    expect(document.servers).toEqual([{ url: `http://api.test${BASE_PATH}` }]);
    expect(Object.keys(document.paths)).toContain("/posts/{postId}");
  }
});

test("200 the reference page loads a script of its own host only", async () => {
  const answer = await send("GET", "/docs", {});
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  const sources = [...(await answer.text()).matchAll(/<script[^>]+src="([^"]+)"/g)].map(([, source]) => source);
  expect(sources).toEqual(["/reference.js"]);
});

test("500 internal_error names the variables that are missing and no value", async () => {
  const answer = await send("GET", `${BASE_PATH}/accounts`, {});
  expect(answer.status).toBe(500);
  const body = await answer.json<{ error_code: string; message: string }>();
  expect(body.error_code).toBe("internal_error");
  expect(body.message).toMatch(UNCONFIGURED);
});

test("500 says which variable is malformed without repeating it", async () => {
  const secret = "not-32-bytes";
  const request = new Request(`http://api.test${BASE_PATH}/accounts`);
  const answer = await worker.fetch(request, { ...BARE, TOKEN_KEY: secret }, createExecutionContext());
  const text = await answer.text();
  expect(text).toContain("TOKEN_KEY: must be 32 bytes in base64");
  expect(text).not.toContain(secret);
});

test("cron fails with the names of the missing variables, so that the platform shows the run as failed", async () => {
  const run = worker.scheduled(createScheduledController(), BARE, createExecutionContext());
  await expect(run).rejects.toThrow(UNCONFIGURED);
});

test("the queue fails with the names of the missing variables, so that its messages are delivered again", async () => {
  const message = { id: "1", timestamp: 0, attempts: 1, body: { deliveryIds: [] } };
  const batch = createMessageBatch("deliveries", [message]);
  const run = worker.queue(batch, BARE, createExecutionContext());
  await expect(run).rejects.toThrow(UNCONFIGURED);
});
