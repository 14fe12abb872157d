// PATCH, retry and delete over HTTP, and their conflicts with a publishing worker.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { extendDeliveryLease, recordStep } from "../../lib/queries/deliveries.ts";
import { claimDeliveries } from "../../lib/queries/delivery-claims.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import {
  createTestAccount,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";

let tenant: Tenant;
let instagram: TestAccount;
let tiktok: TestAccount;
let bluesky: TestAccount;
let url: string;

beforeAll(async () => {
  tenant = await createTestTenant();
  [instagram, tiktok] = [await createTestAccount(tenant, "instagram"), await createTestAccount(tenant, "tiktok")];
  bluesky = await createTestAccount(tenant, "bluesky");
  url = await uploadDemoVideo(tenant.api);
});

const HOUR = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR).toISOString();

async function createScheduledPost(more: object = {}): Promise<string> {
  const body = {
    caption: "one",
    accounts: [{ id: instagram.id }],
    media: { type: "video", url },
    scheduled_at: inAnHour(),
  };
  const answer = await tenant.api.post("/posts", { ...body, ...more });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

/** Sets delivery states that otherwise only a worker sets. */
const updateDeliveries = (postId: string, set: ReturnType<typeof sql>) =>
  queryRows(sql`update post_deliveries set ${set} where post_id = ${postId} returning id`);

test("200 an alias replaces the stored field of the same meaning", async () => {
  const { id: account } = await createTestAccount(tenant, "youtube");
  const sent = { privacy: "public", madeForKids: false, title: "T" };
  const id = await createScheduledPost({ accounts: [{ id: account }], settings: { youtube: sent } });
  const youtube = { type: "private", selfDeclaredMadeForKids: "yes" };
  expect((await tenant.api.patch(`/posts/${id}`, { settings: { youtube } })).status).toBe(200);
  const [row] = await queryRows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(row?.settings).toEqual({ youtube: { title: "T", ...youtube } });
});

test("200 updates caption, settings, accounts and media, and null clears them", async () => {
  const id = await createScheduledPost({ settings: { instagram: { share_to_feed: true } } });
  const answer = await tenant.api.patch(`/posts/${id}`, {
    caption: "two",
    accounts: [{ id: tiktok.id }, { id: instagram.id }],
    settings: { instagram: { post_type: "story" } },
  });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toMatchObject({ caption: "two", status: "scheduled", accounts: { total: 2 } });
  expect(answer.body.data.accounts.states.map((state: { account_id: string }) => state.account_id)).toEqual([
    tiktok.id,
    instagram.id,
  ]);
  const only = await tenant.api.patch(`/posts/${id}`, {
    accounts: [{ id: tiktok.id }],
    tiktok: { disable_duet: true },
    settings: {},
  });
  expect([only.status, only.body.error_code]).toEqual([400, "validation_failed"]);
  const [row] = await queryRows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(row?.settings).toEqual({ instagram: { share_to_feed: true, post_type: "story" } });
  const without = { accounts: [{ id: tiktok.id }], settings: { "instagram-standalone": null } };
  expect((await tenant.api.patch(`/posts/${id}`, without)).status).toBe(200);
  const [left] = await queryRows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(left?.settings).toEqual({});
  const twice = await tenant.api.patch(`/posts/${id}`, { settings: { x: null, twitter: {} } });
  expect([twice.status, Object.keys(twice.body.issues.fieldErrors)]).toEqual([422, ["settings"]]);
  const cleared = await tenant.api.patch(`/posts/${id}`, { media: null });
  expect([cleared.status, cleared.body.error_code]).toEqual([400, "validation_failed"]);
});

test("200 scheduled_at reschedules, null publishes now", async () => {
  const id = await createScheduledPost();
  const at = new Date(Date.now() + 2 * HOUR).toISOString();
  expect((await tenant.api.patch(`/posts/${id}`, { scheduled_at: at })).body.data).toMatchObject({
    status: "scheduled",
    scheduled_at: at,
  });
  const before = tenant.api.enqueuedDeliveries.length;
  const now = await tenant.api.patch(`/posts/${id}`, { scheduled_at: null });
  expect(now.body.data).toMatchObject({ status: "pending", scheduled_at: null });
  expect(tenant.api.enqueuedDeliveries.length).toBe(before + 1);
});

test("409 post_in_flight while a worker holds the lease or the outcome is unknown; nothing is changed", async () => {
  for (const set of [
    sql`status = 'pending', lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute'`,
    sql`status = 'retry', stage = 'armed'`,
    sql`status = 'pending', stage = 'sent'`,
  ]) {
    const id = await createScheduledPost();
    await updateDeliveries(id, set);
    const answer = await tenant.api.patch(`/posts/${id}`, { caption: "too late" });
    expect([answer.status, answer.body.error_code]).toEqual([409, "post_in_flight"]);
    expect((await tenant.api.get(`/posts/${id}`)).body.data.caption).toBe("one");
    const deleted = await tenant.api.post("/posts/delete", { post_ids: [id] });
    expect(deleted.body.data).toMatchObject({ deletedIds: [], blockedStatuses: [{ id }] });
  }
});

test("409 post_not_editable for a published post, 409 external_id_immutable", async () => {
  const id = await createScheduledPost({ external_id: newId() });
  const moved = await tenant.api.patch(`/posts/${id}`, { external_id: newId() });
  expect([moved.status, moved.body.error_code]).toEqual([409, "external_id_immutable"]);
  await updateDeliveries(id, sql`status = 'posted', next_attempt_at = null`);
  const out = await tenant.api.patch(`/posts/${id}`, { caption: "too late" });
  expect([out.status, out.body.error_code]).toEqual([409, "post_not_editable"]);
});

test("422 for an empty patch, with issues", async () => {
  const answer = await tenant.api.patch(`/posts/${await createScheduledPost()}`, {});
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(answer.body.issues.formErrors).toHaveLength(1);
});

test("200 for parallel updates, and none of them is lost", async () => {
  const id = await createScheduledPost();
  const at = new Date(Date.now() + 2 * HOUR).toISOString();
  const both = [{ id: instagram.id }, { id: tiktok.id }];
  const changes = [{ caption: "all" }, { scheduled_at: at }, { accounts: both }, { settings: { instagram: {} } }];
  const answers = await Promise.all(
    [...changes, ...changes, ...changes].map((change) => tenant.api.patch(`/posts/${id}`, change)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { data } = (await tenant.api.get(`/posts/${id}`)).body;
  expect(data).toMatchObject({ caption: "all", scheduled_at: at, accounts: { total: 2 } });
});

test("200 and 400 for parallel updates that are invalid only together", async () => {
  const id = await createScheduledPost();
  const answers = await Promise.all([
    tenant.api.patch(`/posts/${id}`, { media: null, accounts: [{ id: bluesky.id }] }),
    tenant.api.patch(`/posts/${id}`, { caption: "x".repeat(301) }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test("200 or 409 for an update concurrent with a claim, never both successful", async () => {
  const account = await createTestAccount(tenant, "instagram");
  for (let round = 0; round < 20; round++) {
    const id = await createScheduledPost({ accounts: [{ id: account.id }] });
    await updateDeliveries(id, sql`next_attempt_at = now(), due_at = now()`);
    const [row] = await queryRows<{ id: string }>(sql`select id from post_deliveries where post_id = ${id}`);
    const now = new Date();
    const [update, claimed] = await Promise.all([
      tenant.api.patch(`/posts/${id}`, { caption: "edited" }),
      claimDeliveries(openTestDatabase(), {
        now,
        leaseUntil: new Date(now.getTime() + 60_000),
        leaseToken: newId(),
        ids: [row?.id ?? ""],
        withoutUploads: false,
        limit: 1,
      }),
    ]);
    const published = claimed[0]?.post.caption;
    // The worker either claimed the old caption and the update is rejected, or it sees the new caption, or claims nothing.
    expect([update.status, published]).toEqual(
      update.status === 200 ? [200, published === undefined ? undefined : "edited"] : [409, "one"],
    );
    await updateDeliveries(id, sql`lease_token = null, lease_until = null, status = 'failed', next_attempt_at = null`);
    await queryRows(
      sql`update accounts set lease_token = null, lease_until = null where id = ${account.id} returning id`,
    );
  }
});

test("200 an update after a lease expired; the former holder can no longer write", async () => {
  const account = await createTestAccount(tenant, "instagram");
  const id = await createScheduledPost({ accounts: [{ id: account.id }] });
  await updateDeliveries(id, sql`next_attempt_at = now(), due_at = now()`);
  const [row] = await queryRows<{ id: string }>(sql`select id from post_deliveries where post_id = ${id}`);
  const now = new Date();
  const [claimed] = await claimDeliveries(openTestDatabase(), {
    now,
    leaseUntil: new Date(now.getTime() - 1),
    leaseToken: newId(),
    ids: [row?.id ?? ""],
    withoutUploads: false,
    limit: 1,
  });
  if (!claimed) throw new Error("The delivery was not claimed.");
  expect((await tenant.api.patch(`/posts/${id}`, { caption: "edited" })).status).toBe(200);
  const again = new Date(Date.now() + 60_000);
  expect(await extendDeliveryLease(openTestDatabase(), claimed, again, null)).toBe(false);
  const step = { step: "start", outcome: "started" };
  expect(await recordStep(openTestDatabase(), claimed, { stage: "started" }, step, now, again)).toBeNull();
});

test("200 retry requeues failed deliveries and reports why others are not", async () => {
  const [failed, pending] = [await createScheduledPost(), await createScheduledPost()];
  await updateDeliveries(
    failed,
    sql`status = 'failed', next_attempt_at = null, attempts = 5, error_message = 'gone', stage = 'done'`,
  );
  const foreign = newId();
  const answer = await tenant.api.post("/posts/retry", { post_ids: [failed, pending, foreign, failed] });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual({
    retried: 1,
    ids: [failed],
    failed: [pending, foreign],
    errors: { [pending]: expect.stringContaining("scheduled"), [foreign]: expect.stringContaining("visible") },
    warnings: [],
  });
  const { body } = await tenant.api.get(`/posts/${failed}`);
  expect(body.data).toMatchObject({ status: "pending", accounts: { states: [{ attempts: 0, error_message: null }] } });
  await updateDeliveries(failed, sql`status = 'failed', next_attempt_at = null, stage = 'armed'`);
  const elsewhere = await tenant.api.post("/posts/retry", { post_ids: [failed], account_ids: [tiktok.id] });
  expect(elsewhere.body.data).toMatchObject({ retried: 0, failed: [failed] });
  await tenant.api.post("/posts/retry", { post_ids: [failed], account_ids: [instagram.id] });
  const [row] = await queryRows<{ stage: string }>(sql`select stage from post_deliveries where post_id = ${failed}`);
  expect(row?.stage).toBe("armed");
});

test("200 an account added to a failed post is published only by a retry or a new time", async () => {
  const both = { accounts: [{ id: instagram.id }, { id: tiktok.id }] };
  const [retried, moved] = [await createScheduledPost(), await createScheduledPost()];
  const before = tenant.api.enqueuedDeliveries.length;
  for (const id of [retried, moved]) {
    await updateDeliveries(id, sql`status = 'failed', next_attempt_at = null`);
    const answer = await tenant.api.patch(`/posts/${id}`, both);
    expect([answer.status, answer.body.data.status]).toEqual([200, "failed"]);
    const added = { account_id: tiktok.id, status: "failed", error_code: "not_published", next_attempt_at: null };
    expect(answer.body.data.accounts.states).toMatchObject([{ account_id: instagram.id, status: "failed" }, added]);
    expect((await tenant.api.get(`/posts/${id}`)).body.data.accounts.states).toMatchObject([{}, added]);
    const due = sql`select 1 from post_deliveries where post_id = ${id} and next_attempt_at is not null`;
    expect(await queryRows(due)).toEqual([]);
  }
  expect(tenant.api.enqueuedDeliveries).toHaveLength(before);

  const queued = { status: "pending", error_code: null, error_message: null, next_attempt_at: expect.any(String) };
  const retry = await tenant.api.post("/posts/retry", { post_ids: [retried] });
  expect(retry.body.data).toMatchObject({ retried: 1, ids: [retried] });
  const now = await tenant.api.patch(`/posts/${moved}`, { scheduled_at: null });
  expect([now.status, now.body.data.status]).toEqual([200, "pending"]);
  for (const id of [retried, moved]) {
    const { data } = (await tenant.api.get(`/posts/${id}`)).body;
    expect(data).toMatchObject({ status: "pending", accounts: { total: 2, states: [queued, queued] } });
  }
  const enqueued = tenant.api.enqueuedDeliveries.slice(before);
  expect(enqueued.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(4);
});

test("200 delete reports deleted, blocked and skipped posts; 400 for more than 50", async () => {
  const [gone, out, foreign] = [await createScheduledPost(), await createScheduledPost(), newId()];
  await updateDeliveries(out, sql`status = 'posted', next_attempt_at = null`);
  const answer = await tenant.api.post("/posts/delete", { postIds: [gone, out, foreign, gone] });
  expect(answer.body.data).toEqual({
    deletedIds: [gone],
    blockedStatuses: [{ id: out, status: "posted" }],
    skipped: [foreign],
  });
  expect((await tenant.api.get(`/posts/${gone}`)).status).toBe(404);
  const many = await tenant.api.post("/posts/delete", { post_ids: Array.from({ length: 51 }, () => newId()) });
  expect([many.status, many.body.error_code]).toEqual([400, "too_many_post_ids"]);
  const both = await tenant.api.post("/posts/delete", { post_ids: [gone], postIds: [gone] });
  expect(both.status).toBe(422);
  const { body } = await tenant.api.get("/posts");
  expect(body.data.summary.by_status.posted).toBeGreaterThan(0);
});
