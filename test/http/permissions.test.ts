// Permissions of keys over HTTP: every permission with every operation.
import { beforeAll, describe, expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { PERMISSIONS, type Permission } from "../../lib/shared/permissions.ts";
import { type Client, createClient, createTestKey, createTestTenant } from "../support/harness.ts";
import { endpoints, headersFor } from "../support/requests.ts";

/** The subject of the operations of a family; reading needs `:read`, everything else `:write`. */
const SUBJECTS: Record<string, string> = {
  accounts: "accounts",
  posts: "posts",
  approvals: "posts",
  files: "files",
  slideshows: "content",
  templates: "content",
  packs: "content",
  folders: "content",
  editor: "editor",
  trends: "research",
  "viral-library": "research",
  analytics: "analytics",
  events: "events",
  webhooks: "webhooks",
  requests: "workspace",
  subscription: "workspace",
  "workspace-settings": "workspace",
  sandbox: "workspace",
};
/** Without it a key that writes posts writes drafts. */
const PUBLISHING = ["create", "commit", "retry", "unpublish", "edit-published"].map((verb) => `posts.${verb}`);
const operations = endpoints.filter(({ spec }) => spec.auth !== "public");
const withOne = new Map<Permission, Client>();
let withoutList: Client;

beforeAll(async () => {
  const tenant = await createTestTenant();
  withoutList = tenant.api;
  for (const permission of PERMISSIONS) {
    withOne.set(permission, createClient(await createTestKey(tenant, { permissions: [permission] })));
  }
});

const call = (client: Client | undefined, { spec, method, filled, query, body }: (typeof operations)[number]) =>
  client?.call(method, filled + query, { body, headers: headersFor(spec) });

test.each(operations)("$id needs the permission of its family and method", ({ id, spec, method }) => {
  const family = at(id.split("."), 0);
  const verb = PUBLISHING.includes(id) ? "publish" : id === "approvals.approve" ? "approve" : null;
  expect(spec.permission).toBe(`${SUBJECTS[family]}:${verb ?? (method === "GET" ? "read" : "write")}`);
});

describe.each(PERMISSIONS)("a key with %s alone", (permission) => {
  test("403 missing_permission for every other operation, naming what it needs", async () => {
    const others = operations.filter(({ spec }) => spec.permission !== permission);
    expect(others.length).toBeGreaterThan(50);
    for (const operation of others) {
      const response = await call(withOne.get(permission), operation);
      const { ok, error_code, message } = response?.body ?? {};
      expect([operation.id, response?.status, ok, error_code]).toEqual([
        operation.id,
        403,
        false,
        "missing_permission",
      ]);
      expect(message).toContain(operation.spec.permission);
    }
  });
});

test("a key without a list of permissions has all", async () => {
  for (const operation of operations) {
    const response = await call(withoutList, operation);
    expect([operation.id, response?.body.error_code]).not.toEqual([operation.id, "missing_permission"]);
  }
});
