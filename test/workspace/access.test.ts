// Every page and action of the dashboard, and every operation behind it, for people who may not open it.
import { v7 as newId } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../functions/workspace/pages.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { endpoints } from "../support/requests.ts";
import { type Browser, createBrowser, ORIGIN, signInMember, signInOwner } from "./dashboard.ts";

let tenant: Tenant;
let other: Tenant;
let owner: Browser;
let viewer: Browser;
let editor: Browser;

beforeAll(async () => {
  [tenant, other] = [await createTestTenant(), await createTestTenant()];
  owner = await signInOwner(tenant);
  [viewer, editor] = [await signInMember(tenant, "viewer"), await signInMember(tenant, "editor")];
});

const RANKS = ["viewer", "editor", "admin", "owner"];

describe.each(PAGES)("$method $path", ({ method, path, role }) => {
  const fill = (workspaceId: string | null) => `/dashboard/${workspaceId}${path.replaceAll(/:\w+/g, () => newId())}`;
  const options = method === "GET" ? {} : { form: { name: "x" } };

  test("404 for another workspace and for one that does not exist", async () => {
    for (const id of [other.workspaceId, newId(), "x"]) expect((await owner.visit(fill(id), options)).status).toBe(404);
  });

  test("a signed-out browser is led to the sign-in page, and an action gets 403", async () => {
    const page = await createBrowser().visit(fill(tenant.workspaceId), options);
    expect(page.status).toBe(method === "GET" ? 302 : 403);
    if (method === "GET") expect(page.headers.get("location")).toMatch(/^\/dashboard\/sign-in\?next=/);
  });

  test("403 for a role below the least that may open it", async () => {
    for (const [browser, own] of [
      [viewer, "viewer"],
      [editor, "editor"],
    ] as const) {
      if (RANKS.indexOf(own) >= RANKS.indexOf(role)) continue;
      expect((await browser.visit(fill(tenant.workspaceId), options)).status).toBe(403);
    }
  });

  if (method !== "GET")
    test("403 without an origin and from a foreign one", async () => {
      for (const origin of [null, "https://evil.example", "null"]) {
        expect((await owner.visit(fill(tenant.workspaceId), { ...options, origin })).status).toBe(403);
      }
    });

  test("404, 400 or 409 for a record that the workspace does not have, never 500", async () => {
    const page = await owner.visit(fill(tenant.workspaceId), options);
    expect(page.status).toBeLessThan(500);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    expect(page.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style| style=| on\w+=/);
  });
});

describe.each(endpoints.filter(({ spec }) => spec.auth !== "public"))(
  "operation $id behind the dashboard",
  ({ spec, method, filled, body }) => {
    const visit = (browser: Browser, workspaceId: string | null, origin: string | null = ORIGIN) =>
      browser.visit(`/dashboard/${workspaceId}/api${filled}`, {
        method,
        ...(method === "GET" ? {} : { json: body ?? {} }),
        headers: spec.idempotent ? { "Idempotency-Key": newId() } : {},
        origin,
      });

    test("rejects other workspaces, signed-out browsers and foreign origins", async () => {
      expect((await visit(owner, other.workspaceId)).status).toBe(404);
      const signedOut = await visit(createBrowser(), tenant.workspaceId);
      expect(signedOut.status).toBe(method === "GET" ? 302 : 403);
      if (method !== "GET") expect((await visit(owner, tenant.workspaceId, "https://evil.example")).status).toBe(403);
    });

    if (!spec.permission.endsWith(":read"))
      test("403 missing_permission for a viewer", async () => {
        const page = await visit(viewer, tenant.workspaceId);
        expect([page.status, JSON.parse(page.text).error_code]).toEqual([403, "missing_permission"]);
      });
  },
);

test("403 for sign-in requests of a foreign origin, 404 for operations of the sign-in library that are not used", async () => {
  const browser = createBrowser();
  const json = { email: "a@example.com", type: "sign-in" };
  expect(
    (await browser.visit("/auth/email-otp/send-verification-otp", { json, origin: "https://evil.example" })).status,
  ).toBe(403);
  for (const path of ["/auth/update-user", "/auth/delete-user", "/auth/sign-up/email"]) {
    expect((await owner.visit(path, { json: {} })).status).toBe(404);
  }
});
