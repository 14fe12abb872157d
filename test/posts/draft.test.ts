// Prepare, update and commit over HTTP: drafts are checked but not published, and committed as planned.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant, queryRows } from "../support/harness.ts";
import { expectError, inHours, openPostTenant, updateAccount, updateDeliveries } from "./post-requests.ts";

const UNREACHABLE = { type: "video", url: "http://127.0.0.1:9/gone.mp4" };

const { tenant, api, instagram, tiktok, ...setting } = await openPostTenant();

const buildBody = (more: object = {}) =>
  setting.buildBody({ caption: "draft", accounts: [{ id: instagram.id }, { id: tiktok.id }], ...more });
const prepareDraft = async (more: object = {}) => (await api.post("/posts/prepare", buildBody(more))).body.data;

test("201 a draft with a check per account and no due delivery", async () => {
  const before = api.enqueuedDeliveries.length;
  const response = await api.post("/posts/prepare", buildBody({ caption: "x".repeat(2201) }));
  expect(response.status).toBe(201);
  const { data } = response.body;
  expect(data).toMatchObject({
    status: "draft",
    accounts: { total: 2, states: [{ status: "draft", next_attempt_at: null }, {}] },
  });
  expect(data.checks).toEqual(
    [instagram, tiktok].map(({ id }) => ({
      account_id: id,
      ok: false,
      caption_length: 2201,
      caption_limit: 2200,
      caption_unit: expect.any(String),
      problems: [{ path: "caption", message: expect.stringContaining("2201"), code: "caption_too_long" }],
    })),
  );
  expect(api.enqueuedDeliveries).toHaveLength(before);
  const due = await queryRows(
    sql`select 1 from post_deliveries where post_id = ${data.id} and next_attempt_at is not null`,
  );
  expect(due).toEqual([]);
});

test("400 commit of a draft with problems, 200 after PATCH fixed them", async () => {
  const { id } = await prepareDraft({ caption: "x".repeat(2201) });
  const rejected = await api.post(`/posts/${id}/commit`, {});
  expectError(rejected, 400, "validation_failed");
  const repaired = await api.patch(`/posts/${id}`, { caption: "short" });
  expect([repaired.status, repaired.body.data.status]).toEqual([200, "draft"]);
  const committed = await api.post(`/posts/${id}/commit`);
  expect([committed.status, committed.body.data.status]).toEqual([200, "pending"]);
  expect(api.enqueuedDeliveries.at(-1)?.deliveryIds).toHaveLength(2);
});

test("200 commit with the plan_hash, 409 plan_changed names the changed parts", async () => {
  const same = await prepareDraft();
  expect((await api.post(`/posts/${same.id}/commit`, { plan_hash: same.plan_hash })).status).toBe(200);
  const { id, plan_hash } = await prepareDraft();
  await api.patch(`/posts/${id}`, { caption: "other text", accounts: [{ id: instagram.id }] });
  const changed = await api.post(`/posts/${id}/commit`, { plan_hash });
  expectError(changed, 409, "plan_changed");
  expect(changed.body.message).toMatch(/caption, accounts/);
  expect(changed.body.message).not.toMatch(/media/);
  const { plan_hash: present } = (await api.patch(`/posts/${id}`, { caption: "draft" })).body.data;
  for (const invalidHash of ["abc", "", `${present}0`]) {
    const response = await api.post(`/posts/${id}/commit`, { plan_hash: invalidHash });
    expect([invalidHash, response.body.error_code]).toEqual([invalidHash, "plan_changed"]);
  }
});

test("409 plan_changed names the plan_hash with which the commit succeeds", async () => {
  const { id, plan_hash } = await prepareDraft();
  await api.patch(`/posts/${id}`, { caption: "other text", accounts: [{ id: tiktok.id }] });
  const { message } = (await api.post(`/posts/${id}/commit`, { plan_hash })).body;
  const [, named] = /plan_hash (\S+?)\.?$/.exec(message) ?? [];
  expect(named).toBeTruthy();
  expect(named).not.toBe(plan_hash);
  const committed = await api.post(`/posts/${id}/commit`, { plan_hash: named });
  expect([committed.status, committed.body.data.caption]).toEqual([200, "other text"]);
});

test("200 commit with its own time, or with the time of the draft", async () => {
  const at = inHours(2);
  const own = await prepareDraft({ scheduled_at: at });
  const kept = await api.post(`/posts/${own.id}/commit`, {});
  expect(kept.body.data).toMatchObject({ status: "scheduled", scheduled_at: at });
  const later = inHours(2.5);
  const moved = await prepareDraft({ scheduled_at: at });
  const response = await api.post(`/posts/${moved.id}/commit`, { scheduled_at: later });
  expect(response.body.data).toMatchObject({ status: "scheduled", scheduled_at: later });
  const past = await prepareDraft();
  const rejected = await api.post(`/posts/${past.id}/commit`, { scheduled_at: "2020-01-01T00:00:00Z" });
  expectError(rejected, 400, "validation_failed");
});

