// Apps that customers bring to a network: which app asks for a consent, refreshes, revokes, and is counted against a limit.
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { APP_COMMANDS } from "../../functions/commands/admin-apps.ts";
import { rotateTokenKey } from "../../functions/commands/rotate-token-key.ts";
import { cleanUpConnections } from "../../lib/accounts/cleanup.ts";
import { type OwnAppInput, saveOwnApp } from "../../lib/accounts/own-apps.ts";
import { countDailyUploads, reserveDailyUpload } from "../../lib/publishing/daily-uploads.ts";
import { admitToNetwork, countAttempt } from "../../lib/publishing/network-limits.ts";
import type { ClaimedDelivery } from "../../lib/queries/deliveries.ts";
import { findCurrentApp } from "../../lib/queries/network-apps.ts";
import { openAppSecret } from "../../lib/services/network-app.ts";
import { APP, toOwnApp } from "../local/networks/apps.ts";
import {
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  vars,
} from "../support/harness.ts";
import { signInMember, signInOwner } from "../workspace/dashboard.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";
import { createPost, publish } from "./publish.ts";

const db = openTestDatabase();
const name = () => randomBytes(5).toString("hex");
const scopeOf = ({ ownerId, workspaceId }: Tenant) => ({ ownerId, workspaceId });
const services = () => createTestPublisher(new Date()).services;

/** Saves an app as the dashboard does. */
async function bringApp(tenant: Tenant, platform: string, more: Partial<OwnAppInput> = {}) {
  const { id: clientId, secret: clientSecret } = toOwnApp(name());
  const input = { platform, clientId, clientSecret, scopes: "", uploadsPerDay: "", ...more };
  await saveOwnApp(services(), scopeOf(tenant), input);
  return clientId;
}

/** Connects a new account, and returns its id and the app whose consent screen was shown. */
async function connect(tenant: Tenant, platform: string) {
  const { path } = await createLink(tenant.api, { platforms: [platform] });
  const browser = createBrowser();
  const screen = new URL(await browser.start(path, platform));
  const username = `own.${name()}`;
  expect((await browser.connect(path, platform, { accounts: [username] })).text).toContain("is connected.");
  const account = (await listAccounts(tenant.api)).find((one) => one.username === username);
  return { id: account?.id ?? "", app: screen.searchParams.get("client_id") ?? screen.searchParams.get("client_key") };
}

const expireToken = (id: string) =>
  queryRows(sql`update accounts set token_expires_at = now() where id = ${id} returning id`);

const readApp = async (id: string) =>
  (
    await queryRows<{ client: string | null }>(sql`select (select client_id from network_apps
      where id = accounts.network_app_id) as client from accounts where id = ${id}`)
  )[0]?.client;

test("two customers with apps of their own and one without: each consents, refreshes and revokes with the right one", async () => {
  const [first, second, plain] = [await createTestTenant(), await createTestTenant(), await createTestTenant()];
  const apps = [await bringApp(first, "twitter"), await bringApp(second, "twitter"), APP.id];
  const tenants = [first, second, plain];
  const accounts = await Promise.all(tenants.map((tenant) => connect(tenant, "twitter")));
  expect(accounts.map(({ app }) => app)).toEqual(apps);

  // The fake refuses a refresh token from any app but the one that it was issued to.
  for (const [at, tenant] of tenants.entries()) {
    const id = accounts[at]?.id ?? "";
    await expireToken(id);
    expect(await publish(tenant, await createPost(tenant, [id]), new Date())).toMatchObject([{ status: "posted" }]);
  }

  // One app is restricted: its secret is not accepted any more. The others publish.
  const blocked = { clientId: apps[0] ?? "", clientSecret: "no-longer-valid" };
  await bringApp(first, "twitter", blocked);
  const states = [];
  for (const [at, tenant] of tenants.entries()) {
    const id = accounts[at]?.id ?? "";
    await expireToken(id);
    states.push((await publish(tenant, await createPost(tenant, [id], { caption: "again" }), new Date()))[0]);
  }
  expect(states).toMatchObject([{ status: "retry" }, { status: "posted" }, { status: "posted" }]);
  expect(states[0]?.error_message).toContain(`X does not accept requests of your own app ${apps[0]}`);

  for (const [at, { api }] of tenants.entries()) {
    const gone = await api.delete(`/accounts/${accounts[at]?.id}`);
    expect(gone.body.data).toMatchObject({ status: "disconnected", revoked: at > 0 });
  }
});

test("an account keeps its app until it is connected again, and a removed app is deleted when no account has it", async () => {
  const tenant = await createTestTenant();
  const before = await connect(tenant, "tiktok");
  const clientId = await bringApp(tenant, "tiktok");
  expect([before.app, await readApp(before.id)]).toEqual([APP.id, null]);
  const after = await connect(tenant, "tiktok");
  expect([after.app, await readApp(after.id)]).toEqual([clientId, clientId]);

  const workspace = tenant.workspaceId ?? "";
  expect(await APP_COMMANDS["app remove"]?.(db, { workspace, platform: "tiktok" })).toContain("keep publishing");
  expect(await APP_COMMANDS["app list"]?.(db, { workspace })).toMatch(
    new RegExp(`tiktok +${clientId} +\\.\\.\\.${clientId.slice(-4)} +1 `),
  );
  await cleanUpConnections(services());
  expect(await readApp(after.id)).toBe(clientId);
  await tenant.api.delete(`/accounts/${after.id}`);
  await queryRows(sql`delete from connections where owner_id = ${tenant.ownerId} returning id`);
  await cleanUpConnections(services());
  expect(await queryRows(sql`select id from network_apps where client_id = ${clientId}`)).toEqual([]);
});

