// Consents: each is bound to a browser and a link, and each rejection says why.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { completeConnection } from "../../lib/accounts/save-accounts.ts";
import { callControl, createTestPublisher, createTestTenant, queryRows } from "../support/harness.ts";
import { answerConsent, createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";

test("a consent is used once, and only in the browser that began it", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const [browser, stranger] = [createBrowser(), createBrowser()];
  const back = await answerConsent(await browser.start(path, "tiktok"), { accounts: ["once.only"] });
  // Neither a stolen URL nor one that is sent to somebody else connects anything.
  expect(await stranger.get(back)).toMatchObject({ status: 410, text: expect.stringContaining("another browser") });
  await stranger.start(path, "tiktok");
  expect(await stranger.get(back)).toMatchObject({ status: 410 });
  expect(await browser.get(back.replace("/tiktok?", "/instagram?"))).toMatchObject({ status: 410 });
  expect(await listAccounts(api)).toEqual([]);
  expect((await browser.get(back)).text).toContain("TikTok is connected.");
  expect(await browser.get(back)).toMatchObject({ status: 410 });
  expect(await listAccounts(api)).toHaveLength(1);
  expect((await browser.get("/connect/callback/nowhere?state=x&code=y")).status).toBe(410);
});

test("a consent that takes longer than 15 minutes connects nothing", async () => {
  const { api } = await createTestTenant();
  const { id, path } = await createLink(api);
  const browser = createBrowser();
  const back = await answerConsent(await browser.start(path, "tiktok"), { accounts: ["too.late"] });
  await queryRows(sql`update connections set expires_at = now() where link_id = ${id} returning id`);
  expect((await browser.get(back)).status).toBe(410);
  expect(await listAccounts(api)).toEqual([]);
});

test("two browsers that connect the same account at the same time share one account", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const connect = () => createBrowser().connect(path, "threads", { accounts: ["at.once"] });
  const pages = await Promise.all([connect(), connect(), connect()]);
  for (const page of pages) expect(page.text).toContain("Threads is connected.");
  expect(await listAccounts(api)).toHaveLength(1);
});

test("a denied consent, a deselected permission and a rejected code are explained, and may be tried again", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const browser = createBrowser();
  for (const platform of ["tiktok", "linkedin", "instagram"]) {
    expect((await browser.connect(path, platform, "deny")).text).toContain("You did not allow the connection");
  }
  const partial = await browser.connect(path, "tiktok", { accounts: ["partial"], without: ["video.publish"] });
  expect(partial.text).toContain("was not allowed to publish for you");
  const back = await answerConsent(await browser.start(path, "twitter"), { accounts: ["code"] });
  expect((await browser.get(back.replace(/code=\w+/, "code=wrong"))).text).toContain("did not accept the sign-in");
  await callControl("POST", "/_behave", { network: "pinterest", times: 1, answer: "500", call: "oauth/code" });
  expect((await browser.connect(path, "pinterest", { accounts: ["later"] })).text).toContain(
    "Pinterest did not answer.",
  );
  const app = createBrowser({ YOUTUBE_CLIENT_SECRET: "wrong" });
  expect((await app.connect(path, "youtube", { accounts: ["channel"] })).text).toContain(
    "rejected our app credentials",
  );
  expect(await listAccounts(api)).toEqual([]);
  expect((await browser.connect(path, "tiktok", { accounts: ["partial"] })).text).toContain("TikTok is connected.");
});

test("a consent that was begun before its link was done, withdrawn or used up stores no account", async () => {
  const { api } = await createTestTenant();
  const begin = async (options = {}) => {
    const link = await createLink(api, options);
    const [browser, other] = [createBrowser(), createBrowser()];
    return { ...link, browser, other, url: await browser.start(link.path, "tiktok") };
  };
  const refused = { status: 410, text: expect.stringContaining("its link has ended") };
  const done = await begin();
  await done.other.post(`${done.path}/done`, []);
  expect(await done.browser.get(await answerConsent(done.url, { accounts: ["begun.before"] }))).toMatchObject(refused);

  const answered = await begin();
  const back = await answerConsent(answered.url, { accounts: ["answered.before"] });
  await answered.other.post(`${answered.path}/done`, []);
  expect(await answered.browser.get(back)).toMatchObject(refused);

  const withdrawn = await begin();
  expect((await api.delete(`/accounts/connect-links/${withdrawn.id}`)).status).toBe(200);
  expect(await withdrawn.browser.get(await answerConsent(withdrawn.url, { accounts: ["w"] }))).toMatchObject(refused);
  expect(await listAccounts(api)).toEqual([]);

  const single = await begin({ platforms: ["tiktok"] });
  expect((await single.other.connect(single.path, "tiktok", { accounts: ["first.one"] })).text).toContain(
    "One account",
  );
  expect(await single.browser.get(await answerConsent(single.url, { accounts: ["second.one"] }))).toMatchObject(
    refused,
  );
  expect((await listAccounts(api)).map(({ username }) => username)).toEqual(["first.one"]);
});

test("a choice among several accounts connects nothing once the link is done", async () => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api);
  const browser = createBrowser();
  const page = await browser.connect(path, "facebook", { accounts: ["choose.a", "choose.b"] });
  const [, connection = ""] = /name="connection" value="([^"]+)"/.exec(page.text) ?? [];
  const [, account = ""] = /name="account" value="([^"]+)"/.exec(page.text) ?? [];
  expect(account).not.toBe("");
  await createBrowser().post(`${path}/done`, []);
  const chosen = await browser.post(`${path}/accounts`, [
    ["connection", connection],
    ["account", account],
  ]);
  expect(chosen.text).toContain("does not work any more");
  expect(await listAccounts(api)).toEqual([]);
});

test("a link that is done while the network says whose account it is stores none", async () => {
  const { api, ownerId, workspaceId } = await createTestTenant();
  const { id, path } = await createLink(api);
  await createBrowser().start(path, "tiktok");
  const [row] = await queryRows<{ id: string }>(
    sql`update connections set status = 'exchanging' where link_id = ${id} returning id`,
  );
  await createBrowser().post(`${path}/done`, []);
  const { services } = createTestPublisher(new Date());
  const connection = {
    id: row?.id ?? "",
    ownerId,
    workspaceId,
    platform: "tiktok" as const,
    linkId: id,
    networkAppId: null,
  };
  await expect(completeConnection(services, connection, [])).rejects.toThrow(/ended while you signed in/);
});

test("the consent is kept while another account lives on it, and ended with the last one", async () => {
  const [one, two] = [await createTestTenant(), await createTestTenant()];
  const ids: string[] = [];
  for (const tenant of [one, two]) {
    const { path } = await createLink(tenant.api);
    await createBrowser().connect(path, "tiktok", { accounts: ["shared.between.two"] });
    ids.push((await listAccounts(tenant.api))[0]?.id ?? "");
  }
  expect((await one.api.delete(`/accounts/${ids[0]}`)).body.data).toMatchObject({ revoked: false });
  expect((await two.api.delete(`/accounts/${ids[1]}`)).body.data).toMatchObject({ revoked: true });
});
