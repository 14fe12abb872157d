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

test("a network that asks nothing here is opened at once, and the accounts page names what was connected", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}`;
  const visitor = createVisitor();
  const press = async (platform: string) => {
    const { status, headers } = await owner.visit(`${base}/accounts/connect`, { form: { platform } });
    return { status, path: new URL(headers.get("location") ?? "").pathname };
  };
  const { status, path } = await press("instagram");
  expect(status).toBe(307);
  // The browser sends its form on.
  const leaving = await visitor.post(path, [["platform", "instagram"]]);
  expect(leaving.text).toContain("Opening Instagram");
  // Bluesky asks for the handle, and LinkedIn for a profile or a page.
  for (const platform of ["bluesky", "linkedin"]) expect((await press(platform)).status).toBe(303);

  const done = await visitor.connect(path, "instagram", { accounts: ["harbour.cafe"] });
  const [, id = ""] = done.text.match(/connect_link_id=([0-9a-f-]{36})/) ?? [];
  expect((await owner.visit(`${base}/accounts?connect_link_id=${id}`)).text).toContain(
    "Connected: Instagram harbour.cafe.",
  );
  const other = await createTestTenant();
  const stranger = await signInOwner(other);
  const elsewhere = await stranger.visit(`/dashboard/${other.workspaceId}/accounts?connect_link_id=${id}`);
  expect(elsewhere.text).not.toContain("harbour.cafe");
});
