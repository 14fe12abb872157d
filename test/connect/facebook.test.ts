// Connecting Facebook pages: by a role on the page, or through a Business Portfolio.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";

test("several Facebook pages are offered, those without the right to post are not, and all chosen are connected", async () => {
  const tenant = await createTestTenant();
  const pages = [
    await createTestAccount(await createTestTenant(), "facebook"),
    await createTestAccount(await createTestTenant(), "facebook"),
  ];
  const reader = await createTestAccount(await createTestTenant(), "facebook", { facts: { tasks: ["ANALYZE"] } });
  const { path } = await createLink(tenant.api, { platforms: ["facebook"] });
  const browser = createBrowser();
  const accounts = [...pages, reader].map(({ externalId }) => externalId);
  const choice = await browser.connect(path, "facebook", { accounts });
  for (const { externalId } of pages) expect(choice.text).toContain(`value="${externalId}"`);
  expect(choice.text).not.toContain(`value="${reader.externalId}"`);
  const [, connection = ""] = /name="connection" value="([^"]+)"/.exec(choice.text) ?? [];
  const fields = pages.map(({ externalId }): [string, string] => ["account", externalId]);
  const done = await browser.post(`${path}/accounts`, [["connection", connection], ...fields]);
  expect(done.text).toContain("2 accounts are connected");
  expect((await listAccounts(tenant.api)).map(({ username }) => username).toSorted()).toEqual(
    pages.map(({ username }) => username).toSorted(),
  );
});

type Facts = Record<string, unknown>;
const business = () => randomInt(1e9, 2e9);

/** Connects pages with these facts; returns which of them are offered, or connected at once. */
async function connectPages(...pages: Facts[]) {
  const { api } = await createTestTenant();
  const other = await createTestTenant();
  const accounts: string[] = [];
  for (const facts of pages) accounts.push((await createTestAccount(other, "facebook", { facts })).externalId);
  const { path } = await createLink(api, { platforms: ["facebook", "bluesky"] });
  const page = await createBrowser().connect(path, "facebook", { accounts });
  const offered = accounts.map((id) => page.text.split(`name="account" value="${id}"`).length - 1);
  return { text: page.text, offered };
}

test.each<[string, Facts, boolean]>([
  ["is owned by a business", {}, true],
  ["is the client's of a business", { isClient: true }, true],
  ["is owned by and a client's of a business", { bothEdges: true }, true],
  ["is in a business, with a role of the person", { alsoOwn: true }, true],
  ["is in a business, with a role that may not publish", { alsoOwn: true, tasks: ["ANALYZE"] }, false],
  ["is in a business that gives the person no token", { noToken: true }, false],
])("a page that %s is offered once, if it may be published to", async (_what, facts, isOffered) => {
  const { offered } = await connectPages({}, {}, { business: business(), ...facts });
  expect(offered).toEqual([1, 1, isOffered ? 1 : 0]);
});

test("a person whose only page is in a portfolio connects it", async () => {
  const { text } = await connectPages({ business: business() });
  expect(text).toContain("Facebook is connected.");
});

test("one business that cannot be read hides neither other businesses nor the person's own pages", async () => {
  const { offered } = await connectPages({}, { business: business(), brokenBusiness: true }, { business: business() });
  expect(offered).toEqual([1, 0, 1]);
});

test("lists of several pages are read to their end", async () => {
  const shared = business();
  const inBusiness = Array.from({ length: 5 }, () => ({ business: shared }));
  const { offered } = await connectPages({}, {}, {}, ...inBusiness, { business: business() }, { business: business() });
  expect(offered).toEqual(Array(10).fill(1));
});
