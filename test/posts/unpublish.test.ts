// Taking a post down over HTTP: what each network lost, and what the caller is told of each account.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { callControl, createTestTenant, queryRows, readPublished, type TestAccount } from "../support/harness.ts";
import { createPostOf, expectError, inHours } from "./post-requests.ts";
import { listCalls, type PublishedSetting, publishTo, readPost, TEXT_NETWORKS, unpublish } from "./published-post.ts";

const behave = ({ platform, externalId }: TestAccount, answer: string, more: object = {}) =>
  callControl("POST", "/_behave", { network: platform, account: externalId, answer, times: 1, ...more });

const readEvents = async ({ tenant }: PublishedSetting) =>
  (await tenant.api.get("/events?limit=200")).body.data.events.map(({ type }: { type: string }) => type);

test("200 removes a post from every network that can, and the post becomes deleted", async () => {
  const setting = await publishTo(TEXT_NETWORKS);
  expect(await readPost(setting)).toMatchObject({ status: "posted" });
  const { status, body } = await unpublish(setting);
  expect(status).toBe(200);
  expect(body.data).toEqual({
    id: setting.postId,
    status: "deleted",
    results: setting.accounts.map(({ id }) => ({
      account_id: id,
      result: "unpublished",
      message: expect.stringMatching(/ removed the post\.$/),
      url: expect.stringMatching(/^https:/),
    })),
  });
  for (const account of setting.accounts) expect(await readPublished(account), account.platform).toEqual([]);
  const post = await readPost(setting);
  expect(post.status).toBe("deleted");
  for (const state of post.accounts.states) {
    expect(state).toMatchObject({ status: "deleted", error_code: null, next_attempt_at: null });
    expect(state.published_url).toMatch(/^https:/);
  }
});

