// Grants of test mode: chosen at the consent, kept by refreshes, and apart from what a grant of live mode reaches.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { DRAFT_PERMISSIONS } from "../../lib/shared/permissions.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { connectAgent } from "../mcp/agent.ts";
import {
  createClient,
  createTestAccount,
  createTestTenant,
  queryRows,
  type TenantOptions,
} from "../support/harness.ts";
import { createTestMode } from "../support/test-mode.ts";
import { createBrowser, ORIGIN, signInMember, signInOwner } from "../workspace/dashboard.ts";
import { consent, createProgram, exchange, readConsent, refresh, startAttempt } from "./flow.ts";

const SCOPE = `${DRAFT_PERMISSIONS.join(" ")} posts:publish workspace:write`;

const codeOf = async (token: string) => (await createClient(token).get("/accounts")).body.error_code;

/** A workspace whose owner has given the same program a grant of each mode. */
async function createBoth(options: TenantOptions = {}) {
  const tenant = await createTestTenant(options);
  const account = await createTestAccount(tenant, "bluesky");
  const mode = await createTestMode(tenant);
  const [browser, program] = [await signInOwner(tenant), await createProgram()];
  const give = async (workspace: string) => {
    const attempt = await startAttempt(program, { scope: SCOPE });
    attempt.path += `&workspace=${workspace}`;
    const address = await consent(browser, attempt);
    return { attempt, address, ...(await exchange(program, attempt, address)) };
  };
  const live = await give(tenant.workspaceId ?? tenant.ownerId);
  return { tenant, account, mode, browser, program, live, test: await give(mode.scopeId) };
}

test("the consent begins in live mode, and offers the test mode of the workspace with its accounts", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const [browser, program] = [await signInOwner(tenant), await createProgram()];
  const attempt = await startAttempt(program);
  expect((await browser.visit(attempt.path)).text).not.toContain("publishes nothing");
  const mode = await createTestMode(tenant);
  const first = await browser.visit(attempt.path);
  expect(first.text).toContain("test mode: publishes nothing");
  expect(readConsent(first.text).form.get("workspace")).toBe(tenant.workspaceId);
  expect(readConsent(first.text).accounts).toEqual([account.id]);
  const second = readConsent((await browser.visit(`${attempt.path}&workspace=${mode.scopeId}`)).text);
  expect(second.form.get("workspace")).toBe(mode.scopeId);
  const ids = virtualAccounts(mode.scopeId).map(({ id }) => id);
  expect(second.accounts.toSorted()).toEqual(ids.toSorted());
});

test.each([
  ["workspace", {}],
  ["person", { personal: true }],
])("a grant of a %s reaches its mode alone, over the API and as tools", async (_, options) => {
  const { account, mode, live, test: given } = await createBoth(options);
  const virtual = virtualAccounts(mode.scopeId).find(({ platform }) => platform === "bluesky")?.id ?? "";
  const clients = { live: createClient(live.access_token), test: createClient(given.access_token) };
  const draft = async (name: "live" | "test", id: string) =>
    (await clients[name].post("/posts/prepare", { caption: "Tea", accounts: [{ id }] })).body.data.id;
  const posts = { live: await draft("live", account.id), test: await draft("test", virtual) };
  for (const [name, other] of [
    ["live", "test"],
    ["test", "live"],
  ] as const) {
    expect((await clients[name].get(`/posts/${posts[name]}`)).status).toBe(200);
    const foreign = await clients[name].get(`/posts/${posts[other]}`);
    expect([foreign.status, foreign.body.error_code]).toEqual([404, "not_found"]);
    expect((await clients[name].patch(`/posts/${posts[other]}`, { caption: "Mine" })).status).toBe(404);
    const token = name === "live" ? live.access_token : given.access_token;
    const agent = await connectAgent(token);
    const listed = await agent.callTool({ name: "list_accounts", arguments: {} });
    const { accounts } = listed.structuredContent as { accounts: { id: string }[] };
    expect(accounts.map(({ id }) => id).includes(virtual)).toBe(name === "test");
    expect(accounts.map(({ id }) => id).includes(account.id)).toBe(name === "live");
    const read = await agent.callTool({ name: "get_post", arguments: { post_id: posts[other] } });
    expect(read.isError).toBe(true);
  }
  const moved = await clients.test.post("/sandbox/advance", { seconds: 60 });
  expect(moved.status).toBe(200);
  const refused = await clients.live.post("/sandbox/advance", { seconds: 60 });
  expect([refused.status, refused.body.error_code]).toEqual([403, "test_key_required"]);
});

