// The ways in which people end the access of an app, each seen by its next request.

import { sql } from "drizzle-orm";
import * as oauth from "oauth4webapi";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { enqueueDueWebhooks } from "../../functions/cron/webhooks.ts";
import { removeEndedTokens } from "../../lib/oauth/cleanup.ts";
import { listCredentials } from "../../lib/queries/operated-tenants.ts";
import { revokeKey, savePlan } from "../../lib/queries/tenants.ts";
import {
  type Client,
  createClient,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
} from "../support/harness.ts";
import { createSender, createTestWebhook, listReceived, moveAccount, send } from "../webhooks/receiver.ts";
import { createBrowser, signIn, signInMember, signInOwner } from "../workspace/dashboard.ts";
import { consent, createGranted, createProgram, exchange, PUBLIC, readConsent, refresh, startAttempt } from "./flow.ts";

const codeOf = async (token: string) => (await createClient(token).get("/accounts")).body.error_code;

test("an admin sees the app under Connected apps, with what it may do and did, and ends its access", async () => {
  const { tenant, browser, accessToken } = await createGranted({ scope: "accounts:read posts:read" }, {}, (own) =>
    createTestAccount(own, "bluesky"),
  );
  await createClient(accessToken).get("/accounts");
  const path = `/dashboard/${tenant.workspaceId}/grants`;
  const page = (await browser.visit(path)).text;
  for (const text of [
    "Test client",
    "client.example",
    "accounts:read, posts:read",
    "Only Bluesky",
    "accounts.list",
    "Consent of",
  ])
    expect(page).toContain(text);
  const [end = ""] = /\/dashboard\/[^"]+\/grants\/gr_[0-9a-f]{16}\/end/.exec(page) ?? [];
  const stranger = await signInOwner(await createTestTenant());
  expect((await stranger.visit(end, { form: {} })).status).toBe(404);
  expect((await (await signInMember(tenant, "editor")).visit(end, { form: {} })).status).toBe(403);
  expect((await browser.visit(end, { form: {}, origin: "https://evil.example" })).status).toBe(403);
  expect(await codeOf(accessToken)).toBeUndefined();
  expect((await browser.visit(end, { form: {} })).status).toBe(303);
  expect(await codeOf(accessToken)).toBe("revoked_token");
  expect((await browser.visit(end, { form: {} })).status).toBe(404);
  expect((await browser.visit(path)).text).toContain("revoked");
  const audit = (await browser.visit(`/dashboard/${tenant.workspaceId}/audit`)).text;
  expect(audit).toContain("let an app use the workspace");
  expect(audit).toContain("ended the access of an app");
});

/** A grant of an admin who is not the owner. */
async function createAdminGrant() {
  const tenant = await createTestTenant();
  const admin = await signInMember(tenant, "admin");
  const program = await createProgram();
  const attempt = await startAttempt(program);
  const address = await consent(admin, attempt);
  return { tenant, admin, program, attempt, address, owner: await signInOwner(tenant) };
}

test.each([
  ["removed", "remove", {}],
  ["made an editor", "role", { role: "editor" }],
])(
  "the access of an app ends when the admin who gave it is %s, even with a code that is not exchanged yet",
  async (_, step, form) => {
    const { tenant, admin, program, attempt, address, owner } = await createAdminGrant();
    const later = await startAttempt(program);
    const laterAddress = await consent(admin, later);
    const tokens = await exchange(program, attempt, address);
    expect(await codeOf(tokens.access_token)).toBeUndefined();
    const done = await owner.visit(`/dashboard/${tenant.workspaceId}/members/${admin.id}/${step}`, { form });
    expect(done.status).toBe(303);
    expect((await owner.visit(`/dashboard/${tenant.workspaceId}/members`)).text).toContain("2 connected apps");
    expect(await codeOf(tokens.access_token)).toBe("revoked_token");
    await expect(refresh(program, tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(exchange(program, later, laterAddress)).rejects.toMatchObject({ error: "invalid_grant" });
    expect([403, 404]).toContain((await admin.visit(later.path)).status);
  },
);

test("a plan that has ended is 402, and its grant can still be refreshed and ended", async () => {
  const { tenant, program, accessToken, refreshToken } = await createGranted();
  await savePlan(openTestDatabase(), tenant, newId(), { tier: "creator", status: "canceled", paidUntil: null });
  expect(await codeOf(accessToken)).toBe("subscription_required");
  const next = await refresh(program, refreshToken);
  expect(await codeOf(next.access_token)).toBe("subscription_required");
});

test("only owners and admins consent, to their own workspaces and accounts, within what was asked", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const [own, foreign] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(other, "bluesky")];
  const program = await createProgram();
  const attempt = await startAttempt(program, { scope: "accounts:read posts:read" });
  expect((await (await signInMember(tenant, "editor")).visit(attempt.path)).status).toBe(403);
  const browser = await signInOwner(tenant);
  const { form } = readConsent((await browser.visit(attempt.path)).text);
  expect(form.getAll("accounts")).toEqual([own.id]);
  const send = async (changes: Record<string, string>, origin?: string | null) => {
    const changed = new URLSearchParams(form);
    for (const [name, value] of Object.entries(changes)) changed.set(name, value);
    const visit = origin === undefined ? { form: changed } : { form: changed, origin };
    return (await browser.visit(attempt.path, visit)).status;
  };
  expect(await send({ accounts: foreign.id })).toBe(400);
  expect(await send({ accounts: "x" })).toBe(400);
  expect(await send({ permissions: "posts:publish" })).toBe(400);
  expect(await send({ workspace: other.workspaceId ?? "" })).toBe(404);
  expect(await send({}, "https://evil.example")).toBe(403);
  expect(await send({}, null)).toBe(403);
  form.delete("permissions");
  expect(await send({})).toBe(400);
  const signedOut = await signIn(`${newId()}@example.com`).catch(() => null);
  expect(signedOut).toBeNull();
});

test("the operator ends a grant by its id, as a key", async () => {
  const { accessToken, tenant } = await createGranted();
  const db = openTestDatabase();
  const [listed] = (await listCredentials(db, tenant, 10)).filter(({ name }) => name === "Test client");
  expect(await revokeKey(db, listed?.publicId ?? "")).toBe(true);
  expect(await codeOf(accessToken)).toBe("revoked_token");
});

test("cleanup keeps what is in use, and deletes expired tokens, unused consents and clients", async () => {
  const { program, accessToken, refreshToken, browser } = await createGranted();
  await refresh(program, refreshToken);
  const [unused, forgotten] = [await createProgram(), await startAttempt(program)];
  await consent(browser, forgotten);
  const { services } = createTestPublisher(new Date());
  const list = async () => {
    const id = sql`(select grant_id from grant_access_tokens where public_id = ${accessToken.split(".")[0]}
      union select id from grants where client_id = ${program.client.client_id})`;
    const [row] = await queryRows<Record<string, number>>(sql`select
      (select count(*)::int from grants where id in ${id}) as grants,
      (select count(*)::int from grant_access_tokens where grant_id in ${id}) as access_tokens,
      (select count(*)::int from grant_refresh_tokens where grant_id in ${id}) as refresh_tokens,
      (select count(*)::int from oauth_clients where id in (${program.client.client_id}, ${unused.client.client_id})) as clients`);
    return row;
  };
  await removeEndedTokens(services);
  expect(await list()).toEqual({ grants: 2, access_tokens: 2, refresh_tokens: 2, clients: 2 });
  // The code is valid for two minutes.
  await queryRows(sql`update grant_codes set expires_at = expires_at - interval '3 minutes' where used_at is null
    and grant_id in (select id from grants where client_id = ${program.client.client_id}) returning grant_id`);
  await removeEndedTokens(services);
  expect(await list()).toEqual({ grants: 1, access_tokens: 2, refresh_tokens: 2, clients: 2 });
  await queryRows(sql`update grant_access_tokens set expires_at = now() - interval '8 days'
    where public_id = ${accessToken.split(".")[0]} returning public_id`);
  await queryRows(sql`update grant_refresh_tokens set used_at = now() - interval '61 days'
    where public_id = ${refreshToken.split(".")[0]} returning public_id`);
  await queryRows(sql`update oauth_clients set created_at = now() - interval '31 days'
    where id in (${program.client.client_id}, ${unused.client.client_id}) returning id`);
  await removeEndedTokens(services);
  expect(await list()).toEqual({ grants: 1, access_tokens: 1, refresh_tokens: 1, clients: 1 });
});

test("a webhook that an app made gets nothing once the access has ended, and cron deletes it", async () => {
  let accountId = "";
  const createAccount = async (own: Tenant) => {
    accountId = (await createTestAccount(own, "bluesky")).id;
  };
  const { tenant, program, accessToken } = await createGranted({ scope: "webhooks:write" }, {}, createAccount);
  const [ofApp, ofKey] = [await createTestWebhook({ api: createClient(accessToken) }), await createTestWebhook(tenant)];
  const sender = createSender();
  const writeAndCount = async () => {
    await moveAccount(accountId);
    const requests = [];
    for (const webhook of [ofApp, ofKey]) {
      await send(sender, webhook);
      requests.push(await listReceived(webhook));
    }
    return requests.map(({ length }) => length);
  };
  expect(await writeAndCount()).toEqual([1, 1]);
  await oauth.revocationRequest(program.server, program.client, PUBLIC, accessToken, program.options);
  expect(await writeAndCount()).toEqual([1, 2]);
  await enqueueDueWebhooks(sender.services);
  expect((await tenant.api.get("/webhooks")).body.data.webhooks).toMatchObject([{ id: ofKey.id }]);
});

test("an approval link that an app asked for ends with its access: nobody publishes with it afterwards", async () => {
  let accountId = "";
  const createAccount = async (own: Tenant) => {
    accountId = (await createTestAccount(own, "bluesky")).id;
  };
  const { tenant, program, accessToken } = await createGranted({ scope: "posts:write" }, {}, createAccount);
  const app = createClient(accessToken);
  const ask = async (api: Client) => {
    const post = (await api.post("/posts/prepare", { caption: "Lamps", accounts: [{ id: accountId }] })).body.data.id;
    const { url } = (await api.post(`/posts/${post}/approvals`, {})).body.data;
    return { post, path: new URL(url).pathname };
  };
  const [ofApp, ofKey, visitor] = [await ask(app), await ask(tenant.api), createBrowser()];
  for (const { path } of [ofApp, ofKey]) expect((await visitor.visit(path)).text).toContain("Lamps");
  await oauth.revocationRequest(program.server, program.client, PUBLIC, accessToken, program.options);
  expect((await visitor.visit(ofApp.path)).text).toContain("This link has ended");
  expect((await visitor.visit(ofApp.path, { form: { decision: "approve" } })).status).toBe(410);
  expect((await tenant.api.get(`/posts/${ofApp.post}`)).body.data.status).toBe("draft");
  expect((await visitor.visit(ofKey.path, { form: { decision: "approve" } })).status).toBe(303);
});
