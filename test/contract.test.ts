// The common contract of all endpoints, checked for each of them from its declaration.
import { v7 as newId } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import { routes } from "../functions/routes.ts";
import { getQueryErrorCode, type QueryErrorCodes } from "../lib/http/validation-errors.ts";
import { revokeKey } from "../lib/queries/tenants.ts";
import { at } from "../lib/shared/at.ts";
import { ERROR_STATUS } from "../lib/shared/errors.ts";
import { PERMISSIONS, type Permission } from "../lib/shared/permissions.ts";
import { type Client, createClient, createTestKey, createTestTenant, openTestDatabase } from "./support/harness.ts";
import { endpoints, headersFor } from "./support/requests.ts";
import { stopClock } from "./support/stop-clock.ts";

/** One key of each kind for all endpoints. */
let paid: Client;
let paidToken: string;
let expired: Client;
let revoked: Client;
/** The status of each endpoint for `revoked` before its key was revoked. */
const statusBeforeRevocation = new Map<string, number>();
/** Keys of tenants without a plan, with a canceled one and with one whose paid period has ended. */
let unpaid: Client[];
let scheduler: Client;
/** Keys with every permission but one, by the one that they lack. */
const lacking = new Map<Permission, Client>();
/** Keys with a single permission. */
const permitted = new Map<Permission, Client>();

beforeAll(async () => {
  const tenant = await createTestTenant();
  ({ api: paid, token: paidToken } = tenant);
  expired = createClient(await createTestKey(tenant, { expiresAt: new Date(Date.now() - 1000) }));
  const ended = new Date(Date.now() - 1000);
  const plans = [
    null,
    { tier: "business", status: "canceled", paidUntil: null },
    { tier: "creator", status: "active", paidUntil: ended },
  ] as const;
  unpaid = await Promise.all(plans.map(async (plan) => (await createTestTenant({ plan })).api));
  const plan = { tier: "scheduler", status: "active", paidUntil: null } as const;
  ({ api: scheduler } = await createTestTenant({ plan }));

  for (const permission of PERMISSIONS) {
    const permissions = PERMISSIONS.filter((other) => other !== permission);
    lacking.set(permission, createClient(await createTestKey(tenant, { permissions })));
    permitted.set(permission, createClient(await createTestKey(tenant, { permissions: [permission] })));
  }

  const { api, token } = await createTestTenant();
  revoked = api;
  for (const { id, spec, method, filled } of endpoints) {
    const { status } = await api.call(method, filled, { headers: headersFor(spec) });
    statusBeforeRevocation.set(id, status);
  }
  await revokeKey(openTestDatabase(), at(token.split("."), 0));
});

/** The names of a query, which may be the input of transforms. */
function listParameters(query: z.ZodType | undefined): string[] {
  const def = query?._zod.def as { type: string; in?: z.ZodType; shape?: object } | undefined;
  return def?.type === "pipe" ? listParameters(def.in) : Object.keys(def?.shape ?? {});
}

