// What every operation answers when something behind it fails, is away or is slow: its own codes, and nothing of the inside.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld } from "../lib/call.ts";
import { charge, POLICIES } from "../lib/limits.ts";
import { bindings, mintTenant, vars } from "./harness.ts";
import { endpoints, headersFor } from "./requests.ts";

const FAULT = JSON.stringify({ message: "a secret of the database", severity: "ERROR", code: "XX000" });
/** Nobody listens there. */
const AWAY = { DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };

/** The codes that the specification names; the others are ours to choose. */
const SPECIFIED: Record<string, string> = {
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

/** Fails what is not a look at a key; under `/held` only once it is let go. */
const held: ServerResponse[] = [];
const database = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  if (!/from \\"(api_keys|grants)\\"/.test(body)) {
    response.statusCode = 400;
    if (request.url === "/held") held.push(response);
    else response.end(FAULT);
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

describe.each(endpoints)("$id", ({ id, spec, method, filled, body, query }) => {
  const path = filled + query;

  test(`500 ${spec.failure} when the database fails in a way that nobody foresaw`, async () => {
    if (SPECIFIED[id]) expect(spec.failure).toBe(SPECIFIED[id]);
    const { api } = await mintTenant();
    const headers = { ...headersFor(spec), "X-Request-Id": "job-7" };
    const answer = await api.call(method, path, { body, env: at("/sql"), headers });
    expect(answer.body).toEqual({
      ok: false,
      code: 500,
      message: "Something went wrong on our side. Quote the request id job-7 to support.",
      error_code: spec.failure,
    });
    expect(answer.status).toBe(500);
  });

  test("500 internal_error that names a setting that is missing, never a value", async () => {
    const { api } = await mintTenant();
    const answer = await api.call(method, path, { body, env: { TOKEN_KEY: undefined }, headers: headersFor(spec) });
    expect([answer.status, answer.body.error_code]).toEqual([500, "internal_error"]);
    expect(answer.body.message).toContain("TOKEN_KEY");
  });

  test("503 provider_unavailable with Retry-After within 5 s while the database is away", async () => {
    const { api } = await mintTenant();
    const started = Date.now();
    const answer = await api.call(method, path, { body, env: AWAY, headers: headersFor(spec) });
    expect([answer.status, answer.body.error_code]).toEqual([503, "provider_unavailable"]);
    expect(Number(answer.headers.get("retry-after"))).toBe(answer.body.retry_after_seconds);
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  if (/^(POST|PATCH)$/.test(method))
    test("409 request_in_progress beside the first of its key", async () => {
      const { api } = await mintTenant();
      const request = { body, headers: { "Idempotency-Key": newId() } };
      const first = api.call(method, path, { ...request, env: at("/held") });
      await expect.poll(() => held.length, { timeout: 10_000 }).toBeGreaterThan(0);
      const second = await api.call(method, path, request);
      for (const response of held.splice(0)) response.end(FAULT);
      expect([second.status, second.body.error_code]).toEqual([409, "request_in_progress"]);
      expect((await first).body.error_code).toBe(spec.failure);
    });

  if (/^(POST|PATCH)$/.test(method))
    test("409 idempotency_key_reused for another operation's key", async () => {
      const { api } = await mintTenant();
      const headers = { "Idempotency-Key": newId() };
      expect((await api.post("/packs", { name: "first" }, headers)).status).toBe(201);
      const answer = await api.call(method, path, { body, headers });
      expect([answer.status, answer.body.error_code]).toEqual([409, "idempotency_key_reused"]);
    });

  const own = (spec.limits ?? []).filter((name: keyof typeof POLICIES) => POLICIES[name].per === "customer");
  test.each<keyof typeof POLICIES>(own)("429 rate_limited once %s is spent, with an honest wait", async (name) => {
    const tenant = await mintTenant();
    const { redis } = openWorld(bindings([]), "spend", () => undefined);
    const scope = tenant.workspaceId ?? tenant.ownerId;
    await charge(redis, [name], scope, new Date(), { [name]: POLICIES[name].quota });
    const answer = await tenant.api.call(method, path, { body, headers: headersFor(spec) });
    expect([answer.status, answer.body.error_code]).toEqual([429, "rate_limited"]);
    expect(answer.body.retry_after_seconds).toBeLessThanOrEqual(POLICIES[name].windowSeconds);
    expect(answer.headers.get("retry-after")).toBe(String(answer.body.retry_after_seconds));
    expect(answer.headers.get("ratelimit")).toContain(`"${name}";r=0;`);
  });
});
