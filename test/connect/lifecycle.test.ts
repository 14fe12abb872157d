// An account's life: connected, published to, disconnected, and connected again with the same id.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { callControl, createTestPublisher, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink, listAccounts } from "./links.ts";

const HOUR_MS = 3_600_000;

async function connect(tenant: Tenant, platform: string, username: string) {
  const { path } = await createLink(tenant.api, { platforms: [platform] });
  const page = await createBrowser().connect(path, platform, { accounts: [username] });
  if (!page.text.includes("One account is connected")) throw new Error(page.text);
  const account = (await listAccounts(tenant.api)).find((one) => one.platform === platform);
  if (!account) throw new Error(`no ${platform} account`);
  return account;
}

async function createPost(tenant: Tenant, accountIds: string[], url: string, scheduledAt?: Date) {
  const { status, body } = await tenant.api.post("/posts", {
    caption: "hello",
    accounts: accountIds.map((id) => ({ id })),
    media: { type: "video", url },
    ...(scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {}),
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id as string;
}

/** Runs a publisher at the time, until every delivery of the post has ended. */
async function publish(tenant: Tenant, postId: string, at: Date) {
  const { services, advance } = createTestPublisher(at);
  for (let turn = 0; turn < 20; turn++) {
    const rows = await queryRows<{ id: string; next: string | null }>(
      sql`select id, next_attempt_at as next from post_deliveries where post_id = ${postId}`,
    );
    const open = rows.filter(({ next }) => next !== null);
    if (open.length === 0) break;
    await publishDue(
      services,
      open.map(({ id }) => id),
    );
    advance(10_000);
    // The fakes process media in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const { body } = await tenant.api.get(`/posts/${postId}`);
  return body.data.accounts.states as { platform: string; status: string; error_code: string; error_message: string }[];
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

  const first = await publish(tenant, await createPost(tenant, [tiktok.id, instagram.id], url), now);
  expect(first).toMatchObject([{ status: "posted" }, { status: "posted" }]);
  expect(await countPublished("tiktok", names.tiktok)).toBe(1);

  const missed = await createPost(tenant, [tiktok.id, instagram.id], url, new Date(now.getTime() + HOUR_MS));
  const kept = await createPost(tenant, [tiktok.id, instagram.id], url, new Date(now.getTime() + 3 * HOUR_MS));
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
