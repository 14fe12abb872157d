// Bluesky accounts by OAuth at the fake's server: consent, posts, the end of a session, and what is not accepted.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { callControl, createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { answerConsent, createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";
import { createPost, publish } from "./publish.ts";

/** A tenant with a link, and an account of somebody at the network. */
async function prepare() {
  const tenant = await createTestTenant();
  const { externalId: did, username } = await createTestAccount(await createTestTenant(), "bluesky");
  const { path } = await createLink(tenant.api, { platforms: ["bluesky"] });
  return { tenant, path, did, handle: `${username}.bsky.test` };
}

async function connect({ tenant, path, did, handle }: Awaited<ReturnType<typeof prepare>>) {
  const page = await createBrowser().connect(path, "bluesky", { accounts: [did] }, handle);
  expect(page.text).toContain("One account is connected");
  const [account] = await listAccounts(tenant.api);
  if (!account) throw new Error("no account");
  return account;
}

const findCalls = async (call: string, account: string) => {
  const { calls } = await callControl<{ calls: { call: string; account: string; status: number }[] }>(
    ...(["GET", "/_log?network=bluesky"] as const),
  );
  return calls.filter((one) => one.call === call && one.account === account).map(({ status }) => status);
};

/** Publishes a text when the access token has ended. */
async function publishLater(tenant: Tenant, id: string) {
  await queryRows(sql`update accounts set token_expires_at = now() where id = ${id} returning id`);
  const [state] = await publish(tenant, await createPost(tenant, [id]), new Date());
  return state;
}

test("an account is connected by its handle, renewed when its token ends, and disconnected at its server", async () => {
  const given = await prepare();
  const account = await connect(given);
  expect(account).toMatchObject({ platform: "bluesky", username: given.handle, status: "active" });
  const days = (Date.parse(account.reconnect_by ?? "") - Date.now()) / DAY_MS;
  expect(days).toBeGreaterThan(13.9);
  expect(days).toBeLessThan(14.1);

  const url = await uploadDemoVideo(given.tenant.api);
  const [video] = await publish(given.tenant, await createPost(given.tenant, [account.id], { url }), new Date());
  expect(video).toMatchObject({ status: "posted" });
  expect(await findCalls("oauth/token", given.did)).toEqual([]);
  // Each refresh token is used once.
  for (let times = 0; times < 2; times++) {
    expect(await publishLater(given.tenant, account.id)).toMatchObject({ status: "posted" });
  }
  const renewals = await findCalls("oauth/token", given.did);
  expect(renewals.filter((status) => status === 200)).toHaveLength(2);

  const gone = await given.tenant.api.delete(`/accounts/${account.id}`);
  expect(gone.body.data).toMatchObject({ status: "disconnected", revoked: true });
  expect(
    await connect({ ...given, path: (await createLink(given.tenant.api, { platforms: ["bluesky"] })).path }),
  ).toMatchObject({
    id: account.id,
  });
});

test("a session that its owner ended at the server asks for a new connection", async () => {
  const given = await prepare();
  const { id } = await connect(given);
  const script = { network: "bluesky", account: given.did, times: 9, answer: "refuse" };
  await callControl("POST", "/_behave", { ...script, call: "oauth/token", code: "invalid_grant" });
  const state = await publishLater(given.tenant, id);
  await callControl("DELETE", `/_behave?account=${given.did}`);
  expect(state?.error_message).toMatch(/Reconnect the account/);
  const [account] = await listAccounts(given.tenant.api);
  expect(account).toMatchObject({ status: "disconnected" });
});

test("only the account that was named is connected, and only by the answer of its own server", async () => {
  const given = await prepare();
  const other = await createTestAccount(await createTestTenant(), "bluesky");
  const browser = createBrowser();
  const wrong = await browser.connect(given.path, "bluesky", { accounts: [other.externalId] }, given.handle);
  expect(wrong.text).toContain("You signed in as another account");
  const denied = await browser.connect(given.path, "bluesky", "deny", given.handle);
  expect(denied.text).toContain("You did not allow the connection at Bluesky");
  for (const issuer of ["https://evil.example", null]) {
    const url = await browser.start(given.path, "bluesky", given.did);
    const callback = new URL(await answerConsent(url, { accounts: [given.did] }), "http://api.test");
    if (issuer) callback.searchParams.set("iss", issuer);
    else callback.searchParams.delete("iss");
    const page = await browser.get(callback.pathname + callback.search);
    expect(page.text).toContain("Another server answered");
    expect((await browser.get(callback.pathname + callback.search)).status).toBe(410);
  }
  expect(await listAccounts(given.tenant.api)).toEqual([]);
});

test.each([
  ["no handle", "not a handle", "Enter the handle"],
  ["an unknown handle", "unknown.bsky.test", "does not know the handle"],
  ["a server at a private address", "https://10.0.0.1", "cannot be reached"],
  ["a server in a private network", "http://router.lan/", "cannot be reached"],
])("%s is answered on the page, and nothing is connected", async (_what, identifier, expected) => {
  const { path, tenant } = await prepare();
  const page = await createBrowser().post(path, [
    ["platform", "bluesky"],
    ["identifier", identifier],
  ]);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining(expected) });
  expect(await listAccounts(tenant.api)).toEqual([]);
});

test("the client's document is public JSON without the private key, and names the callback", async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign"])) as CryptoKeyPair;
  const key = { ...((await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey), kid: "first" };
  const read = async (env: Record<string, unknown>) => {
    const page = await createBrowser({ PUBLIC_URL: "https://publisher.example.com", ...env }).get(
      "/connect/client-metadata.json",
    );
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toMatch(/^application\/json/);
    expect(page.text).not.toContain(key.d);
    return JSON.parse(page.text) as Record<string, unknown>;
  };
  const shared = {
    client_id: "https://publisher.example.com/connect/client-metadata.json",
    redirect_uris: ["https://publisher.example.com/connect/callback/bluesky"],
    scope: "atproto transition:generic",
    dpop_bound_access_tokens: true,
  };
  expect(await read({})).toMatchObject({ ...shared, token_endpoint_auth_method: "none" });
  const { kty, crv, x, y } = key;
  expect(await read({ BLUESKY_CLIENT_SECRET: JSON.stringify(key) })).toMatchObject({
    ...{ ...shared, token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" },
    jwks: { keys: [{ kty, crv, x, y, kid: "first", use: "sig", alg: "ES256" }] },
  });
});
