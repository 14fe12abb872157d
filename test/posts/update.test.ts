// PATCH over HTTP, and its conflicts with other updates and with a publishing worker.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { extendDeliveryLease, recordStep } from "../../lib/queries/deliveries.ts";
import { claimDeliveries } from "../../lib/queries/delivery-claims.ts";
import { createTestAccount, openTestDatabase, queryRows } from "../support/harness.ts";
import { expectError, inHours, openPostTenant, updateAccount, updateDeliveries } from "./post-requests.ts";

const { tenant, api, instagram, tiktok, bluesky, buildBody, createPost } = await openPostTenant();

test("200 an alias replaces the stored field of the same meaning", async () => {
  const { id: account } = await createTestAccount(tenant, "youtube");
  const sent = { privacy: "public", madeForKids: false, title: "T" };
  const id = await createPost({ accounts: [{ id: account }], settings: { youtube: sent } });
  const youtube = { type: "private", selfDeclaredMadeForKids: "yes" };
  expect((await api.patch(`/posts/${id}`, { settings: { youtube } })).status).toBe(200);
  const [row] = await queryRows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(row?.settings).toEqual({ youtube: { title: "T", ...youtube } });
});

test("200 updates caption, settings, accounts and media, and null clears them", async () => {
  const id = await createPost({ settings: { instagram: { share_to_feed: true } } });
  const response = await api.patch(`/posts/${id}`, {
    caption: "two",
    accounts: [{ id: tiktok.id }, { id: instagram.id }],
    settings: { instagram: { post_type: "story" } },
  });
  expect(response.status).toBe(200);
  expect(response.body.data).toMatchObject({ caption: "two", status: "scheduled", accounts: { total: 2 } });
  expect(response.body.data.accounts.states.map((state: { account_id: string }) => state.account_id)).toEqual([
    tiktok.id,
    instagram.id,
  ]);
  const only = await api.patch(`/posts/${id}`, {
    accounts: [{ id: tiktok.id }],
    tiktok: { disable_duet: true },
    settings: {},
  });
  expectError(only, 400, "validation_failed");
  const [row] = await queryRows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(row?.settings).toEqual({ instagram: { share_to_feed: true, post_type: "story" } });
  const without = { accounts: [{ id: tiktok.id }], settings: { "instagram-standalone": null } };
  expect((await api.patch(`/posts/${id}`, without)).status).toBe(200);
  const [left] = await queryRows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(left?.settings).toEqual({});
  const twice = await api.patch(`/posts/${id}`, { settings: { x: null, twitter: {} } });
  expect([twice.status, Object.keys(twice.body.issues.fieldErrors)]).toEqual([422, ["settings"]]);
  const cleared = await api.patch(`/posts/${id}`, { media: null });
  expectError(cleared, 400, "validation_failed");
});

test("200 scheduled_at reschedules, null publishes now", async () => {
  const id = await createPost();
  const at = inHours(2);
  expect((await api.patch(`/posts/${id}`, { scheduled_at: at })).body.data).toMatchObject({
    status: "scheduled",
    scheduled_at: at,
  });
  const before = api.enqueuedDeliveries.length;
  const now = await api.patch(`/posts/${id}`, { scheduled_at: null });
  expect(now.body.data).toMatchObject({ status: "pending", scheduled_at: null });
  expect(api.enqueuedDeliveries.length).toBe(before + 1);
});

test.each<[code: string, path: string, change: () => object]>([
  ["unknown_accounts", "accounts.0", () => ({ accounts: [{ id: newId() }] })],
  ["media_unreachable", "media.url", () => ({ media: { type: "video", url: "http://127.0.0.1:9/gone.mp4" } })],
  ["invalid_music_url", "music_url", () => ({ music_url: "https://www.tiktok.com/music/a-1" })],
])("400 %s on an update, and the post is unchanged", async (code, path, change) => {
  const id = await createPost();
  expectError(await api.patch(`/posts/${id}`, { caption: "two", ...change() }), 400, code, path);
  const { media } = buildBody();
  expect((await api.get(`/posts/${id}`)).body.data).toMatchObject({ caption: "one", media });
});

test("409 post_in_flight while a worker holds the lease or the outcome is unknown; nothing is changed", async () => {
  for (const set of [
    sql`status = 'pending', lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute'`,
    sql`status = 'retry', stage = 'armed'`,
    sql`status = 'pending', stage = 'sent'`,
  ]) {
    const id = await createPost();
    await updateDeliveries(id, set);
    const response = await api.patch(`/posts/${id}`, { caption: "too late" });
    expectError(response, 409, "post_in_flight");
    expect((await api.get(`/posts/${id}`)).body.data.caption).toBe("one");
    const deleted = await api.post("/posts/delete", { post_ids: [id] });
    expect(deleted.body.data).toMatchObject({ deletedIds: [], blockedStatuses: [{ id }] });
  }
});

test("409 post_conflict for another updated_at than the post has, and nothing is written", async () => {
  const id = await createPost({}, "/posts/prepare");
  const { data: read } = (await api.get(`/posts/${id}`)).body;
  const first = await api.patch(`/posts/${id}`, { caption: "mine", expected_updated_at: read.updated_at });
  expect([first.status, first.body.data.caption]).toEqual([200, "mine"]);
  expect(first.body.data.updated_at > read.updated_at).toBe(true);
  expectError(
    await api.patch(`/posts/${id}`, { caption: "theirs", expected_updated_at: read.updated_at }),
    409,
    "post_conflict",
  );
  expect((await api.get(`/posts/${id}`)).body.data).toMatchObject({
    caption: "mine",
    updated_at: first.body.data.updated_at,
  });
  const { updated_at } = first.body.data;
  expect((await api.patch(`/posts/${id}`, { caption: "both", expected_updated_at: updated_at })).status).toBe(200);
  expectError(await api.patch(`/posts/${id}`, { expected_updated_at: updated_at }), 422, "invalid_payload");
});