test("409 or the new caption when a draft is committed and updated concurrently, never the old caption", async () => {
  for (let round = 0; round < 5; round++) {
    const { id, plan_hash } = await prepareDraft();
    const [committed, changed] = await Promise.all([
      api.post(`/posts/${id}/commit`, {
        plan_hash,
        scheduled_at: inHours(2),
      }),
      api.patch(`/posts/${id}`, { caption: "changed" }),
    ]);
    const { caption } = (await api.get(`/posts/${id}`)).body.data;
    expect([changed.status, caption]).toEqual([200, "changed"]);
    expect([200, 409]).toContain(committed.status);
  }
});

test("201 checks and problems in the caller's order of accounts", async () => {
  const accounts = [tiktok, instagram];
  const named = buildBody({
    caption: "x".repeat(2201),
    accounts: accounts.map(({ id }) => ({ id: id.toUpperCase() })),
  });
  const { data } = (await api.post("/posts/prepare", named)).body;
  const order = accounts.map(({ id }) => ({ account_id: id }));
  expect(data.checks).toMatchObject(order);
  const reversed = await api.patch(`/posts/${data.id}`, { accounts: [{ id: instagram.id }, { id: tiktok.id }] });
  expect(reversed.body.data.checks).toMatchObject(order.toReversed());
  expect((await api.post("/posts", named)).body.fields).toMatchObject(order);
});

test("409 post_not_draft for every commit but one of 10 concurrent ones", async () => {
  const { id } = await prepareDraft();
  const responses = await Promise.all(Array.from({ length: 10 }, () => api.post(`/posts/${id}/commit`, {})));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
  expect(responses.find(({ status }) => status === 409)?.body.error_code).toBe("post_not_draft");
});

test("409 of a concurrent commit does not advise to create another post", async () => {
  const responses = [];
  for (let round = 0; round < 5; round++) {
    const { id } = await prepareDraft();
    const commits = Array.from({ length: 6 }, () => api.post(`/posts/${id}/commit`, {}));
    responses.push(...(await Promise.all(commits)));
  }
  const rejected = responses.filter(({ status }) => status !== 200);
  expect(rejected).toHaveLength(25);
  for (const { status, body } of rejected) {
    expect([status, body.error_code]).toEqual([409, expect.stringMatching(/^post_(not_draft|in_flight)$/)]);
    expect(body.message).not.toContain("Create a new post");
    if (body.error_code === "post_not_draft") expect(body.message).toContain("Read it");
  }
});

test("409 post_in_flight when a worker holds the lease", async () => {
  const { id } = await prepareDraft();
  await updateDeliveries(id, sql`lease_until = now() + interval '1 minute'`);
  const response = await api.post(`/posts/${id}/commit`, {});
  expectError(response, 409, "post_in_flight");
  expect((await api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("400 unknown_accounts for a draft without existing accounts, 404 for another workspace's draft", async () => {
  const unknown = await api.post("/posts/prepare", buildBody({ accounts: [{ id: newId() }] }));
  expectError(unknown, 400, "unknown_accounts");
  const { id } = await prepareDraft();
  const other = await createTestTenant();
  expect((await other.api.post(`/posts/${id}/commit`, {})).status).toBe(404);
  expect((await other.api.patch(`/posts/${id}`, { caption: "mine now" })).status).toBe(404);
});

test("400 for a pin without a board on create and commit, 201 for its draft, which can add the board later", async () => {
  const pinterest = await createTestAccount(tenant, "pinterest");
  const pin = buildBody({ accounts: [{ id: pinterest.id }] });
  const missing = { path: "pinterest.board_id", code: "board_id_missing", account_id: pinterest.id };
  const created = await api.post("/posts", pin);
  expectError(created, 400, "validation_failed");
  expect(created.body.fields).toMatchObject([
    { ...missing, message: expect.stringMatching(/board_id is required to publish/) },
  ]);
  const { status, body: prepared } = await api.post("/posts/prepare", pin);
  expect([status, prepared.data.checks[0].ok, prepared.data.warnings]).toEqual([201, false, []]);
  expect(prepared.data.checks[0].problems).toMatchObject([{ path: "pinterest.board_id", code: "board_id_missing" }]);
  const rejected = await api.post(`/posts/${prepared.data.id}/commit`, {});
  expect([rejected.status, rejected.body.fields]).toMatchObject([400, [missing]]);
  await api.patch(`/posts/${prepared.data.id}`, { pinterest: { board_id: "42" } });
  expect((await api.post(`/posts/${prepared.data.id}/commit`, {})).status).toBe(200);
});

test("400 media_unreachable on a commit, and the post stays a draft", async () => {
  const { id } = await prepareDraft({ media: UNREACHABLE, accounts: [{ id: instagram.id }] });
  expectError(await api.post(`/posts/${id}/commit`, {}), 400, "media_unreachable");
  expect((await api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("400 unknown_accounts on a commit after the account was paused, and the post stays a draft", async () => {
  const paused = await createTestAccount(tenant, "instagram");
  const { id } = await prepareDraft({ accounts: [{ id: paused.id }] });
  await updateAccount(paused.id, sql`status = 'paused'`);
  expectError(await api.post(`/posts/${id}/commit`, {}), 400, "unknown_accounts");
  expect((await api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("409 external_id_conflict for a draft with the external_id of another payload", async () => {
  const external_id = newId();
  await prepareDraft({ external_id });
  const response = await api.post("/posts/prepare", buildBody({ caption: "two", external_id }));
  expectError(response, 409, "external_id_conflict");
});