describe.each(endpoints.filter(({ spec }) => spec.auth !== "public"))(
  "$id",
  ({ id, spec, method, path, filled, body }) => {
    const headers = headersFor(spec);
    const supportsIdempotency = /^(POST|PATCH)$/.test(method);
    const takesBody = supportsIdempotency || spec.body !== undefined;

    test("401 missing_token without the header or with another scheme", async () => {
      for (const authorization of [undefined, "Basic abc"]) {
        const response = await createClient(null).call(method, filled, {
          headers: { ...headers, ...(authorization ? { Authorization: authorization } : {}) },
        });
        expect(response.status).toBe(401);
        expect(response.body).toEqual({
          ok: false,
          code: 401,
          message: expect.any(String),
          error_code: "missing_token",
        });
        expect(response.headers.get("www-authenticate")).toBe("Bearer");
      }
    });

    test("401 invalid_token for a malformed, an unknown and a wrong secret", async () => {
      const wrong = `${paidToken.slice(0, -1)}${paidToken.endsWith("A") ? "B" : "A"}`;
      for (const bad of ["nonsense", `pk_0000000000000000.${"a".repeat(43)}`, wrong]) {
        const response = await createClient(bad).call(method, filled, { headers });
        expect([response.status, response.body.error_code]).toEqual([401, "invalid_token"]);
      }
    });

    test("401 revoked_token on the next request, 401 expired_token after the expiry", async () => {
      expect(statusBeforeRevocation.get(id) ?? 401).not.toBe(401);
      for (const [api, code] of [
        [revoked, "revoked_token"],
        [expired, "expired_token"],
      ] as const) {
        const response = await api.call(method, filled, { headers });
        expect([response.status, response.body.error_code]).toEqual([401, code]);
      }
    });

    test(`${spec.noPlanStatus ?? 402} subscription_required without a paid plan, 403 tier_not_allowed for the Scheduler tier`, async () => {
      for (const api of unpaid) {
        const response = await api.call(method, filled, { headers });
        expect([response.status, response.body.error_code]).toEqual([
          spec.noPlanStatus ?? 402,
          "subscription_required",
        ]);
      }
      const response = await scheduler.call(method, filled, { headers });
      expect([response.status, response.body.error_code]).toEqual([403, "tier_not_allowed"]);
    });

    test("403 missing_permission names the permission, after the plan and before the path", async () => {
      const response = await lacking.get(spec.permission)?.call(method, path.replaceAll(/\{\w+\}/g, "x"), { headers });
      expect([response?.status, response?.body.error_code]).toEqual([403, "missing_permission"]);
      expect(response?.body.message).toContain(spec.permission);
    });

    test("a key with only this permission may call it", async () => {
      const response = await permitted.get(spec.permission)?.call(method, filled, { body, headers });
      expect(response?.body.error_code).not.toBe("missing_permission");
      expect(response?.status).not.toBe(401);
    });

    test("401 takes precedence over an invalid body, and a missing plan over an invalid id", async () => {
      const response = await createClient("nonsense").call(method, filled, {
        raw: method === "GET" ? undefined : "{",
        headers,
      });
      expect(response.status).toBe(401);
      for (const api of unpaid) {
        const lapsed = await api.call(method, path.replaceAll(/\{\w+\}/g, "x"), { headers });
        expect(lapsed.body.error_code).toBe("subscription_required");
      }
    });

    test("405 with Allow for an unsupported method", async () => {
      // No path takes every method.
      const taken = endpoints.filter((one) => one.path === path).map((one) => one.method as string);
      const other = ["PUT", "PATCH", "DELETE"].find((one) => !taken.includes(one)) ?? "";
      const response = await createClient(null).call(other, filled);
      expect([response.status, response.body.error_code]).toEqual([405, "method_not_allowed"]);
      expect(response.headers.get("allow")).toContain(method);
    });

    test("returns the caller's request id when it is well formed, else a new one", async () => {
      const mine = await createClient(null).call(method, filled, { headers: { "X-Request-Id": "job-7.A_b" } });
      expect(mine.headers.get("x-request-id")).toBe("job-7.A_b");
      for (const bad of ["no spaces", "x".repeat(129)]) {
        const response = await createClient(null).call(method, filled, { headers: { "X-Request-Id": bad } });
        expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      }
    });

    for (const [name, noun] of Object.entries(spec.params ?? {}))
      test(`400 missing_${noun}_id without the id, 404 or 422 for a malformed one`, async () => {
        const withId = (id: string) => path.replace(`{${name}}`, id).replaceAll(/\{\w+\}/g, () => newId());
        const missing = await paid.call(method, withId(""), { headers });
        expect([missing.status, missing.body.error_code]).toEqual([400, `missing_${noun}_id`]);
        for (const bad of ["not-a-uuid", "a%00b"]) {
          const malformed = await paid.call(method, withId(bad), { body, headers });
          expect([404, 422]).toContain(malformed.status);
        }
      });

    if (path.includes("{"))
      test("404 for an unknown id", async () => {
        expect((await paid.call(method, filled, { body, headers })).status).toBe(404);
      });

    if (takesBody)
      test("400 invalid_json, 413 payload_too_large and 422 for unknown keys and NUL", async () => {
        const broken = await paid.call(method, filled, { raw: '{"a":', headers });
        expect([broken.status, broken.body.error_code]).toEqual([400, "invalid_json"]);
        const large = await paid.call(method, filled, { raw: JSON.stringify({ a: "x".repeat(1024 * 1024) }), headers });
        expect([large.status, large.body.error_code]).toEqual([413, "payload_too_large"]);
        const unknown = await paid.call(method, filled, { body: { no_such_field: 1 }, headers });
        expect([unknown.status, unknown.body.error_code]).toEqual([422, "invalid_payload"]);
        expect(listErrorPaths(unknown.body)).toContain("no_such_field");
        const nul = await paid.call(method, filled, { raw: '{"no_such_field": "a\\u0000b"}', headers });
        expect(nul.status).toBe(422);
      });

    test("rejects unknown query keys, except in the two lists that ignore them", async () => {
      const response = await paid.call(method, `${filled}?no_such_key=1`, {
        body: method === "GET" ? undefined : {},
        headers,
      });
      const ignored = ["posts.list", "accounts.list"].includes(id);
      expect(response.status).toBe(ignored ? 200 : getBadQueryStatus(spec.queryError));
      if (!ignored) expect(response.body.issues.fieldErrors).toHaveProperty("no_such_key");
    });

    if (spec.limits)
      test("422 reports the remaining quota of every limit and consumes none", async () => {
        stopClock();
        const send = () => paid.call(method, `${filled}?no_such_key=1`, { body, headers });
        const [first, second] = [await send(), await send()];
        expect(
          first.headers
            .get("ratelimit-policy")
            ?.split(", ")
            .map((policy) => policy.split('"')[1]),
        ).toEqual(spec.limits);
        // Other tests consume the shared limits too.
        const left = (response: typeof first) => response.headers.get("ratelimit")?.match(/"\w+(?<!_shared)";r=\d+/g);
        expect(left(second)).toEqual(left(first));
      });

    if (spec.ownLimit)
      test("401, 403, 404 and 422 report the policy of the limit, and what is left where every record has the same", async () => {
        const responses = await Promise.all([
          createClient(null).call(method, filled, { headers }),
          scheduler.call(method, filled, { headers }),
          paid.call(method, path.replaceAll(/\{\w+\}/g, "x"), { body, headers }),
          paid.call(method, `${filled}?no_such_key=1`, { body, headers }),
        ]);
        expect(responses.map(({ status }) => status)).toEqual([401, 403, 404, getBadQueryStatus(spec.queryError)]);
        for (const response of responses)
          expect(response.headers.get("ratelimit-policy")).toMatch(/^"\w+";q=\d+;w=\d+$/);
        const left = responses.map((response) => response.headers.has("ratelimit"));
        const isKnown = spec.ownLimit?.peek !== undefined;
        expect(left).toEqual([false, false, isKnown, isKnown]);
      });

    const parameters = listParameters(spec.query);
    if (parameters.length > 0)
      test("rejects NUL in a query and repeated parameters", async () => {
        for (const name of parameters) {
          expect((await paid.get(`${filled}?${name}=a%00b`)).status).toBeLessThan(500);
          const { body } = await paid.get(`${filled}?${name}=1&${name}=1`);
          if (!body.ok && body.issues?.fieldErrors[name]) expect(body.issues.fieldErrors[name][0]).toContain("once");
        }
      });

    if (supportsIdempotency)
      test("400 invalid_request for an Idempotency-Key that is too long", async () => {
        const response = await paid.call(method, filled, { body: {}, headers: { "Idempotency-Key": "k".repeat(256) } });
        expect([response.status, response.body.error_code]).toEqual([400, "invalid_request"]);
      });

    if (spec.idempotent === "required")
      test("400 invalid_request without an Idempotency-Key", async () => {
        const response = await paid.call(method, filled, { body: {} });
        expect([response.status, response.body.error_code]).toEqual([400, "invalid_request"]);
      });
  },
);