test("200 for one of many parallel updates that expect the same updated_at, 409 post_conflict for the others", async () => {
  const id = await createPost({}, "/posts/prepare");
  const { updated_at } = (await api.get(`/posts/${id}`)).body.data;
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      api.patch(`/posts/${id}`, { caption: `${at}`, expected_updated_at: updated_at }),
    ),
  );
  const [done, ...others] = responses.toSorted((one, other) => one.status - other.status);
  expect(done?.status).toBe(200);
  for (const other of others) expectError(other, 409, "post_conflict");
  expect((await api.get(`/posts/${id}`)).body.data.caption).toBe(done?.body.data.caption);
});

test("200 draft: true pauses a scheduled post, which keeps its time and is committed again", async () => {
  const at = inHours(3);
  const id = await createPost({ scheduled_at: at });
  const paused = await api.patch(`/posts/${id}`, { draft: true });
  expect(paused.body.data).toMatchObject({ status: "draft", scheduled_at: at, plan_hash: expect.any(String) });
  expect(paused.body.data.accounts.states).toMatchObject([{ status: "draft", next_attempt_at: null }]);
  expect((await api.patch(`/posts/${id}`, { draft: true })).status).toBe(200);
  const committed = await api.post(`/posts/${id}/commit`, { plan_hash: paused.body.data.plan_hash });
  expect(committed.body.data).toMatchObject({ status: "scheduled", scheduled_at: at });
  expect(committed.body.data.accounts.states).toMatchObject([{ status: "scheduled", next_attempt_at: at }]);
});

test("409 post_not_editable for draft: true on a post that is due, failed or published", async () => {
  for (const status of ["pending", "failed", "posted"]) {
    const id = await createPost();
    await updateDeliveries(id, sql`status = ${status}`);
    expectError(await api.patch(`/posts/${id}`, { draft: true }), 409, "post_not_editable");
    expect((await api.get(`/posts/${id}`)).body.data.status).toBe(status);
  }
});

test("409 post_conflict when the status changed since the post was read", async () => {
  const id = await createPost({}, "/posts/prepare");
  const { updated_at } = (await api.get(`/posts/${id}`)).body.data;
  expect((await api.post(`/posts/${id}/commit`, {})).status).toBe(200);
  expectError(
    await api.patch(`/posts/${id}`, { caption: "late", expected_updated_at: updated_at }),
    409,
    "post_conflict",
  );
  expect((await api.get(`/posts/${id}`)).body.data).toMatchObject({ caption: "one", status: "scheduled" });
});

test("409 post_not_editable for a published post, 409 external_id_immutable", async () => {
  const id = await createPost({ external_id: newId() });
  const moved = await api.patch(`/posts/${id}`, { external_id: newId() });
  expectError(moved, 409, "external_id_immutable");
  await updateDeliveries(id, sql`status = 'posted', next_attempt_at = null`);
  const out = await api.patch(`/posts/${id}`, { caption: "too late" });
  expectError(out, 409, "post_not_editable");
});

test("422 for an empty patch, with issues", async () => {
  const response = await api.patch(`/posts/${await createPost()}`, {});
  expectError(response, 422, "invalid_payload");
  expect(response.body.issues.formErrors).toHaveLength(1);
});

test("200 for parallel updates, and none of them is lost", async () => {
  const id = await createPost();
  const at = inHours(2);
  const both = [{ id: instagram.id }, { id: tiktok.id }];
  const changes = [{ caption: "all" }, { scheduled_at: at }, { accounts: both }, { settings: { instagram: {} } }];
  const responses = await Promise.all(
    [...changes, ...changes, ...changes].map((change) => api.patch(`/posts/${id}`, change)),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const { data } = (await api.get(`/posts/${id}`)).body;
  expect(data).toMatchObject({ caption: "all", scheduled_at: at, accounts: { total: 2 } });
});

test("200 and 400 for parallel updates that are invalid only together", async () => {
  const id = await createPost();
  const responses = await Promise.all([
    api.patch(`/posts/${id}`, { media: null, accounts: [{ id: bluesky.id }] }),
    api.patch(`/posts/${id}`, { caption: "x".repeat(301) }),
  ]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test("200 or 409 for an update concurrent with a claim, never both successful", async () => {
  const account = await createTestAccount(tenant, "instagram");
  for (let round = 0; round < 20; round++) {
    const id = await createPost({ accounts: [{ id: account.id }] });
    await updateDeliveries(id, sql`next_attempt_at = now(), due_at = now()`);
    const [row] = await queryRows<{ id: string }>(sql`select id from post_deliveries where post_id = ${id}`);
    const now = new Date();
    const [update, claimed] = await Promise.all([
      api.patch(`/posts/${id}`, { caption: "edited" }),
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
    await updateAccount(account.id, sql`lease_token = null, lease_until = null`);
  }
});

test("200 an update after a lease expired; the former holder can no longer write", async () => {
  const account = await createTestAccount(tenant, "instagram");
  const id = await createPost({ accounts: [{ id: account.id }] });
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
  expect((await api.patch(`/posts/${id}`, { caption: "edited" })).status).toBe(200);
  const again = new Date(Date.now() + 60_000);
  expect(await extendDeliveryLease(openTestDatabase(), claimed, again, null)).toBe(false);
  const step = { step: "start", outcome: "started" };
  expect(await recordStep(openTestDatabase(), claimed, { stage: "started" }, step, now, again)).toBeNull();
});
