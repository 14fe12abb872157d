// Connect links in the dashboard: made for a client, seen while they are open, and withdrawn.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createBrowser as createVisitor } from "../connect/browser.ts";
import { createTestTenant } from "../support/harness.ts";
import { signInMember, signInOwner } from "./dashboard.ts";

const FORM = { label: "Harbour Cafe", days: "7", platform: "threads" };

test("an admin makes a link, which a client opens, and withdraws it", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}`;
  expect((await owner.visit(`${base}/connect-links`, { form: FORM })).status).toBe(303);
  const made = (await owner.visit(`${base}/accounts`)).text;
  const [path = ""] = made.match(/\/connect\/[\w-]{43}/) ?? [];
  expect((await createVisitor().get(path)).text).toContain("Threads");
  const listed = (await owner.visit(`${base}/accounts`)).text;
  expect(listed).toMatch(/Harbour Cafe<\/h3>[\s\S]*Threads · made just now · ends [\s\S]*nothing connected yet/);
  expect(listed).not.toContain(path);

  const [, id = ""] = listed.match(/connect-links\/([0-9a-f-]{36})\/withdraw/) ?? [];
  expect((await owner.visit(`${base}/connect-links/${id}/withdraw`, { form: {} })).status).toBe(303);
  const after = (await owner.visit(`${base}/accounts`)).text;
  expect(after).toContain("The link is withdrawn.");
  expect(after).not.toContain("Harbour Cafe");
  expect((await createVisitor().get(path)).status).toBe(404);
});

test("400 names the field; editors see no links, and 403 makes none", async () => {
  const tenant = await createTestTenant();
  const [owner, editor] = [await signInOwner(tenant), await signInMember(tenant, "editor")];
  const action = `/dashboard/${tenant.workspaceId}/connect-links`;
  const noName = await owner.visit(action, { form: { ...FORM, label: " " } });
  expect([noName.status, noName.text.includes("whom the link is for")]).toEqual([400, true]);
  expect((await owner.visit(action, { form: { ...FORM, days: "9999" } })).status).toBe(400);
  expect((await editor.visit(action, { form: FORM })).status).toBe(403);
  expect((await editor.visit(`/dashboard/${tenant.workspaceId}/accounts`)).text).not.toContain("connect link");
});

test("a link of another workspace is not withdrawn", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const owner = await signInOwner(tenant);
  const { id } = (await other.api.post("/accounts/connect-links", {})).body.data;
  for (const linkId of [id, newId()]) {
    await owner.visit(`/dashboard/${tenant.workspaceId}/connect-links/${linkId}/withdraw`, { form: {} });
    expect((await owner.visit(`/dashboard/${tenant.workspaceId}/accounts`)).text).toContain("No connect link");
  }
  expect((await other.api.get(`/accounts/connect-links/${id}`)).body.data.status).toBe("open");
});
