// What every endpoint owes its callers, checked on each of them because each declares what it is.
import { describe, expect, test } from "vitest";
import { loadAll, routes } from "../functions/routes.ts";
import { STATUS_OF } from "../lib/errors.ts";
import { type BadQuery, queryCode } from "../lib/invalid.ts";
import { buildDocument } from "../lib/openapi.ts";
import * as tenants from "../lib/queries/tenants.ts";
import { client, database, mintKey, mintTenant } from "./harness.ts";
import { endpoints, headersFor } from "./requests.ts";

type Paths = Record<string, Record<string, { operationId: string; requestBody?: { required: boolean } }>>;

describe.each(endpoints)("$id", ({ id, spec, method, path, filled, body }) => {
  const headers = headersFor(spec);
  const takesKey = /^(POST|PATCH)$/.test(method);
  const takesBody = takesKey || spec.body !== undefined;

  test("401 missing_token without the header, or with another scheme", async () => {
    for (const authorization of [undefined, "Basic abc"]) {
      const answer = await client(null).call(method, filled, {
        headers: { ...headers, ...(authorization ? { Authorization: authorization } : {}) },
      });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ ok: false, code: 401, message: expect.any(String), error_code: "missing_token" });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("401 invalid_token for a malformed, an unknown and a wrong secret", async () => {
    const { token } = await mintTenant();
    const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
    for (const bad of ["nonsense", `pk_0000000000000000.${"a".repeat(43)}`, wrong]) {
      const answer = await client(bad).call(method, filled, { headers });
      expect([answer.status, answer.body.error_code]).toEqual([401, "invalid_token"]);
    }
  });

  test("401 revoked_token on the very next request, 401 expired_token after its time", async () => {
    const tenant = await mintTenant();
    expect((await tenant.api.call(method, filled, { headers })).status).not.toBe(401);
    await tenants.revokeKey(database(), tenant.token.split(".")[0] ?? "");
    const revoked = await tenant.api.call(method, filled, { headers });
    expect([revoked.status, revoked.body.error_code]).toEqual([401, "revoked_token"]);
    const old = client(await mintKey(tenant, { expiresAt: new Date(Date.now() - 1000) }));
    const expired = await old.call(method, filled, { headers });
    expect([expired.status, expired.body.error_code]).toEqual([401, "expired_token"]);
  });

  test(`${spec.absentPlan ?? 402} subscription_required without a paid plan, 403 tier_not_allowed for the Scheduler tier`, async () => {
    const past = new Date(Date.now() - 1000);
    for (const plan of [
      null,
      { tier: "business", status: "canceled", paidUntil: null },
      { tier: "creator", status: "active", paidUntil: past },
    ] as const) {
      const { api } = await mintTenant({ plan });
      const answer = await api.call(method, filled, { headers });
      expect([answer.status, answer.body.error_code]).toEqual([spec.absentPlan ?? 402, "subscription_required"]);
    }
    const { api } = await mintTenant({ plan: { tier: "scheduler", status: "active", paidUntil: null } });
    const answer = await api.call(method, filled, { headers });
    expect([answer.status, answer.body.error_code]).toEqual([403, "tier_not_allowed"]);
  });

  test("a bad key is told before a bad body, a lapsed plan before a bad id", async () => {
    const answer = await client("nonsense").call(method, filled, { raw: method === "GET" ? undefined : "{", headers });
    expect(answer.status).toBe(401);
    const { api } = await mintTenant({ plan: null });
    const lapsed = await api.call(method, path.replaceAll(/\{\w+\}/g, "x"), { headers });
    expect(lapsed.body.error_code).toBe("subscription_required");
  });

  test("405 with Allow for a method that is not offered", async () => {
    const answer = await client(null).call("PUT", filled);
    expect([answer.status, answer.body.error_code]).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toContain(method);
  });

  test("takes over a caller's request id when it is well formed, else makes one", async () => {
    const mine = await client(null).call(method, filled, { headers: { "X-Request-Id": "job-7.A_b" } });
    expect(mine.headers.get("x-request-id")).toBe("job-7.A_b");
    for (const bad of ["no spaces", "x".repeat(129)]) {
      const answer = await client(null).call(method, filled, { headers: { "X-Request-Id": bad } });
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  if (path.includes("{"))
    test("400 for a missing id, 404 or 422 for a malformed one", async () => {
      const { api } = await mintTenant();
      const missing = await api.call(method, path.replaceAll(/\{\w+\}/g, ""), { headers });
      expect(missing.status).toBe(400);
      expect(missing.body.error_code).toMatch(/^missing_\w+_id$/);
      for (const bad of ["not-a-uuid", "a%00b"]) {
        const malformed = await api.call(method, path.replaceAll(/\{\w+\}/g, bad), { body, headers });
        expect([404, 422]).toContain(malformed.status);
      }
    });

  if (path.includes("{"))
    test("404 for an id that nobody has", async () => {
      const { api } = await mintTenant();
      expect((await api.call(method, filled, { body, headers })).status).toBe(404);
    });

  if (takesBody)
    test("400 invalid_json, 413 payload_too_large and 422 for unknown keys and NUL", async () => {
      const { api } = await mintTenant();
      const broken = await api.call(method, filled, { raw: '{"a":', headers });
      expect([broken.status, broken.body.error_code]).toEqual([400, "invalid_json"]);
      const large = await api.call(method, filled, { raw: JSON.stringify({ a: "x".repeat(1024 * 1024) }), headers });
      expect([large.status, large.body.error_code]).toEqual([413, "payload_too_large"]);
      const unknown = await api.call(method, filled, { body: { no_such_field: 1 }, headers });
      expect([unknown.status, unknown.body.error_code]).toEqual([422, "invalid_payload"]);
      expect(pathsIn(unknown.body)).toContain("no_such_field");
      const nul = await api.call(method, filled, { raw: '{"no_such_field": "a\\u0000b"}', headers });
      expect(nul.status).toBe(422);
    });

  test("refuses unknown query keys, but for the two lists that ignore them", async () => {
    const { api } = await mintTenant();
    const answer = await api.call(method, `${filled}?no_such_key=1`, {
      body: method === "GET" ? undefined : {},
      headers,
    });
    const ignored = ["posts.list", "accounts.list"].includes(id);
    expect(answer.status).toBe(ignored ? 200 : badQueryStatus(spec.badQuery));
    if (!ignored) expect(answer.body.issues.fieldErrors).toHaveProperty("no_such_key");
  });

  if (spec.limits)
    test("says what is left of every ceiling when it refuses, and takes nothing for a bad query", async () => {
      const { api } = await mintTenant();
      const ask = () => api.call(method, `${filled}?no_such_key=1`, { body, headers });
      const [first, second] = [await ask(), await ask()];
      expect(
        first.headers
          .get("ratelimit-policy")
          ?.split(", ")
          .map((policy) => policy.split('"')[1]),
      ).toEqual(spec.limits);
      // The shared ceilings are other tests' too.
      const left = (answer: typeof first) => answer.headers.get("ratelimit")?.match(/"\w+(?<!_shared)";r=\d+/g);
      expect(left(second)).toEqual(left(first));
    });

  const parameters = Object.keys(spec.query?.shape ?? {});
  if (parameters.length > 0)
    test("refuses NUL in a query, and tells of a parameter that came twice", async () => {
      const { api } = await mintTenant();
      for (const name of parameters) {
        expect((await api.get(`${filled}?${name}=a%00b`)).status).toBeLessThan(500);
        const { body } = await api.get(`${filled}?${name}=1&${name}=1`);
        if (!body.ok && body.issues?.fieldErrors[name]) expect(body.issues.fieldErrors[name][0]).toContain("once");
      }
    });

  if (takesKey)
    test("400 invalid_request for an Idempotency-Key that is too long", async () => {
      const { api } = await mintTenant();
      const answer = await api.call(method, filled, { body: {}, headers: { "Idempotency-Key": "k".repeat(256) } });
      expect([answer.status, answer.body.error_code]).toEqual([400, "invalid_request"]);
    });

  if (spec.idempotent === "required")
    test("400 invalid_request without an Idempotency-Key", async () => {
      const { api } = await mintTenant();
      const answer = await api.call(method, filled, { body: {} });
      expect([answer.status, answer.body.error_code]).toEqual([400, "invalid_request"]);
    });
});

function badQueryStatus(bad: BadQuery | undefined): number {
  const { code, status } = queryCode([], bad);
  return status ?? STATUS_OF[code];
}

/** Where a refusal of the body points, in either of its two shapes. */
function pathsIn(body: { fields?: { path: string }[]; issues?: { fieldErrors: Record<string, string[]> } }): string[] {
  return body.fields ? body.fields.map(({ path }) => path) : Object.keys(body.issues?.fieldErrors ?? {});
}

test.each([
  ["GET", "/posts/prepare", "POST"],
  ["PATCH", "/posts/delete", "POST"],
  ["DELETE", "/files/multipart", "POST"],
  ["GET", "/slideshows/generate", "POST"],
  ["DELETE", "/posts", "GET, HEAD, POST"],
])("405 %s %s: an operation's own path is nobody's id", async (method, path, allowed) => {
  const { api } = await mintTenant();
  const answer = await api.call(method, path);
  expect([answer.status, answer.body.error_code]).toEqual([405, "method_not_allowed"]);
  expect(answer.headers.get("allow")?.split(", ").toSorted().join(", ")).toBe(allowed);
});

test("404 route_not_found for a route that does not exist", async () => {
  const answer = await client(null).get("/no/such/route");
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ ok: false, code: 404, error_code: "route_not_found" });
  expect(answer.body).not.toHaveProperty("data");
});

test("the OpenAPI document asks for a body unless none will do", async () => {
  const optional = Object.values(buildDocument(await loadAll()).paths as Paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ requestBody }) => requestBody?.required === false)
    .map(({ operationId }) => operationId);
  expect(optional.sort()).toEqual([
    "editor.captions",
    "posts.commit",
    "slideshows.regenerate-slide",
    "templates.from-slideshow",
  ]);
});

test("the OpenAPI document bounds no number by what JSON can hold", async () => {
  expect(JSON.stringify(buildDocument(await loadAll()))).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

test("the OpenAPI document lists the rate headers of every operation with a ceiling", async () => {
  type Answers = { operationId: string; responses: Record<string, { headers: Record<string, unknown> }> };
  const operations = Object.values(buildDocument(await loadAll()).paths as Record<string, Record<string, Answers>>);
  const limited = operations.flatMap((methods) => Object.values(methods)).filter(({ responses }) => responses[429]);
  expect(limited.map(({ operationId }) => operationId)).toContain("analytics.refresh-target");
  for (const { operationId, responses } of limited) {
    const silent = Object.values(responses).filter(({ headers }) => !headers.RateLimit || !headers["RateLimit-Policy"]);
    expect([operationId, silent]).toEqual([operationId, []]);
  }
});

test("every endpoint module is listed once, under its own id and route", () => {
  const listed = Object.entries(routes).map(([id, { route }]) => [id, route]);
  expect(listed).toEqual(endpoints.map(({ id, spec }) => [id, spec.route]));
  expect(listed.map(([id]) => id)).toEqual(Object.keys(routes).toSorted());
});
