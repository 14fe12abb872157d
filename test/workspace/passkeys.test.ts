// Passkeys: who may add, use and remove them, and what is rejected.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { removeEnded } from "../../functions/cron/connections.ts";
import { createTestPublisher, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { createAuthenticator } from "./authenticator.ts";
import { type Browser, createBrowser, ORIGIN, readMail, signInOwner } from "./dashboard.ts";

const FOLDER = "/auth/passkey";

type Device = ReturnType<typeof createAuthenticator>;

async function add(browser: Browser, device: Device, { origin = ORIGIN, name = "My phone", headers = {} } = {}) {
  const options = await browser.visit(`${FOLDER}/generate-register-options`);
  if (options.status !== 200) return options;
  const response = device.create(origin, JSON.parse(options.text));
  return browser.visit(`${FOLDER}/verify-registration`, { json: { response, name }, headers });
}

async function signIn(browser: Browser, device: Device, origin = ORIGIN) {
  const options = await browser.visit(`${FOLDER}/generate-authenticate-options`);
  const response = device.sign(origin, JSON.parse(options.text));
  return browser.visit(`${FOLDER}/verify-authentication`, { json: { response } });
}

async function createPasskey(tenant: Tenant, name?: string) {
  const owner = await signInOwner(tenant);
  const device = createAuthenticator();
  expect((await add(owner, device, { ...(name ? { name } : {}) })).status).toBe(200);
  return { owner, device };
}

const openQueue = (browser: Browser, { workspaceId }: Tenant) => browser.visit(`/dashboard/${workspaceId}/queue`);

test("a passkey signs in without a code, its owner gets a mail, and a removed one no longer signs in", async () => {
  const tenant = await createTestTenant();
  const { owner, device } = await createPasskey(tenant);
  const [{ email } = { email: "" }] = await queryRows<{ email: string }>(
    sql`select email from owners where id = ${tenant.ownerId}`,
  );
  expect((await readMail(email))?.subject).toBe("A passkey was added to your sign-in");

  const other = createBrowser();
  expect((await signIn(other, device)).status).toBe(200);
  expect((await openQueue(other, tenant)).status).toBe(200);

  const page = await owner.visit("/dashboard/passkeys");
  expect(page.text).toContain("<h3>My phone");
  const id = /passkeys\/([\w-]+)\/remove/.exec(page.text)?.[1];
  expect((await owner.visit(`/dashboard/passkeys/${id}/remove`, { form: {} })).status).toBe(303);
  const removed = createBrowser();
  expect((await signIn(removed, device)).status).toBe(401);
  expect((await openQueue(removed, tenant)).status).toBe(302);
});

test("a repeated request id suppresses no mail about a passkey", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const headers = { "X-Request-Id": "same" };
  const [{ email } = { email: "" }] = await queryRows<{ email: string }>(
    sql`select email from owners where id = ${tenant.ownerId}`,
  );
  for (const name of ["First", "Second", "Third"]) {
    expect((await add(owner, createAuthenticator(), { name, headers })).status).toBe(200);
    expect((await readMail(email))?.text).toContain(`The passkey "${name}" can sign in`);
  }
});

test("a passkey of another person can neither be seen nor removed", async () => {
  const tenant = await createTestTenant();
  const { owner } = await createPasskey(tenant);
  const page = await owner.visit("/dashboard/passkeys");
  const id = /passkeys\/([\w-]+)\/remove/.exec(page.text)?.[1];
  const stranger = await signInOwner(await createTestTenant());
  expect((await stranger.visit("/dashboard/passkeys")).text).not.toContain("<h3>My phone");
  expect((await stranger.visit(`/dashboard/passkeys/${id}/remove`, { form: {} })).status).toBe(404);
  expect(
    (await owner.visit(`/dashboard/passkeys/${id}/remove`, { form: {}, origin: "https://evil.example" })).status,
  ).toBe(403);
  expect((await owner.visit("/dashboard/passkeys")).text).toContain("<h3>My phone");
});

test("a person who is signed out neither adds a passkey nor sees the page", async () => {
  const browser = createBrowser();
  expect((await add(browser, createAuthenticator())).status).toBe(401);
  expect((await browser.visit("/dashboard/passkeys")).headers.get("location")).toMatch(/^\/dashboard\/sign-in/);
});

test("a session of more than a day adds no passkey", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  await queryRows(
    sql`update sessions set created_at = now() - interval '25 hours' where user_id = ${tenant.ownerId} returning id`,
  );
  expect((await add(owner, createAuthenticator())).status).toBe(403);
});

test("the answer of a device for another site, or to an earlier challenge, is rejected", async () => {
  const tenant = await createTestTenant();
  const { device } = await createPasskey(tenant);
  const browser = createBrowser();
  const options = JSON.parse((await browser.visit(`${FOLDER}/generate-authenticate-options`)).text);
  const response = device.sign(ORIGIN, options);
  const clientData = JSON.parse(Buffer.from(response.response.clientDataJSON, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...clientData, origin: "https://evil.example" })).toString("base64url");
  const elsewhere = { ...response, response: { ...response.response, clientDataJSON: forged } };
  expect((await browser.visit(`${FOLDER}/verify-authentication`, { json: { response: elsewhere } })).status).toBe(400);
  // The challenge was used by the attempt above.
  expect((await browser.visit(`${FOLDER}/verify-authentication`, { json: { response } })).status).toBe(400);
  expect((await openQueue(browser, tenant)).status).toBe(302);
  expect((await signIn(browser, device)).status).toBe(200);
});

test("a device that does not check who holds it is rejected", async () => {
  const tenant = await createTestTenant();
  const owner = await signInOwner(tenant);
  const device = createAuthenticator({ checksHolder: false });
  expect((await add(owner, device)).status).toBe(401);
  expect((await owner.visit("/dashboard/passkeys")).text).not.toContain("<h3>My phone");
});

test("a name is shown as text, and shortened", async () => {
  const tenant = await createTestTenant();
  const { owner } = await createPasskey(tenant, `<img src=x>${"n".repeat(100)}`);
  const { text } = await owner.visit("/dashboard/passkeys");
  expect(text).toContain(`&lt;img src=x&gt;${"n".repeat(49)}<`);
});

test("cron deletes sessions and challenges that ended a day ago, and no others", async () => {
  const tenant = await createTestTenant();
  const { owner } = await createPasskey(tenant);
  const browser = createBrowser();
  await browser.visit(`${FOLDER}/generate-authenticate-options`);
  const challenges = () => queryRows(sql`select id from verifications where value like '%"authentication"%'`);
  const { services } = createTestPublisher(new Date());
  await removeEnded(services);
  expect(await challenges()).not.toEqual([]);
  expect((await openQueue(owner, tenant)).status).toBe(200);
  await queryRows(sql`update verifications set expires_at = now() - interval '25 hours' returning id`);
  await queryRows(
    sql`update sessions set expires_at = now() - interval '25 hours' where user_id = ${tenant.ownerId} returning id`,
  );
  await removeEnded(services);
  expect(await challenges()).toEqual([]);
  expect(await queryRows(sql`select id from sessions where user_id = ${tenant.ownerId}`)).toEqual([]);
});
