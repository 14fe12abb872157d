// The responses of every operation when a service fails, is unavailable or slow: documented codes without internals.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { consumeRateLimits, POLICIES } from "../lib/http/rate-limits.ts";
import { openServices } from "../lib/services/context.ts";
import { createBindings, createTestTenant, vars } from "./support/harness.ts";
import { endpoints, headersFor } from "./support/requests.ts";
import { stopClock } from "./support/stop-clock.ts";
import { createTestMode } from "./support/test-mode.ts";

const DATABASE_ERROR = JSON.stringify({ message: "a secret of the database", severity: "ERROR", code: "XX000" });
/** No server listens on this port. */
const UNREACHABLE_DATABASE = { DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };

/** The codes that the specification requires. */
const SPECIFIED_CODES: Record<string, string> = {
  "accounts.list": "accounts_failed",
  "folders.add-items": "folder_items_add_failed",
  "folders.delete": "folder_delete_failed",
  "folders.get": "folder_get_failed",
  "folders.update": "folder_update_failed",
  "packs.create": "pack_create_failed",
  "posts.get": "get_failed",
  "posts.list": "list_failed",
  "slideshows.delete": "delete_failed",
  "slideshows.update": "update_failed",
  "templates.get": "template_get_failed",
  "templates.list": "templates_list_failed",
  "templates.update": "template_update_failed",
  "trends.brief": "trends_brief_failed",
};

/** Fails every query except those of API keys; under `/held` it waits until the response is released. */
const heldResponses: ServerResponse[] = [];
const database = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  if (!/from \\"(api_keys|grants)\\"/.test(body)) {
    response.statusCode = 400;
    if (request.url === "/held") heldResponses.push(response);
    else response.end(DATABASE_ERROR);
    return;
  }
  const headers = Object.entries(request.headers).filter(([name]) => /^(neon|x-)/.test(name)) as [string, string][];
  const answer = await fetch(vars.DATABASE_FETCH_URL ?? "", { method: "POST", headers, body });
  response.writeHead(answer.status).end(await answer.text());
});
const at = (path: string) => ({
  DATABASE_FETCH_URL: `http://127.0.0.1:${(database.address() as AddressInfo).port}${path}`,
});

beforeAll(() => new Promise<void>((resolve) => database.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => database.close(resolve)));

describe.each(endpoints.filter(({ spec }) => spec.auth !== "public"))(
  "$id",
  ({ id, spec, method, filled, body, query }) => {
    // A brief of a keyword that other tests asked for comes from the cache.
    const path = filled + query.replace(/keyword=[^&]*/, `keyword=${newId()}`);

    const openApi = async () => {
      const tenant = await createTestTenant();
      return id.startsWith("sandbox.") ? (await createTestMode(tenant)).api : tenant.api;
    };

    // The log of requests is in Redis.
    const usesDatabase = !id.startsWith("requests.");
    test.runIf(usesDatabase)(`500 ${spec.internalError} when the database fails with an unexpected error`, async () => {
      if (SPECIFIED_CODES[id]) expect(spec.internalError).toBe(SPECIFIED_CODES[id]);
      const api = await openApi();
      const headers = { ...headersFor(spec), "X-Request-Id": "job-7" };
      const answer = await api.call(method, path, { body, env: at("/sql"), headers });
      expect(answer.body).toEqual({
        ok: false,
        code: 500,
        message: "An internal error occurred. Contact support with the request id job-7.",
        error_code: spec.internalError,
      });
      expect(answer.status).toBe(500);
    });

    test("500 internal_error when a setting is missing, which only the log names", async () => {
      const api = await openApi();
      const answer = await api.call(method, path, { body, env: { TOKEN_KEY: undefined }, headers: headersFor(spec) });
      expect([answer.status, answer.body.error_code]).toEqual([500, "internal_error"]);
      expect(answer.body.message).not.toContain("TOKEN_KEY");
    });

    test("503 provider_unavailable with Retry-After within 5 s while the database is unavailable", async () => {
      const api = await openApi();
      const started = Date.now();
      const answer = await api.call(method, path, { body, env: UNREACHABLE_DATABASE, headers: headersFor(spec) });
      expect([answer.status, answer.body.error_code]).toEqual([503, "provider_unavailable"]);
      expect(Number(answer.headers.get("retry-after"))).toBe(answer.body.retry_after_seconds);
      expect(Date.now() - started).toBeLessThan(5_000);
    });

    if (/^(POST|PATCH)$/.test(method))
      test("409 request_in_progress while the first request of the key runs", async () => {
        const api = await openApi();
        const request = { body, headers: { "Idempotency-Key": newId() } };
        const first = api.call(method, path, { ...request, env: at("/held") });
        await expect.poll(() => heldResponses.length).toBeGreaterThan(0);
        const second = await api.call(method, path, request);
        for (const response of heldResponses.splice(0)) response.end(DATABASE_ERROR);
        expect([second.status, second.body.error_code]).toEqual([409, "request_in_progress"]);
        expect((await first).body.error_code).toBe(spec.internalError);
      });

    if (/^(POST|PATCH)$/.test(method))
      test("409 idempotency_key_reused for another operation's key", async () => {
        const api = await openApi();
        const headers = { "Idempotency-Key": newId() };
        expect((await api.post("/packs", { name: "first" }, headers)).status).toBe(201);
        const answer = await api.call(method, path, { body, headers });
        expect([answer.status, answer.body.error_code]).toEqual([409, "idempotency_key_reused"]);
      });

    // These bodies name no outside URLs, so they consume none; test/http/cost-limits.test.ts has bodies that do.
    const own = (spec.limits ?? []).filter(
      (name: keyof typeof POLICIES) => POLICIES[name].per === "customer" && name !== "outside_urls",
    );
    test.each<keyof typeof POLICIES>(own)(
      "429 rate_limited when %s is exhausted, with the exact Retry-After",
      async (name) => {
        stopClock();
        const tenant = await createTestTenant();
        const { redis } = openServices(createBindings([]), "consume", () => undefined);
        const scope = tenant.workspaceId ?? tenant.ownerId;
        await consumeRateLimits(redis, [name], scope, new Date(), { [name]: POLICIES[name].quota });
        const answer = await tenant.api.call(method, path, { body, headers: headersFor(spec) });
        expect([answer.status, answer.body.error_code]).toEqual([429, "rate_limited"]);
        expect(answer.body.retry_after_seconds).toBeLessThanOrEqual(POLICIES[name].windowSeconds);
        expect(answer.headers.get("retry-after")).toBe(String(answer.body.retry_after_seconds));
        expect(answer.headers.get("ratelimit")).toContain(`"${name}";r=0;`);
      },
    );
  },
);
