// Connecting members and pages of LinkedIn: two apps, because the product for pages must be the only one of its app.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { APP, PAGES_APP } from "../local/networks/apps.ts";
import { createTestAccount, createTestTenant, type Tenant } from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";

const name = () => `new.${randomInt(1e9)}`;
const pageId = () => String(randomInt(1e6, 1e9));
const ONE_APP = {
  LINKEDIN_CLIENT_ID: PAGES_APP.id,
  LINKEDIN_CLIENT_SECRET: PAGES_APP.secret,
  LINKEDIN_SCOPES: "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin",
  LINKEDIN_PAGES_CLIENT_ID: "",
};

/** The external ids that the page offers for a choice. */
const readChoice = (text: string) => [...text.matchAll(/name="account" value="([^"]+)"/g)].map(([, id = ""]) => id);
const readConnection = (text: string) => /name="connection" value="([^"]+)"/.exec(text)?.[1] ?? "";

async function connect(tenant: Tenant, as: "linkedin" | "linkedin page", accounts: string[], env = {}) {
  const { path } = await createLink(tenant.api, { platforms: ["linkedin", "bluesky"] });
  const browser = createBrowser(env);
  return { path, browser, page: await browser.connect(path, as, { accounts }) };
}

test("a link offers LinkedIn and LinkedIn pages where each has an app", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api, { platforms: ["linkedin"] });
  const offers = async (env: Record<string, string>) => (await createBrowser(env).get(path)).text;
  expect(await offers({})).toMatch(/<b>LinkedIn<\/b>[\s\S]*<b>LinkedIn page<\/b>/);
  expect(await offers(ONE_APP)).not.toContain("LinkedIn page");
  const onlyPages = await offers({ LINKEDIN_CLIENT_ID: "" });
  expect(onlyPages).toContain("LinkedIn page");
  expect(onlyPages).not.toContain("<b>LinkedIn</b>");
});

test("a member is connected by the app for members", async () => {
  const tenant = await createTestTenant();
  const { page } = await connect(tenant, "linkedin", [name()]);
  expect(page.text).toContain("LinkedIn is connected.");
  const [member] = await listAccounts(tenant.api);
  expect(member?.reconnect_by).toMatch(/^20/);
});

test("pages are connected by the app for pages, which has no openid, and no member with them", async () => {
  const tenant = await createTestTenant();
  const { page, browser, path } = await connect(tenant, "linkedin page", [pageId(), pageId()]);
  expect(page.text).toContain("Which of these may be published to?");
  const ids = readChoice(page.text);
  expect(ids.every((id) => id.startsWith("urn:li:organization:"))).toBe(true);
  expect(ids).toHaveLength(2);
  const choose = (...chosen: string[]) =>
    browser.post(`${path}/accounts`, [
      ["connection", readConnection(page.text)],
      ...chosen.map((id): [string, string] => ["account", id]),
    ]);
  expect((await choose()).text).toContain("Choose at least one");
  expect((await choose(ids[0] ?? "")).text).toContain("LinkedIn is connected.");
  expect(await listAccounts(tenant.api)).toHaveLength(1);
});

test("one app with the Community Management API connects members and pages", async () => {
  const tenant = await createTestTenant();
  const { page } = await connect(tenant, "linkedin", [pageId()], ONE_APP);
  expect(readChoice(page.text).map((id) => id.split(":")[2])).toEqual(["person", "organization"]);
});

test.each([
  ["openid of an app for pages", "linkedin page", { LINKEDIN_PAGES_SCOPES: "openid profile w_organization_social" }],
  ["organization scopes of an app for members", "linkedin", { LINKEDIN_SCOPES: "openid w_organization_social" }],
] as const)("a consent that asks for %s tells the person that the operator has to act", async (_what, as, env) => {
  const tenant = await createTestTenant();
  const { page } = await connect(tenant, as, [pageId()], env);
  expect(page.text).toContain("LinkedIn does not give our app a permission that it asks for. Ask the operator");
  expect(await listAccounts(tenant.api)).toEqual([]);
});

test.each([
  ["ADMINISTRATOR", true],
  ["CONTENT_ADMINISTRATOR", true],
  ["ANALYST", false],
  ["CURATOR", false],
  ["DIRECT_SPONSORED_CONTENT_POSTER", false],
  ["RECRUITING_POSTER", false],
])("the role %s may post as a page: %s", async (role, mayPost) => {
  const tenant = await createTestTenant();
  const own = await createTestAccount(await createTestTenant(), "linkedin", { facts: { roles: [role] } });
  const { page } = await connect(tenant, "linkedin page", [own.externalId]);
  expect(page.text).toContain(mayPost ? "LinkedIn is connected." : "granted access to no account");
});

test.each([
  ["cannot be read", { isHidden: true }, 2],
  ["no longer exists", { isClosed: true }, 1],
  ["has two roles", { roles: ["ADMINISTRATOR", "CONTENT_ADMINISTRATOR"] }, 2],
])("a page that %s leaves the others connectable", async (what, facts, offered) => {
  const tenant = await createTestTenant();
  const odd = await createTestAccount(await createTestTenant(), "linkedin", { facts });
  const { page } = await connect(tenant, "linkedin page", [odd.externalId, pageId()]);
  // A single page is connected without a choice.
  if (offered === 1) expect(page.text).toContain("LinkedIn is connected.");
  else expect(readChoice(page.text)).toHaveLength(offered);
  if (what === "cannot be read") expect(page.text).toContain(`Page ${odd.externalId}`);
});

test("connecting sends the configured version, which a sunset makes necessary", async () => {
  const tenant = await createTestTenant();
  const { page } = await connect(tenant, "linkedin page", [pageId()], { LINKEDIN_API_VERSION: "202410" });
  expect(page.text).not.toContain("LinkedIn is connected.");
  const good = await connect(tenant, "linkedin page", [pageId()], { LINKEDIN_API_VERSION: "202607" });
  expect(good.page.text).toContain("LinkedIn is connected.");
});

test("a member and a page end their consents by the apps that gave them", async () => {
  const tenant = await createTestTenant();
  await connect(tenant, "linkedin", [name()]);
  await connect(tenant, "linkedin page", [pageId()]);
  for (const { id } of await listAccounts(tenant.api)) {
    const { body } = await tenant.api.delete(`/accounts/${id}`);
    expect(body.data).toMatchObject({ revoked: true });
  }
  expect(APP.id).not.toBe(PAGES_APP.id);
});