test("refreshed tokens keep the mode, also after a reset and by a clock that is far ahead", async () => {
  const { mode, program, test: given } = await createBoth();
  await createClient(given.access_token).post("/sandbox/advance", { seconds: 300 * 86_400 });
  const next = await refresh(program, given.refresh_token ?? "");
  const { body } = await createClient(next.access_token).get("/accounts");
  expect(body.data.accounts).toHaveLength(virtualAccounts(mode.scopeId).length);
  await createClient(next.access_token).post("/sandbox/reset");
  const last = await refresh(program, next.refresh_token ?? "");
  expect((await createClient(last.access_token).post("/sandbox/advance", { seconds: 1 })).status).toBe(200);
});

test("a used refresh token and a replayed code end the grant of test mode, and not that of live mode", async () => {
  const { program, live, test: given } = await createBoth();
  await refresh(program, given.refresh_token ?? "");
  await queryRows(sql`update grant_refresh_tokens set used_at = used_at - interval '2 minutes'
    where public_id = ${given.refresh_token?.split(".")[0]}`);
  await expect(refresh(program, given.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  expect(await codeOf(given.access_token)).toBe("revoked_token");
  expect(await codeOf(live.access_token)).toBeUndefined();
  const other = await createBoth();
  await expect(exchange(other.program, other.test.attempt, other.test.address)).rejects.toMatchObject({
    error: "invalid_grant",
  });
  expect(await codeOf(other.test.access_token)).toBe("revoked_token");
});

test("Connected apps of each mode has its own grants, valid by real time, and ends them", async () => {
  const { tenant, mode, browser, live, test: given } = await createBoth();
  await createClient(given.access_token).post("/sandbox/advance", { seconds: 300 * 86_400 });
  const find = async (workspace: string | null) =>
    /\/dashboard\/[^"]+\/grants\/gr_[0-9a-f]{16}\/end/.exec(
      (await browser.visit(`/dashboard/${workspace}/grants`)).text,
    )?.[0];
  const [ofLive, ofTest] = [await find(tenant.workspaceId), await find(mode.scopeId)];
  expect(ofTest).toContain(mode.scopeId);
  expect(ofLive).not.toBe(ofTest);
  const foreign = ofTest?.replace(mode.scopeId, tenant.workspaceId ?? "") ?? "";
  expect((await browser.visit(foreign, { form: {} })).status).toBe(404);
  expect((await browser.visit(ofTest ?? "", { form: {} })).status).toBe(303);
  expect(await codeOf(given.access_token)).toBe("revoked_token");
  expect(await codeOf(live.access_token)).toBeUndefined();
});

test("a grant of test mode ends when the admin who gave it is none any more, even with a code that waits", async () => {
  const tenant = await createTestTenant();
  const mode = await createTestMode(tenant);
  const [owner, admin, program] = [
    await signInOwner(tenant),
    await signInMember(tenant, "admin"),
    await createProgram(),
  ];
  const start = async () => {
    const attempt = await startAttempt(program);
    attempt.path += `&workspace=${mode.scopeId}`;
    return { attempt, address: await consent(admin, attempt) };
  };
  const [first, waiting] = [await start(), await start()];
  const tokens = await exchange(program, first.attempt, first.address);
  expect(await codeOf(tokens.access_token)).toBeUndefined();
  const changed = await owner.visit(`/dashboard/${tenant.workspaceId}/members/${admin.id}/role`, {
    form: { role: "editor" },
  });
  expect(changed.status).toBe(303);
  expect(await codeOf(tokens.access_token)).toBe("revoked_token");
  await expect(exchange(program, waiting.attempt, waiting.address)).rejects.toMatchObject({ error: "invalid_grant" });
});

test("the deployment of a branch offers test mode alone, and takes no other consent", async () => {
  const tenant = await createTestTenant();
  const [owner, program] = [await signInOwner(tenant), await createProgram()];
  const branch = createBrowser(ORIGIN, { ENVIRONMENT: "preview" });
  for (const [name, value] of owner.cookies) branch.cookies.set(name, value);
  const attempt = await startAttempt(program);
  const without = await branch.visit(attempt.path);
  expect([without.status, without.text.includes("test mode only")]).toEqual([403, true]);
  const mode = await createTestMode(tenant);
  const page = await branch.visit(attempt.path);
  expect(page.text).toContain("in test mode, which publishes nothing");
  const { form } = readConsent(page.text);
  expect(form.get("workspace")).toBe(mode.scopeId);
  form.set("workspace", tenant.workspaceId ?? "");
  expect((await branch.visit(attempt.path, { form })).status).toBe(404);
  const { access_token } = await exchange(program, attempt, await consent(branch, attempt));
  const env = { ENVIRONMENT: "preview", PUBLIC_URL: ORIGIN };
  expect((await createClient(access_token).get("/accounts", { env })).status).toBe(200);
});