function getBadQueryStatus(bad: QueryErrorCodes | undefined): number {
  const { code, status } = getQueryErrorCode([], bad);
  return status ?? ERROR_STATUS[code];
}

/** The paths of the field errors, in either of the two formats. */
function listErrorPaths(body: {
  fields?: { path: string }[];
  issues?: { fieldErrors: Record<string, string[]> };
}): string[] {
  return body.fields ? body.fields.map(({ path }) => path) : Object.keys(body.issues?.fieldErrors ?? {});
}

test.each([
  ["GET", "/posts/prepare", "POST"],
  ["PATCH", "/posts/delete", "POST"],
  ["DELETE", "/files/multipart", "POST"],
  ["GET", "/slideshows/generate", "POST"],
  ["DELETE", "/posts", "GET, HEAD, POST"],
])("405 %s %s: a literal path is not an id", async (method, path, allowed) => {
  const response = await paid.call(method, path);
  expect([response.status, response.body.error_code]).toEqual([405, "method_not_allowed"]);
  expect(response.headers.get("allow")?.split(", ").toSorted().join(", ")).toBe(allowed);
});

test("404 route_not_found for a route that does not exist", async () => {
  const response = await createClient(null).get("/no/such/route");
  expect(response.status).toBe(404);
  expect(response.body).toMatchObject({ ok: false, code: 404, error_code: "route_not_found" });
  expect(response.body).not.toHaveProperty("data");
});

test("every endpoint module is registered once, under its own id and route", () => {
  const listed = Object.entries(routes).map(([id, { route }]) => [id, route]);
  expect(listed).toEqual(endpoints.map(({ id, spec }) => [id, spec.route]));
  expect(listed.map(([id]) => id)).toEqual(Object.keys(routes).toSorted());
});