test("a network without an app of the deployment is offered to the customer who has one, and to no other", async () => {
  const [own, other] = [await createTestTenant(), await createTestTenant()];
  await bringApp(own, "pinterest");
  const env = { PINTEREST_CLIENT_ID: "" };
  const links = [await createLink(own.api), await createLink(other.api)];
  const pages = await Promise.all(links.map(({ path }) => createBrowser(env).get(path)));
  expect(pages.map(({ text }) => text.includes("Pinterest"))).toEqual([true, false]);
});

test("attempts and uploads are counted per app", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  await bringApp(tenant, "youtube", { uploadsPerDay: "1" });
  const app = await findCurrentApp(db, scopeOf(tenant), "youtube");
  if (!app) throw new Error("no app");
  const publisher = createTestPublisher(new Date("2032-03-04T20:00:00Z")).services;
  const own = { platform: "youtube", type: "byo", app } as unknown as ClaimedDelivery["account"];
  const shared = { ...own, app: null };
  const reserve = (account: ClaimedDelivery["account"], { ownerId, workspaceId }: Tenant) =>
    reserveDailyUpload(publisher, { account, scopeId: workspaceId ?? ownerId }).then(
      () => "reserved",
      (error: { failure: { message: string } }) => error.failure.message,
    );
  expect(await reserve(own, tenant)).toBe("reserved");
  expect(await reserve(own, tenant)).toContain("1 uploads that YouTube allows your own app");
  expect(await reserve(shared, other)).toBe("reserved");
  expect(await countDailyUploads(publisher, "youtube", app)).toBe(1);

  for (let failed = 0; failed < 20; failed++) countAttempt(publisher, own, false);
  expect(await admitToNetwork(publisher, own)).toMatchObject({ reason: "open" });
  expect(await admitToNetwork(publisher, shared)).toEqual({ reason: "admitted" });
});

test("the secret is stored encrypted for its customer and client id, and sealed again when the key is rotated", async () => {
  const tenant = await createTestTenant();
  const previous = randomBytes(32).toString("base64");
  const current = vars.TOKEN_KEY ?? "";
  const { clock } = services();
  const { id: clientId, secret } = toOwnApp(name());
  const input = { platform: "linkedin", clientId, clientSecret: secret, scopes: "", uploadsPerDay: "" };
  await saveOwnApp({ db, clock, env: { tokenKeys: { current: previous } } }, scopeOf(tenant), input);
  const before = await findCurrentApp(db, scopeOf(tenant), "linkedin");
  expect(before?.clientSecret).not.toContain(secret);
  const rotation = await rotateTokenKey(db, { current, previous }, () => undefined);
  expect(rotation.apps).toBeGreaterThanOrEqual(1);
  const after = await findCurrentApp(db, scopeOf(tenant), "linkedin");
  if (!after) throw new Error("no app");
  const env = { tokenKeys: { current } };
  expect(await openAppSecret(env, after, after.clientSecret)).toBe(secret);
  await expect(openAppSecret(env, { ...after, clientId: "another" }, after.clientSecret)).rejects.toThrow();
});

test.each([
  ["a client id with spaces", { clientId: "my app" }, "The client id is missing, or has spaces."],
  ["no client id", { clientId: "" }, "The client id is missing, or has spaces."],
  ["a short secret", { clientSecret: "short" }, "at least 12 characters"],
  ["no secret for a new app", { clientSecret: "" }, "The client secret is missing."],
  ["permissions that cannot publish", { scopes: "tweet.read" }, "The permissions need tweet.write"],
  ["uploads of a network without such a limit", { uploadsPerDay: "5" }, "X has no limit of uploads per day"],
  ["no number", { uploadsPerDay: "many" }, "The uploads per day are a number"],
  ["a network that needs no app", { platform: "bluesky" }, "The network must be one of"],
])("%s is refused with the cure", async (_name, input, message) => {
  const tenant = await createTestTenant();
  await expect(bringApp(tenant, "twitter", input)).rejects.toThrow(message);
});

test("an admin saves, changes and removes an app in the dashboard, where the secret is not shown again", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const path = `/dashboard/${tenant.workspaceId}/network-apps`;
  const { id: clientId, secret: clientSecret } = toOwnApp(name());
  expect((await browser.visit(path)).text).toContain("http://dashboard.test/connect/callback/tiktok");
  expect(
    (await browser.visit(`${path}/youtube`, { form: { clientId, clientSecret, uploadsPerDay: "250" } })).status,
  ).toBe(303);
  const saved = await browser.visit(path);
  expect(saved.text).toContain(`<code>${clientId}</code> · secret ends in <code>${clientSecret.slice(-4)}</code>`);
  expect(saved.text).toContain("0 of 250 uploads used today");
  expect(saved.text).not.toContain(clientSecret);
  // Without a secret the stored one stays.
  expect(
    (await browser.visit(`${path}/youtube`, { form: { clientId, clientSecret: "", uploadsPerDay: "" } })).status,
  ).toBe(303);
  expect((await browser.visit(path)).text).toContain("0 of 100 uploads used today");
  await browser.visit(`${path}/youtube`, { form: { clientId: "other", clientSecret: "" } });
  expect((await browser.visit(path)).text).toContain("The client secret is missing.");
  expect((await browser.visit(`${path}/bluesky`, { form: { clientId, clientSecret } })).status).toBe(404);
  const editor = await signInMember(tenant, "editor");
  expect((await editor.visit(path)).status).toBe(403);
  expect((await browser.visit(`${path}/youtube/remove`, { form: {} })).status).toBe(303);
  expect((await browser.visit(path)).text).not.toContain(clientId);
  expect((await browser.visit(`${path}/youtube/remove`, { form: {} })).status).toBe(404);
});
