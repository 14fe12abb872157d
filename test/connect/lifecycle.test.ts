// An account's life: connected, published to, disconnected, and connected again with the same id.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { callControl, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";
import { createPost, publish } from "./publish.ts";

async function connect(tenant: Tenant, platform: string, username: string) {
  const { path } = await createLink(tenant.api, { platforms: [platform] });
  const page = await createBrowser().connect(path, platform, { accounts: [username] });
  if (!page.text.includes("One account is connected")) throw new Error(page.text);
  const account = (await listAccounts(tenant.api)).find((one) => one.platform === platform);
  if (!account) throw new Error(`no ${platform} account`);
  return account;
}

async function countPublished(platform: string, username: string): Promise<number> {
  const all = await callControl<Record<string, { url: string | null }[]>>("GET", "/_published");
  return (all[platform] ?? []).filter(({ url }) => url?.includes(`@${username}/`)).length;
}

test("TikTok and Instagram are connected, published to, disconnected, and connected again", async () => {
  const tenant = await createTestTenant();
  const names = { tiktok: `life.${tenant.ownerId.slice(-6)}`, instagram: `life.ig.${tenant.ownerId.slice(-6)}` };
  const tiktok = await connect(tenant, "tiktok", names.tiktok);
  const instagram = await connect(tenant, "instagram", names.instagram);
  const url = await uploadDemoVideo(tenant.api);
  const now = new Date();

  const first = await publish(tenant, await createPost(tenant, [tiktok.id, instagram.id], { url }), now);
  expect(first).toMatchObject([{ status: "posted" }, { status: "posted" }]);
  expect(await countPublished("tiktok", names.tiktok)).toBe(1);

  const accounts = [tiktok.id, instagram.id];
  const missed = await createPost(tenant, accounts, { url, scheduledAt: new Date(now.getTime() + HOUR_MS) });
  const kept = await createPost(tenant, accounts, { url, scheduledAt: new Date(now.getTime() + 3 * HOUR_MS) });
  const gone = await tenant.api.delete(`/accounts/${tiktok.id}`);
  expect(gone).toMatchObject({ status: 200, body: { data: { id: tiktok.id, status: "disconnected", revoked: true } } });
  // Instagram has no call that ends a consent.
  expect((await tenant.api.delete(`/accounts/${instagram.id}`)).body.data).toMatchObject({ revoked: false });
  expect(await listAccounts(tenant.api, "active")).toEqual([]);
  expect(await listAccounts(tenant.api, "disconnected")).toHaveLength(2);
  expect(
    await queryRows(sql`select 1 from accounts where id in (${tiktok.id}, ${instagram.id})
      and (access_token is not null or refresh_token is not null)`),
  ).toEqual([]);

  const rejected = await tenant.api.post("/posts", {
    caption: "no",
    accounts: [{ id: tiktok.id }],
    media: { type: "video", url },
  });
  expect(rejected).toMatchObject({ status: 400, body: { fields: [{ code: "unknown_accounts" }] } });
  const states = await publish(tenant, missed, new Date(now.getTime() + HOUR_MS));
  for (const state of states) {
    expect(state).toMatchObject({ status: "void", error_code: "account_disconnected" });
    expect(state.error_message).toMatch(/was disconnected when it was due\. Reconnect the account/);
  }

  expect(await connect(tenant, "tiktok", names.tiktok)).toMatchObject({ id: tiktok.id, status: "active" });
  expect(await connect(tenant, "instagram", names.instagram)).toMatchObject({ id: instagram.id, status: "active" });
  const revived = await publish(tenant, kept, new Date(now.getTime() + 3 * HOUR_MS));
  expect(revived).toMatchObject([{ status: "posted" }, { status: "posted" }]);
  expect(await countPublished("tiktok", names.tiktok)).toBe(2);
});
