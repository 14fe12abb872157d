// Publishing to the fake networks: the effect of each network response on the delivery and on what the caller sees.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import {
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
  readPublished,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";

interface PostedCase {
  tenant: Tenant;
  account: TestAccount;
  postId: string;
  deliveryIds: string[];
}

async function createPost(
  platform: Platform,
  options: Parameters<typeof createTestAccount>[2] = {},
): Promise<PostedCase> {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, platform, options);
  const url = await uploadDemoVideo(tenant.api);
  return { tenant, account, ...(await sendPost(tenant, [account], url)) };
}

async function sendPost(tenant: Tenant, accounts: TestAccount[], url: string, caption = "hello") {
  const body = { caption, accounts: accounts.map(({ id }) => ({ id })), media: { type: "video", url } };
  const answer = await tenant.api.post("/posts", body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return {
    postId: answer.body.data.id as string,
    deliveryIds: tenant.api.enqueuedDeliveries.at(-1)?.deliveryIds ?? [],
  };
}

/** Runs a worker and advances its clock to each next check, until the delivery is done or the time is over. */
async function publishUntilDone(setting: PostedCase, withinMs: number) {
  const { services, advance } = createTestPublisher(new Date());
  const end = services.clock().getTime() + withinMs;
  while (services.clock().getTime() < end) {
    await publishDue(services, setting.deliveryIds);
    const [row] = await queryRows<{ next: string | null }>(
      sql`select min(next_attempt_at) as next from post_deliveries where id = any(${`{${setting.deliveryIds.join(",")}}`}::uuid[])`,
    );
    if (!row?.next) break;
    advance(Math.max(1_000, new Date(row.next).getTime() - services.clock().getTime()));
    // The fakes process media in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const { body } = await setting.tenant.api.get(`/posts/${setting.postId}`);
  return { post: body.data, state: body.data.accounts.states[0] };
}

const behave = ({ account }: PostedCase, answer: string, more: object = {}) =>
  callControl("POST", "/_behave", {
    network: account.platform,
    account: account.externalId,
    answer,
    times: 1,
    ...more,
  });

for (const platform of ["tiktok", "instagram"] as const) {
  const publishCall = platform === "tiktok" ? "upload" : "media_publish";

  test(`${platform}: a post is published once and has a permalink`, async () => {
    const setting = await createPost(platform);
    const { post, state } = await publishUntilDone(setting, 600_000);
    expect(post.status).toBe("posted");
    expect(state).toMatchObject({ status: "posted", error_message: null, next_attempt_at: null });
    expect(state.published_url).toMatch(/^https:\/\/www\.(tiktok|instagram)\.com\//);
    expect(await readPublished(setting.account)).toHaveLength(1);
  });

  test(`${platform}: a post whose response was lost is found and not published again`, async () => {
    const setting = await createPost(platform);
    await behave(setting, "drop_after", { call: publishCall });
    const { state } = await publishUntilDone(setting, 600_000);
    expect(state.status).toBe("posted");
    expect(await readPublished(setting.account)).toHaveLength(1);
    const steps = await queryRows<{ outcome: string }>(
      sql`select outcome from delivery_attempts where delivery_id = ${setting.deliveryIds[0]}`,
    );
    expect(steps.map(({ outcome }) => outcome)).toContain("unknown");
  });

  test(`${platform}: a request that was not received is sent again after reconciling, and published once`, async () => {
    const setting = await createPost(platform);
    await behave(setting, "drop_before", { call: publishCall });
    const { state } = await publishUntilDone(setting, 600_000);
    expect(state.status).toBe("posted");
    expect(await readPublished(setting.account)).toHaveLength(1);
  });

  test(`${platform}: 429 and 500 are retried and reported in the meantime`, async () => {
    for (const answer of ["429", "500"]) {
      const setting = await createPost(platform);
      await behave(setting, answer);
      const { services } = createTestPublisher(new Date());
      await publishDue(services, setting.deliveryIds);
      const { body } = await setting.tenant.api.get(`/posts/${setting.postId}`);
      expect(body.data.status).toBe("retry");
      expect(body.data.accounts.states[0].error_message).toMatch(/next attempt/i);
      const { state } = await publishUntilDone(setting, 26 * 3_600_000);
      expect(state.status).toBe("posted");
      expect(await readPublished(setting.account)).toHaveLength(1);
    }
  });
}

test("a rejected token is refreshed once, and the new one is stored", async () => {
  const setting = await createPost("tiktok", { tokenExpiresAt: new Date(Date.now() - 1000) });
  const { state } = await publishUntilDone(setting, 600_000);
  expect(state.status).toBe("posted");
  const [row] = await queryRows<{ version: number; refresh_token: string | null }>(
    sql`select token_version as version, refresh_token from accounts where id = ${setting.account.id}`,
  );
  expect(row?.version).toBe(1);
  expect(row?.refresh_token).toBeTruthy();
});

test("a revoked connection fails the delivery with a message, and a later post is void once it is due", async () => {
  const setting = await createPost("instagram");
  const url = await uploadDemoVideo(setting.tenant.api);
  const later = await setting.tenant.api.post("/posts", {
    caption: "later",
    accounts: [{ id: setting.account.id }],
    media: { type: "video", url },
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await behave(setting, "refuse", { code: "190", times: 3 });
  const { state } = await publishUntilDone(setting, 600_000);
  expect(state.status).toBe("failed");
  expect(state.error_message).toMatch(/Reconnect the account/);
  const { body: accounts } = await setting.tenant.api.get("/accounts");
  expect(accounts.data.accounts).toEqual([]);
  const readLater = async () => (await setting.tenant.api.get(`/posts/${later.body.data.id}`)).body.data;
  expect((await readLater()).status).toBe("scheduled");
  const { services } = createTestPublisher(new Date(Date.now() + 3_600_000));
  await publishDue(
    services,
    setting.tenant.api.enqueuedDeliveries.flatMap(({ deliveryIds }) => deliveryIds),
  );
  const waiting = await readLater();
  expect(waiting.status).toBe("void");
  // A void post cannot be retried, so the message does not suggest it.
  expect(waiting.accounts.states[0].error_message).toMatch(/Reconnect the account, then create the post/);
  const retry = await setting.tenant.api.post("/posts/retry", { post_ids: [later.body.data.id] });
  expect(retry.body.data).toMatchObject({ retried: 0, failed: [later.body.data.id] });
});

test("a network that stays unavailable fails the delivery after five attempts", async () => {
  const setting = await createPost("instagram");
  await behave(setting, "500", { times: 50 });
  const { state } = await publishUntilDone(setting, 26 * 3_600_000);
  expect(state).toMatchObject({ status: "failed", attempts: 5, next_attempt_at: null });
  expect(state.error_message).toMatch(/failed after 5 attempts/i);
  expect(await readPublished(setting.account)).toEqual([]);
});

test("two concurrent workers publish one delivery once", async () => {
  const setting = await createPost("instagram");
  const both = [createTestPublisher(new Date()), createTestPublisher(new Date())];
  await Promise.all(both.map(({ services }) => publishDue(services, setting.deliveryIds)));
  const { state } = await publishUntilDone(setting, 600_000);
  expect(state.status).toBe("posted");
  expect(await readPublished(setting.account)).toHaveLength(1);
});

test("posts of one account are published one after another, in due order", async () => {
  const { tenant, account, ...first } = await createPost("instagram");
  const url = await uploadDemoVideo(tenant.api);
  const second = await sendPost(tenant, [account], url, "second");
  const ids = [...second.deliveryIds, ...first.deliveryIds];
  await publishUntilDone({ tenant, account, postId: second.postId, deliveryIds: ids }, 600_000);
  // As the network received them: the publisher's clock may stand still between the two.
  expect((await readPublished(account)).map(({ caption }) => caption)).toEqual(["hello", "second"]);
});
