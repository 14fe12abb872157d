// Rotation of API keys: one successor for each key, with the lifetime that the key was made for.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { createClient, createTestAccount, createTestTenant, queryRows } from "../support/harness.ts";
import { signInMember, signInOwner } from "./dashboard.ts";

const findToken = (text: string) => text.match(/pk_[0-9a-f]{16}\.[\w-]{43}/)?.[0] ?? "";

async function setUp(expires: string) {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const keys = `/dashboard/${tenant.workspaceId}/keys`;
  await browser.visit(keys, { form: { name: "Server", expires, access: "some", permissions: "posts:read" } });
  const token = findToken((await browser.visit(keys)).text);
  const [publicId = ""] = token.split(".");
  const list = () =>
    queryRows<{ public_id: string; expires_at: string | null; permissions: string[] }>(
      sql`select public_id, expires_at, permissions from api_keys
        where scope_id = ${tenant.workspaceId} and name = 'Server' order by created_at, id`,
    );
  const daysLeft = (at: string | null) => (at ? Math.round((Date.parse(at) - Date.now()) / DAY_MS) : null);
  return { tenant, browser, keys, publicId, list, daysLeft, rotate: `${keys}/${publicId}/rotate` };
}

test.each([
  ["30", 30],
  ["90", 90],
  ["365", 365],
  ["never", null],
])("the successor of a key for %s days is for as many", async (expires, days) => {
  const { browser, list, daysLeft, rotate } = await setUp(expires);
  expect((await browser.visit(rotate, { form: {} })).status).toBe(303);
  const [old, successor] = await list();
  expect([daysLeft(old?.expires_at ?? null), daysLeft(successor?.expires_at ?? null)]).toEqual([1, days]);
  expect(successor?.permissions).toEqual(["posts:read"]);
});

test("a key of 30 days that ends soon keeps its lifetime, not its remaining days", async () => {
  const { browser, publicId, list, daysLeft, rotate } = await setUp("30");
  await queryRows(sql`update api_keys set created_at = created_at - interval '25 days',
    expires_at = expires_at - interval '25 days' where public_id = ${publicId} returning id`);
  expect((await browser.visit(rotate, { form: {} })).status).toBe(303);
  expect(daysLeft((await list())[1]?.expires_at ?? null)).toBe(30);
});

test("of four rotations at once one makes a key, and the others say that there is one", async () => {
  const { tenant, browser, keys, publicId, list, rotate } = await setUp("30");
  const pages = await Promise.all([1, 2, 3, 4].map(() => browser.visit(rotate, { form: {} })));
  expect(pages.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409]);
  for (const { text } of pages.filter(({ status }) => status === 409)) expect(text).toContain("rotated before");
  expect(await list()).toHaveLength(2);
  // The new key is shown although other rotations of it failed, and can be rotated in its turn.
  const page = await browser.visit(keys);
  const token = findToken(page.text);
  expect((await createClient(token).get("/posts")).status).toBe(200);
  expect(page.text).not.toContain(`${publicId}/rotate`);
  expect((await browser.visit(`${keys}/${token.split(".")[0]}/rotate`, { form: {} })).status).toBe(303);
  expect((await browser.visit(rotate, { form: {} })).status).toBe(409);
  const stranger = await signInOwner(await createTestTenant());
  expect((await stranger.visit(rotate, { form: {} })).status).toBe(404);
  expect((await tenant.api.get("/posts")).status).toBe(200);
});

test.each([["all"], ["read"], ["drafts"]])(
  "a key of the preset %s, limited to one account, says what it may and what it did last",
  async (access) => {
    const tenant = await createTestTenant();
    const browser = await signInOwner(tenant);
    const keys = `/dashboard/${tenant.workspaceId}/keys`;
    const [own, other] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
    const form = { name: "Agent", expires: "30", access, reach: "some", accounts: own.id };
    await browser.visit(keys, { form });
    const page = (await browser.visit(keys)).text;
    const api = createClient(findToken(page));
    expect((await api.get("/accounts")).body.data.accounts.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    const body = { caption: "Tea", accounts: [{ id: own.id }] };
    const prepared = await api.post("/posts/prepare", body);
    expect(prepared.status).toBe(access === "read" ? 403 : 201);
    expect((await api.post("/posts", body)).status).toBe(access === "all" ? 201 : 403);
    const record = (await browser.visit(keys)).text.split("<li").find((part) => part.includes("Agent")) ?? "";
    expect(record).toContain(`Only Bluesky ${own.username}`);
    expect(record).not.toContain(other.username);
    // The log has no requests that were refused for their key.
    expect(record).toContain({ all: "posts.create", read: "accounts.list", drafts: "posts.prepare" }[access]);
    expect(record).toContain({ all: "Everything", read: "Read only", drafts: "Drafts only" }[access]);
    // Its successor sees as little.
    await browser.visit(`${keys}/${findToken(page).split(".")[0]}/rotate`, { form: {} });
    const successor = createClient(findToken((await browser.visit(keys)).text));
    expect((await successor.get("/accounts")).body.data.accounts).toHaveLength(1);
    expect((await successor.post("/posts", body)).status).toBe(access === "all" ? 201 : 403);
  },
);

test("400 for a key of no account, and of an account of another workspace", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const keys = `/dashboard/${tenant.workspaceId}/keys`;
  const foreign = await createTestAccount(await createTestTenant(), "threads");
  for (const accounts of [{}, { accounts: foreign.id }] as Record<string, string>[]) {
    const form = { name: "Agent", expires: "30", access: "all", reach: "some", ...accounts };
    expect((await browser.visit(keys, { form })).status).toBe(400);
  }
});

test("404 for a key that was revoked or has ended; a key says who made it", async () => {
  const { tenant, browser, keys, publicId, rotate } = await setUp("30");
  const admin = await signInMember(tenant, "admin");
  await admin.visit(keys, { form: { name: "Other", expires: "never", access: "all" } });
  const { text } = await admin.visit(keys);
  expect(text).toContain(`Made by ${admin.email}`);
  expect(text).toContain("Made by the operator of this service");
  expect(text).not.toContain("no longer a member");
  await queryRows(sql`update api_keys set expires_at = now() where public_id = ${publicId} returning id`);
  expect((await browser.visit(rotate, { form: {} })).status).toBe(404);
});

test("an admin sees what a key sent, and nobody the requests of another workspace's key", async () => {
  const tenant = await createTestTenant();
  const [browser, viewer] = [await signInOwner(tenant), await signInMember(tenant, "editor")];
  await tenant.api.get("/posts");
  await tenant.api.get(`/posts/${newId()}`);
  const [publicId = ""] = tenant.token.split(".");
  const page = `/dashboard/${tenant.workspaceId}/keys/${publicId}/requests`;
  const { status, text } = await browser.visit(page);
  expect(status).toBe(200);
  expect(text).toMatch(/GET \/posts<[\s\S]*>200</);
  expect(text).toMatch(/GET \/posts\/\{postId\}<[\s\S]*>404<\/span> not_found/);
  expect((await viewer.visit(page)).status).toBe(403);
  const stranger = await createTestTenant();
  const [other = ""] = stranger.token.split(".");
  expect((await browser.visit(`/dashboard/${tenant.workspaceId}/keys/${other}/requests`)).status).toBe(404);
  expect((await browser.visit(`${page}?cursor=x`)).status).toBe(400);
});
