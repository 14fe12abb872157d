// Retry and delete over HTTP: what is queued again, what is deleted, and what is neither.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { queryRows } from "../support/harness.ts";
import { expectError, openPostTenant, updateDeliveries } from "./post-requests.ts";

const { api, instagram, tiktok, createPost } = await openPostTenant();

test("200 retry requeues failed deliveries and reports why others are not", async () => {
  const [failed, pending] = [await createPost(), await createPost()];
  await updateDeliveries(
    failed,
    sql`status = 'failed', next_attempt_at = null, attempts = 5, error_message = 'gone', stage = 'done'`,
  );
  const foreign = newId();
  const response = await api.post("/posts/retry", { post_ids: [failed, pending, foreign, failed] });
  expect(response.status).toBe(200);
  expect(response.body.data).toEqual({
    retried: 1,
    ids: [failed],
    failed: [pending, foreign],
    errors: { [pending]: expect.stringContaining("scheduled"), [foreign]: expect.stringContaining("visible") },
    warnings: [],
  });
  const { body } = await api.get(`/posts/${failed}`);
  expect(body.data).toMatchObject({ status: "pending", accounts: { states: [{ attempts: 0, error_message: null }] } });
  await updateDeliveries(failed, sql`status = 'failed', next_attempt_at = null, stage = 'armed'`);
  const elsewhere = await api.post("/posts/retry", { post_ids: [failed], account_ids: [tiktok.id] });
  expect(elsewhere.body.data).toMatchObject({ retried: 0, failed: [failed] });
  await api.post("/posts/retry", { post_ids: [failed], account_ids: [instagram.id] });
  const [row] = await queryRows<{ stage: string }>(sql`select stage from post_deliveries where post_id = ${failed}`);
  expect(row?.stage).toBe("armed");
});

test("200 an account added to a failed post is published only by a retry or a new time", async () => {
  const both = { accounts: [{ id: instagram.id }, { id: tiktok.id }] };
  const [retried, moved] = [await createPost(), await createPost()];
  const before = api.enqueuedDeliveries.length;
  for (const id of [retried, moved]) {
    await updateDeliveries(id, sql`status = 'failed', next_attempt_at = null`);
    const response = await api.patch(`/posts/${id}`, both);
    expect([response.status, response.body.data.status]).toEqual([200, "failed"]);
    const added = { account_id: tiktok.id, status: "failed", error_code: "not_published", next_attempt_at: null };
    expect(response.body.data.accounts.states).toMatchObject([{ account_id: instagram.id, status: "failed" }, added]);
    expect((await api.get(`/posts/${id}`)).body.data.accounts.states).toMatchObject([{}, added]);
    const due = sql`select 1 from post_deliveries where post_id = ${id} and next_attempt_at is not null`;
    expect(await queryRows(due)).toEqual([]);
  }
  expect(api.enqueuedDeliveries).toHaveLength(before);

  const queued = { status: "pending", error_code: null, error_message: null, next_attempt_at: expect.any(String) };
  const retry = await api.post("/posts/retry", { post_ids: [retried] });
  expect(retry.body.data).toMatchObject({ retried: 1, ids: [retried] });
  const now = await api.patch(`/posts/${moved}`, { scheduled_at: null });
  expect([now.status, now.body.data.status]).toEqual([200, "pending"]);
  for (const id of [retried, moved]) {
    const { data } = (await api.get(`/posts/${id}`)).body;
    expect(data).toMatchObject({ status: "pending", accounts: { total: 2, states: [queued, queued] } });
  }
  const enqueued = api.enqueuedDeliveries.slice(before);
  expect(enqueued.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(4);
});

test("200 delete reports deleted, blocked and skipped posts; 400 for more than 50", async () => {
  const [gone, out, foreign] = [await createPost(), await createPost(), newId()];
  await updateDeliveries(out, sql`status = 'posted', next_attempt_at = null`);
  const response = await api.post("/posts/delete", { postIds: [gone, out, foreign, gone] });
  expect(response.body.data).toEqual({
    deletedIds: [gone],
    blockedStatuses: [{ id: out, status: "posted" }],
    skipped: [foreign],
  });
  expect((await api.get(`/posts/${gone}`)).status).toBe(404);
  const many = await api.post("/posts/delete", { post_ids: Array.from({ length: 51 }, () => newId()) });
  expectError(many, 400, "too_many_post_ids");
  const both = await api.post("/posts/delete", { post_ids: [gone], postIds: [gone] });
  expect(both.status).toBe(422);
  const { body } = await api.get("/posts");
  expect(body.data.summary.by_status.posted).toBeGreaterThan(0);
});