test("200 says how a person removes it where the network has no call for it", async () => {
  const setting = await publishTo(["instagram", "tiktok", "pinterest", "youtube"]);
  const { body } = await unpublish(setting);
  expect(body.data).toMatchObject({
    status: "posted",
    results: [
      { result: "not_supported", message: expect.stringMatching(/Instagram app, then Delete.*Facebook Login/) },
      { result: "not_supported", message: expect.stringContaining("TikTok app") },
      { result: "unpublished" },
      { result: "unpublished" },
    ],
  });
  const [instagram] = body.data.results;
  expect(instagram.url).toMatch(/^https:\/\/www\.instagram\.com\//);
  expect((await readPost(setting)).accounts.states.map(({ status }: { status: string }) => status)).toEqual([
    "posted",
    "posted",
    "deleted",
    "deleted",
  ]);
});

test("200 again: every account answers that the post is gone, and no network is called", async () => {
  const setting = await publishTo(["twitter", "bluesky"]);
  await unpublish(setting);
  const before = await listCalls(setting);
  const { status, body } = await unpublish(setting);
  expect([status, body.data.status]).toEqual([200, "deleted"]);
  expect(body.data.results.map(({ result }: { result: string }) => result)).toEqual(["already_gone", "already_gone"]);
  expect(await listCalls(setting)).toEqual(before);
});

test("200 already_gone when a person deleted the post at the network before", async () => {
  const setting = await publishTo(["twitter", "facebook", "bluesky", "threads"]);
  for (const { externalId } of setting.accounts) await callControl("DELETE", `/_published?account=${externalId}`);
  const { body } = await unpublish(setting);
  expect(body.data.results.map(({ result }: { result: string }) => result)).toEqual(Array(4).fill("already_gone"));
  expect(body.data.status).toBe("deleted");
});

test("200 with account_ids takes it down there only, and the rest stays posted", async () => {
  const setting = await publishTo(["twitter", "bluesky"]);
  const [twitter, bluesky] = setting.accounts as [TestAccount, TestAccount];
  const { body } = await unpublish(setting, { account_ids: [bluesky.id, bluesky.id] });
  expect(body.data).toMatchObject({ status: "posted", results: [{ account_id: bluesky.id, result: "unpublished" }] });
  expect(await readPublished(twitter)).toHaveLength(1);
  expect(await readEvents(setting)).toEqual(expect.arrayContaining(["post.unpublished"]));
});

test("200 an account without the permission is failed, named in the message, and stays connected", async () => {
  const options = { scopes: ["threads_basic", "threads_content_publish"] };
  const setting = await publishTo(["threads"], { options });
  const { body } = await unpublish(setting);
  expect(body.data).toMatchObject({
    status: "posted",
    results: [{ result: "failed", message: expect.stringMatching(/threads_delete.*Reconnect/) }],
  });
  const { accounts } = (await setting.tenant.api.get("/accounts")).body.data;
  expect(accounts).toEqual([expect.objectContaining({ status: "active" })]);
});

test.each(["drop_before", "drop_after", "500"])(
  "200 after a lost answer (%s): the call is repeated",
  async (answer) => {
    const setting = await publishTo(["twitter", "bluesky"]);
    for (const account of setting.accounts) await behave(account, answer);
    const { body } = await unpublish(setting);
    expect(body.data.status).toBe("deleted");
    for (const account of setting.accounts) expect(await readPublished(account)).toEqual([]);
  },
);

test("200 failed with the reason and the time when the network limits, and a repetition completes it", async () => {
  const setting = await publishTo(["twitter", "facebook"]);
  await behave(setting.accounts[0] as TestAccount, "429");
  const { body } = await unpublish(setting);
  expect(body.data).toMatchObject({
    status: "posted",
    results: [
      { result: "failed", message: expect.stringMatching(/rate limiting.*after 20\d\d-/) },
      { result: "unpublished" },
    ],
  });
  expect((await unpublish(setting)).body.data).toMatchObject({
    status: "deleted",
    results: [{ result: "unpublished" }, { result: "already_gone" }],
  });
});

test("200 with a token that the network no longer accepts: it is refreshed once", async () => {
  const setting = await publishTo(["twitter"]);
  const { platform, externalId, accessToken } = setting.accounts[0] as TestAccount;
  await callControl("PUT", "/_accounts", { platform, externalId, accessToken, expired: true });
  expect((await unpublish(setting)).body.data.status).toBe("deleted");
});

test("200 with the same Idempotency-Key answers the first answer", async () => {
  const setting = await publishTo(["bluesky"]);
  const key = { "Idempotency-Key": newId() };
  const first = await unpublish(setting, {}, key);
  const again = await unpublish(setting, {}, key);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("a request that died leaves a lease that ends, and the next one finds the post gone", async () => {
  const setting = await publishTo(["twitter"]);
  await unpublish(setting);
  const lost = sql`update post_deliveries set status = 'posted', lease_token = ${newId()}, lease_until = now() + interval '1 minute'
    where post_id = ${setting.postId} returning id`;
  await queryRows(lost);
  expectError(await unpublish(setting), 409, "post_in_flight");
  await queryRows(
    sql`update post_deliveries set lease_until = now() - interval '5 seconds' where post_id = ${setting.postId} returning id`,
  );
  expect((await unpublish(setting)).body.data).toMatchObject({
    status: "deleted",
    results: [{ result: "already_gone" }],
  });
});

describe("errors", () => {
  test("404 hides a post of another tenant, and what is no id", async () => {
    const setting = await publishTo(["bluesky"]);
    const other = await createTestTenant();
    expectError(await other.api.post(`/posts/${setting.postId}/unpublish`, {}), 404, "not_found");
    expectError(await other.api.post("/posts/nothing/unpublish", {}), 404, "not_found");
    expect(await readPublished(setting.accounts[0] as TestAccount)).toHaveLength(1);
  });

  test("400 unknown_accounts for an account that is not in the post, and nothing is removed", async () => {
    const setting = await publishTo(["bluesky"]);
    const [own] = setting.accounts as [TestAccount];
    expectError(await unpublish(setting, { account_ids: [own.id, newId()] }), 400, "unknown_accounts");
    expect(await readPublished(own)).toHaveLength(1);
    expect((await unpublish(setting)).status).toBe(200);
  });

  test("409 post_not_published for what is not out, 409 post_in_flight while it is being sent", async () => {
    const { tenant, accounts } = await publishTo(["bluesky"]);
    const sent = { caption: "later", accounts: [{ id: accounts[0]?.id }], scheduled_at: inHours(1) };
    const postId = await createPostOf(tenant, sent);
    expectError(await unpublish({ tenant, accounts, postId }), 409, "post_not_published");
    const armed = sql`update post_deliveries set status = 'pending', stage = 'armed' where post_id = ${postId} returning id`;
    await queryRows(armed);
    expectError(await unpublish({ tenant, accounts, postId }), 409, "post_in_flight");
  });

  test("422 for a body with other fields, too many accounts or none", async () => {
    const setting = await publishTo(["bluesky"]);
    for (const body of [
      { accounts: [] },
      { account_ids: [] },
      { account_ids: Array.from({ length: 11 }, () => newId()) },
    ]) {
      expectError(await unpublish(setting, body), 422, "invalid_payload");
    }
  });
});

describe("afterwards", () => {
  test("lists show it as deleted, no status lists it alone, and the summary counts it in the total only", async () => {
    const setting = await publishTo(["bluesky"]);
    await unpublish(setting);
    expectError(await setting.tenant.api.get("/posts?status=deleted"), 400, "invalid_status");
    const { body } = await setting.tenant.api.get("/posts");
    expect(body.data.posts).toMatchObject([{ id: setting.postId, status: "deleted" }]);
    expect(body.data.summary).toMatchObject({
      total: 1,
      published: 0,
      pending: 0,
      by_status: { posted: 0, failed: 0 },
    });
  });

  test("a deleted post is not edited and not retried, and its record can be deleted", async () => {
    const setting = await publishTo(["bluesky"]);
    await unpublish(setting);
    const { api } = setting.tenant;
    expectError(await api.patch(`/posts/${setting.postId}`, { caption: "b" }), 409, "post_not_editable");
    const retried = await api.post("/posts/retry", { post_ids: [setting.postId] });
    expect(retried.body.data).toMatchObject({ retried: 0, failed: [setting.postId] });
    const deleted = await api.post("/posts/delete", { post_ids: [setting.postId] });
    expect(deleted.body.data.deletedIds).toEqual([setting.postId]);
  });

  test("an update of a failed post never publishes again where the post was taken down", async () => {
    const setting = await publishTo(["twitter", "bluesky"]);
    const [twitter, bluesky] = setting.accounts as [TestAccount, TestAccount];
    await queryRows(
      sql`update post_deliveries set status = 'failed' where post_id = ${setting.postId} and account_id = ${bluesky.id} returning id`,
    );
    const taken = await unpublish(setting);
    expect(taken.body.data).toMatchObject({ status: "failed", results: [{ account_id: twitter.id }] });
    expect(await readEvents(setting)).not.toContain("post.failed");
    const { api } = setting.tenant;
    const updated = await api.patch(`/posts/${setting.postId}`, { scheduled_at: inHours(1), caption: "b" });
    expect(updated.body.data.accounts.states).toMatchObject([{ status: "deleted" }, { status: "scheduled" }]);
  });

  test("the audit log has who took it down, also from one account of several", async () => {
    const setting = await publishTo(["twitter", "bluesky"]);
    await unpublish(setting, { account_ids: [setting.accounts[0]?.id] });
    const rows = await queryRows<{ action: string; actor_kind: string }>(
      sql`select action, actor_kind from audit_log where record_id = ${setting.postId} order by id desc limit 1`,
    );
    expect(rows).toEqual([{ action: "posts.unpublish", actor_kind: "key" }]);
  });
});
