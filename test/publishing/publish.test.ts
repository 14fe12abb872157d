// A post on its way to the networks' stand-ins: what each answer of the network does to the delivery, and what the caller sees.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Platform } from "../../lib/platforms/platform.ts";
import { publishDue } from "../../lib/publishing/publisher.ts";
import { uploadedVideo } from "../files/uploaded.ts";
import {
  lever,
  type MintedAccount,
  mintAccount,
  mintTenant,
  publishedFor,
  publisher,
  rows,
  type Tenant,
} from "../harness.ts";

interface Setting {
  tenant: Tenant;
  account: MintedAccount;
  postId: string;
  deliveryIds: string[];
}

async function posted(platform: Platform, options: Parameters<typeof mintAccount>[2] = {}): Promise<Setting> {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, platform, options);
  const url = await uploadedVideo(tenant.api);
  return { tenant, account, ...(await create(tenant, [account], url)) };
}

async function create(tenant: Tenant, accounts: MintedAccount[], url: string) {
  const body = { caption: "hello", accounts: accounts.map(({ id }) => ({ id })), media: { type: "video", url } };
  const answer = await tenant.api.post("/posts", body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return { postId: answer.body.data.id as string, deliveryIds: tenant.api.nudged.at(-1)?.deliveryIds ?? [] };
}

/** Lets a publisher work, moving its clock to each next check, until the delivery is done or so much time has passed. */
async function publishUntilDone(setting: Setting, withinMs: number) {
  const { world, pass } = publisher(new Date());
  const end = world.clock().getTime() + withinMs;
  while (world.clock().getTime() < end) {
    await publishDue(world, setting.deliveryIds);
    const [row] = await rows<{ next: string | null }>(
      sql`select min(next_attempt_at) as next from post_deliveries where post_id = ${setting.postId}`,
    );
    if (!row?.next) break;
    pass(Math.max(1_000, new Date(row.next).getTime() - world.clock().getTime()));
    // The stand-ins finish processing in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const { body } = await setting.tenant.api.get(`/posts/${setting.postId}`);
  return { post: body.data, state: body.data.accounts.states[0] };
}

const behave = ({ account }: Setting, answer: string, more: object = {}) =>
  lever("POST", "/_behave", { network: account.platform, account: account.externalId, answer, times: 1, ...more });

for (const platform of ["tiktok", "instagram"] as const) {
  const publishCall = platform === "tiktok" ? "upload" : "media_publish";

  test(`${platform}: a post goes out once and shows its address`, async () => {
    const setting = await posted(platform);
    const { post, state } = await publishUntilDone(setting, 600_000);
    expect(post.status).toBe("posted");
    expect(state).toMatchObject({ status: "posted", error_message: null, next_attempt_at: null });
    expect(state.published_url).toMatch(/^https:\/\/www\.(tiktok|instagram)\.com\//);
    expect(await publishedFor(setting.account)).toHaveLength(1);
  });

  test(`${platform}: the answer of the irreversible call is lost after it took effect: found again, not sent again`, async () => {
    const setting = await posted(platform);
    await behave(setting, "drop_after", { call: publishCall });
    const { state } = await publishUntilDone(setting, 600_000);
    expect(state.status).toBe("posted");
    expect(await publishedFor(setting.account)).toHaveLength(1);
    const steps = await rows<{ outcome: string }>(
      sql`select outcome from delivery_attempts where delivery_id = ${setting.deliveryIds[0]}`,
    );
    expect(steps.map(({ outcome }) => outcome)).toContain("unknown");
  });

  test(`${platform}: the irreversible call never arrived: sent again after a look, out once`, async () => {
    const setting = await posted(platform);
    await behave(setting, "drop_before", { call: publishCall });
    const { state } = await publishUntilDone(setting, 600_000);
    expect(state.status).toBe("posted");
    expect(await publishedFor(setting.account)).toHaveLength(1);
  });

  test(`${platform}: 429 and 500 are tried again and told meanwhile`, async () => {
    for (const answer of ["429", "500"]) {
      const setting = await posted(platform);
      await behave(setting, answer);
      const { world } = publisher(new Date());
      await publishDue(world, setting.deliveryIds);
      const { body } = await setting.tenant.api.get(`/posts/${setting.postId}`);
      expect(body.data.status).toBe("retry");
      expect(body.data.accounts.states[0].error_message).toMatch(/next try/i);
      const { state } = await publishUntilDone(setting, 26 * 3_600_000);
      expect(state.status).toBe("posted");
      expect(await publishedFor(setting.account)).toHaveLength(1);
    }
  });
}

test("a token that the network no longer takes is traded once, and the new one is kept", async () => {
  const setting = await posted("tiktok", { tokenExpiresAt: new Date(Date.now() - 1000) });
  const { state } = await publishUntilDone(setting, 600_000);
  expect(state.status).toBe("posted");
  const [row] = await rows<{ version: number; refresh_token: string | null }>(
    sql`select token_version as version, refresh_token from accounts where id = ${setting.account.id}`,
  );
  expect(row?.version).toBe(1);
  expect(row?.refresh_token).toBeTruthy();
});

test("a dead connection fails the delivery with what to do, disconnects the account and voids what waited for it", async () => {
  const setting = await posted("instagram");
  const url = await uploadedVideo(setting.tenant.api);
  const later = await setting.tenant.api.post("/posts", {
    caption: "later",
    accounts: [{ id: setting.account.id }],
    media: { type: "video", url },
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await behave(setting, "refuse", { code: "190", times: 3 });
  const { state } = await publishUntilDone(setting, 600_000);
  expect(state.status).toBe("failed");
  expect(state.error_message).toMatch(/connect the account again/i);
  const { body: accounts } = await setting.tenant.api.get("/accounts");
  expect(accounts.data.accounts).toEqual([]);
  const { body: waiting } = await setting.tenant.api.get(`/posts/${later.body.data.id}`);
  expect(waiting.data.status).toBe("void");
  // No retry takes a void post, so none is advised.
  expect(waiting.data.accounts.states[0].error_message).toMatch(/connect the account again, then create the post/i);
  const retry = await setting.tenant.api.post("/posts/retry", { post_ids: [later.body.data.id] });
  expect(retry.body.data).toMatchObject({ retried: 0, failed: [later.body.data.id] });
});

test("a network that stays down ends failed with its reason after five tries", async () => {
  const setting = await posted("instagram");
  await behave(setting, "500", { times: 50 });
  const { state } = await publishUntilDone(setting, 26 * 3_600_000);
  expect(state).toMatchObject({ status: "failed", attempts: 5, next_attempt_at: null });
  expect(state.error_message).toMatch(/gave up after 5 tries/i);
  expect(await publishedFor(setting.account)).toEqual([]);
});

test("two publishers nudged at once about one delivery publish it once", async () => {
  const setting = await posted("instagram");
  const both = [publisher(new Date()), publisher(new Date())];
  await Promise.all(both.map(({ world }) => publishDue(world, setting.deliveryIds)));
  const { state } = await publishUntilDone(setting, 600_000);
  expect(state.status).toBe("posted");
  expect(await publishedFor(setting.account)).toHaveLength(1);
});

test("posts of one account go out one after the other, in the order they were due", async () => {
  const { tenant, account, ...first } = await posted("instagram");
  const url = await uploadedVideo(tenant.api);
  const second = await create(tenant, [account], url);
  const ids = [...second.deliveryIds, ...first.deliveryIds];
  await publishUntilDone({ tenant, account, postId: second.postId, deliveryIds: ids }, 600_000);
  const order = await rows<{ post_id: string }>(
    sql`select post_id from post_deliveries where account_id = ${account.id} order by published_at`,
  );
  expect(order.map(({ post_id }) => post_id)).toEqual([first.postId, second.postId]);
  expect(await publishedFor(account)).toHaveLength(2);
});
