// A person who is removed or gets a smaller role: whatever they made that opens the workspace to others ends in the same statement.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createBrowser as createVisitor } from "../connect/browser.ts";
import { createClient, createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { type Browser, createBrowser, readMail, signIn, signInMember, signInOwner } from "./dashboard.ts";

const findToken = (text: string) => text.match(/pk_[0-9a-f]{16}\.[\w-]{43}/)?.[0] ?? "";

async function requestApproval(tenant: Tenant, browser: Browser) {
  const account = await createTestAccount(tenant, "bluesky");
  const base = `/dashboard/${tenant.workspaceId}`;
  const json = {
    caption: "Look",
    accounts: [{ id: account.id }],
    scheduled_at: new Date(Date.now() + 3e6).toISOString(),
  };
  const { id } = JSON.parse((await browser.visit(`${base}/api/posts/prepare`, { json })).text).data;
  expect((await browser.visit(`${base}/posts/${id}/approvals`, { form: { recipient: "Ann", days: "7" } })).status).toBe(
    303,
  );
  const link = (await browser.visit(`${base}/posts/${id}`)).text.match(/\/approve\/[\w-]{43}/)?.[0] ?? "";
  return {
    path: `${base}/posts/${id}`,
    link,
    readStatus: async () => (await tenant.api.get(`/posts/${id}`)).body.data.status,
  };
}

/** What an admin may make: an approval link, an invitation, a connect link and two keys. */
async function setUp() {
  const tenant = await createTestTenant();
  const [owner, admin] = [await signInOwner(tenant), await signInMember(tenant, "admin")];
  const base = `/dashboard/${tenant.workspaceId}`;
  const approval = await requestApproval(tenant, admin);
  const email = `${newId()}@example.com`;
  expect((await admin.visit(`${base}/members`, { form: { email, role: "admin" } })).status).toBe(303);
  const made = await admin.visit(`${base}/api/accounts/connect-links`, { json: {} });
  const connectPath = new URL(JSON.parse(made.text).data.url).pathname;
  const tokens: string[] = [];
  for (const name of ["Server", "Laptop"]) {
    await admin.visit(`${base}/keys`, { form: { name, expires: "30", access: "all" } });
    tokens.push(findToken((await admin.visit(`${base}/keys`)).text));
  }
  const member = `${base}/members/${admin.id}`;
  return { tenant, owner, admin, base, member, approval, email, connectPath, tokens };
}

type World = Awaited<ReturnType<typeof setUp>>;

async function readAccess({ approval, email, connectPath, tokens }: World) {
  const guest = await signIn(email).catch(() => null);
  return {
    approval: (await createBrowser().visit(approval.link)).status,
    invitation: guest !== null && (await guest.visit("/dashboard")).text.includes("You are invited"),
    connect: (await createVisitor().get(connectPath)).status,
    keys: await Promise.all(tokens.map(async (token) => (await createClient(token).get("/posts")).status)),
  };
}

test("a removed member leaves no open link, no invitation, and the keys that the remover chose", async () => {
  const world = await setUp();
  const { tenant, owner, admin, base, member, approval, tokens } = world;
  expect(await readAccess(world)).toEqual({ approval: 200, invitation: true, connect: 200, keys: [200, 200] });
  const page = await owner.visit(`${member}/remove`);
  expect(page.text).toContain(`Remove ${admin.email}`);
  for (const token of tokens) expect(page.text).toContain(`value="${token.split(".")[0]}" checked`);

  const form = new URLSearchParams({ revoke: tokens[0]?.split(".")[0] ?? "" });
  expect((await owner.visit(`${member}/remove`, { form })).status).toBe(303);
  const text = (await owner.visit(`${base}/members`)).text;
  expect(text).toContain("1 approval link, 1 connect link, 1 invitation, and 1 API key ended.");
  expect(await readAccess(world)).toEqual({ approval: 410, invitation: false, connect: 404, keys: [401, 200] });
  const decided = await createBrowser().visit(approval.link, { form: { decision: "comment", comment: "too late" } });
  expect([decided.status, await approval.readStatus()]).toEqual([410, "draft"]);
  expect((await readMail(admin.email))?.subject).not.toContain("wants a post changed");
  expect((await owner.visit(`${base}/keys`)).text).toMatch(
    new RegExp(`Made by ${admin.email}, who is no longer a member`),
  );
  const nouns = await queryRows<{ noun: string }>(
    sql`select noun from audit_log where scope_id = ${tenant.workspaceId} and action = 'members.remove' order by noun`,
  );
  expect(nouns.map(({ noun }) => noun)).toEqual([
    "api_keys",
    "approval_links",
    "connect_links",
    "invitations",
    "members",
  ]);
});

test.each([
  ["admin", { approval: 200, invitation: true, connect: 200, keys: [200, 200] }],
  ["editor", { approval: 200, invitation: false, connect: 404, keys: [200, 200] }],
  ["viewer", { approval: 410, invitation: false, connect: 404, keys: [200, 200] }],
])("an admin who is now %s keeps what this role may make, and the keys are named", async (role, access) => {
  const world = await setUp();
  const { owner, member, base } = world;
  expect((await owner.visit(`${member}/role`, { form: { role } })).status).toBe(303);
  const { text } = await owner.visit(`${base}/members`);
  expect(text.includes("still work: Server, Laptop. Revoke them under API keys.")).toBe(role !== "admin");
  expect(await readAccess(world)).toEqual(access);
});

test("a link or an invitation that was made while its author lost the role opens nothing", async () => {
  const world = await setUp();
  const { tenant, admin, approval, email } = world;
  await queryRows(sql`update members set role = 'viewer' where owner_id = ${admin.id} returning id`);
  expect((await createBrowser().visit(approval.link)).status).toBe(410);
  const guest = await signIn(email);
  const [, id = ""] = (await guest.visit("/dashboard")).text.match(/invitations\/([0-9a-f-]{36})\/accept/) ?? [];
  expect((await guest.visit(`/dashboard/invitations/${id}/accept`, { form: {} })).status).toBe(404);
  expect((await guest.visit(`/dashboard/${tenant.workspaceId}/queue`)).status).toBe(404);
});

test("links of other members, and of the same person in another workspace, stay open", async () => {
  const world = await setUp();
  const { tenant, owner, admin, member } = world;
  const other = await createTestTenant();
  await queryRows(
    sql`insert into members (workspace_id, owner_id, role) values (${other.workspaceId}, ${admin.id}, 'admin') returning id`,
  );
  const [elsewhere, byOwner] = [await requestApproval(other, admin), await requestApproval(tenant, owner)];
  expect((await owner.visit(`${member}/remove`, { form: { revoke: other.token.split(".")[0] ?? "" } })).status).toBe(
    303,
  );
  for (const { link } of [elsewhere, byOwner]) expect((await createBrowser().visit(link)).status).toBe(200);
  for (const key of [other.api, tenant.api]) expect((await key.get("/posts")).status).toBe(200);
});

test("an approval link is withdrawn by an editor, once, and shows the post to nobody", async () => {
  const { tenant, owner, approval } = await setUp();
  const { path, link, readStatus } = approval;
  const [, action = ""] = (await owner.visit(path)).text.match(/action="([^"]+\/withdraw)"/) ?? [];
  const viewer = await signInMember(tenant, "viewer");
  expect((await viewer.visit(path)).text).not.toContain("/withdraw");
  expect((await viewer.visit(action, { form: {} })).status).toBe(403);
  const stranger = await signInOwner(await createTestTenant());
  expect((await stranger.visit(action, { form: {} })).status).toBe(404);
  expect((await owner.visit(action.replace(/posts\/[^/]+/, `posts/${newId()}`), { form: {} })).status).toBe(404);
  expect((await createBrowser().visit(link)).status).toBe(200);
  expect((await owner.visit(action, { form: {} })).status).toBe(303);
  expect((await owner.visit(action, { form: {} })).status).toBe(404);
  expect((await createBrowser().visit(link)).status).toBe(410);
  expect((await createBrowser().visit(link, { form: { decision: "approve" } })).status).toBe(410);
  expect(await readStatus()).toBe("draft");
  const { text } = await owner.visit(path);
  expect(text).toContain("the link is withdrawn");
  expect(text).not.toContain("/withdraw");
});

test("409 for oneself with the id in any case, and the owner stays", async () => {
  const { tenant, owner, admin, base } = await setUp();
  for (const id of [admin.id, admin.id.toUpperCase()]) {
    expect((await admin.visit(`${base}/members/${id}/remove`)).status).toBe(409);
    expect((await admin.visit(`${base}/members/${id}/remove`, { form: {} })).status).toBe(409);
    expect((await admin.visit(`${base}/members/${id}/role`, { form: { role: "viewer" } })).status).toBe(409);
  }
  const ownerPath = `${base}/members/${tenant.ownerId.toUpperCase()}`;
  expect((await admin.visit(`${ownerPath}/remove`, { form: {} })).status).toBe(404);
  expect((await admin.visit(`${ownerPath}/role`, { form: { role: "viewer" } })).status).toBe(404);
  expect((await owner.visit(`${base}/queue`)).status).toBe(200);
});
