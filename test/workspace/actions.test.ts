// Actions of people in the dashboard, and the row that each leaves in the audit log.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { listAuditEntries } from "../../lib/queries/audit.ts";
import { createClient, createTestAccount, createTestTenant, openTestDatabase } from "../support/harness.ts";
import { readMail, signIn, signInMember, signInOwner } from "./dashboard.ts";

const listActions = async (scopeId: string | null) =>
  (await listAuditEntries(openTestDatabase(), scopeId ?? "", { limit: 50 })).map(
    ({ action, actorKind }) => `${actorKind} ${action}`,
  );

const findToken = (text: string) => text.match(/pk_[0-9a-f]{16}\.[\w-]{43}/)?.[0] ?? "";

test("a key is created with permissions, shown once, rotated with an overlap, and revoked", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const keys = `/dashboard/${tenant.workspaceId}/keys`;
  const form = new URLSearchParams({ name: "Server", expires: "30", access: "some", permissions: "posts:read" });
  expect((await browser.visit(keys, { form })).status).toBe(303);
  const token = findToken((await browser.visit(keys)).text);
  expect(findToken((await browser.visit(keys)).text)).toBe("");
  const api = createClient(token);
  expect((await api.get("/posts")).status).toBe(200);
  expect((await api.get("/accounts")).body.error_code).toBe("missing_permission");
  expect((await browser.visit(keys)).text).toContain("last used just now");

  const [publicId] = token.split(".");
  expect((await browser.visit(`${keys}/${publicId}/rotate`, { form: {} })).status).toBe(303);
  const rotated = createClient(findToken((await browser.visit(keys)).text));
  for (const client of [api, rotated]) expect((await client.get("/posts")).status).toBe(200);
  expect((await rotated.get("/accounts")).body.error_code).toBe("missing_permission");

  expect((await browser.visit(`${keys}/${publicId}/revoke`, { form: {} })).status).toBe(303);
  expect((await api.get("/posts")).body.error_code).toBe("revoked_token");
  expect((await browser.visit(`${keys}/${publicId}/revoke`, { form: {} })).status).toBe(404);
  const log = await listActions(tenant.workspaceId);
  expect(log).toEqual(["member keys.revoke", "member keys.rotate", "member keys.rotate", "member keys.create"]);
});

test("404 for the key of another workspace", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const browser = await signInOwner(tenant);
  const [publicId] = other.token.split(".");
  for (const action of ["revoke", "rotate"]) {
    const page = await browser.visit(`/dashboard/${tenant.workspaceId}/keys/${publicId}/${action}`, { form: {} });
    expect(page.status).toBe(404);
  }
  expect((await other.api.get("/posts")).status).toBe(200);
});

test("an invited person signs in, accepts, and sees the workspace until removed", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const members = `/dashboard/${tenant.workspaceId}/members`;
  const email = `${newId()}@example.com`;
  expect((await browser.visit(members, { form: { email, role: "editor" } })).status).toBe(303);
  expect((await readMail(email))?.text).toContain("as editor");

  const guest = await signIn(email);
  const start = await guest.visit("/dashboard");
  expect(start.text).not.toContain("You are not a member of any workspace");
  const [, id = ""] = start.text.match(/invitations\/([0-9a-f-]{36})\/accept/) ?? [];
  const stranger = await signInMember(tenant, "viewer");
  expect((await stranger.visit(`/dashboard/invitations/${id}/accept`, { form: {} })).status).toBe(404);
  const accepted = await guest.visit(`/dashboard/invitations/${id}/accept`, { form: {} });
  expect(accepted.headers.get("location")).toBe(`/dashboard/${tenant.workspaceId}/queue`);
  expect((await guest.visit(`/dashboard/${tenant.workspaceId}/queue`)).status).toBe(200);

  // The first page says that the invitation is sent.
  await browser.visit(members);
  const list = await browser.visit(members);
  const own = list.text.slice(list.text.indexOf(email));
  const [, memberId = ""] = own.match(/members\/([0-9a-f-]{36})\/remove/) ?? [];
  expect((await browser.visit(`${members}/${memberId}/role`, { form: { role: "viewer" } })).status).toBe(303);
  expect((await guest.visit(`/dashboard/${tenant.workspaceId}/compose`)).status).toBe(403);
  expect((await browser.visit(`${members}/${memberId}/remove`, { form: {} })).status).toBe(303);
  expect((await guest.visit(`/dashboard/${tenant.workspaceId}/queue`)).status).toBe(404);
  const log = await listActions(tenant.workspaceId);
  expect(log.slice(0, 3)).toEqual(["member members.remove", "member members.change-role", "member members.accept"]);
});

test("a draft of the dashboard is committed, shown in the queue, moved and canceled", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const browser = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}`;
  const post = {
    caption: "From the dashboard",
    accounts: [{ id: account.id }],
    scheduled_at: new Date(Date.now() + 3e6).toISOString(),
  };
  const prepared = await browser.visit(`${base}/api/posts/prepare`, { json: post });
  const { id, plan_hash, metadata } = JSON.parse(prepared.text).data;
  expect(metadata.source).toBe("dashboard");
  expect((await browser.visit(`${base}/compose?draft=${id}`)).text).toContain("From the dashboard");
  expect((await browser.visit(`${base}/api/posts/${id}/commit`, { json: { plan_hash } })).status).toBe(200);
  const queue = await browser.visit(`${base}/queue?source=dashboard`);
  expect(queue.text).toContain("From the dashboard");
  expect((await browser.visit(`${base}/queue?source=partner_api`)).text).toContain("No post matches");
  expect((await browser.visit(`${base}/posts/${id}/reschedule`, { form: { at: "2031-01-02T10:30" } })).status).toBe(
    303,
  );
  const moved = await browser.visit(`${base}/posts/${id}`);
  expect(moved.text).toContain("The post is moved.");
  expect(moved.text).toContain("2 Jan 2031, 10:30");
  expect((await browser.visit(`${base}/calendar?month=2031-01`)).text).toContain("From the dashboard");
  await browser.visit(`${base}/posts/${id}/delete`, { form: {} });
  expect((await browser.visit(`${base}/posts/${id}`)).status).toBe(404);
  expect(await listActions(tenant.workspaceId)).toEqual(
    ["posts.delete", "posts.update", "posts.commit", "posts.prepare"].map((action) => `member ${action}`),
  );
});
