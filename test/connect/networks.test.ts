// Connecting an account of every network through its fake's consent screen.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";

const name = () => `new.${randomInt(1e9)}`;

test.each(PLATFORMS.filter((platform) => !["bluesky", "linkedin"].includes(platform)))(
  "an account of %s is connected by a consent, and the link says so",
  async (platform) => {
    const { api } = await createTestTenant();
    const { id, path } = await createLink(api, { platforms: [platform, "bluesky"] });
    const username = name();
    const page = await createBrowser().connect(path, platform, { accounts: [username] });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("is connected.") });
    const [account, ...others] = await listAccounts(api);
    expect(others).toEqual([]);
    expect(account).toMatchObject({ platform, username, status: "active", reconnect_by: null });
    const link = (await api.get(`/accounts/connect-links/${id}`)).body.data;
    expect(link).toMatchObject({ status: "open", accounts: [{ id: account?.id, platform, username }] });
  },
);

test("a Bluesky account is connected with an app password, and only with one", async () => {
  const { api } = await createTestTenant();
  const facts = { appPassword: "abcd-efgh-ijkl-mnop" };
  const account = await createTestAccount(await createTestTenant(), "bluesky", { facts });
  const { path } = await createLink(api);
  const browser = createBrowser();
  const send = (identifier: string, password: string) =>
    browser.post(path, [
      ["platform", "bluesky"],
      ["identifier", identifier],
      ["password", password],
    ]);
  const handle = `${account.username}.bsky.test`;
  expect((await send(handle, "hunter2hunter2")).text).toContain("Use an app password of four groups");
  expect((await send(handle, "aaaa-bbbb-cccc-dddd")).text).toContain("does not accept this handle and app password");
  expect((await send("not a handle", facts.appPassword)).text).toContain("Enter the handle");
  expect((await send("unknown.bsky.test", facts.appPassword)).text).toContain("does not know the handle");
  expect(await listAccounts(api)).toEqual([]);
  expect((await send(`@${handle}`, facts.appPassword)).text).toContain("Bluesky is connected.");
  expect(await listAccounts(api)).toMatchObject([{ platform: "bluesky", username: handle, status: "active" }]);
});
