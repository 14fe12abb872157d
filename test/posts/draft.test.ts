// Prepare, update and commit over HTTP: drafts are checked but not published, and committed as planned.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant, type TestAccount } from "../support/harness.ts";

let tenant: Tenant;
let instagram: TestAccount;
let tiktok: TestAccount;
let url: string;

beforeAll(async () => {
  tenant = await createTestTenant();
  [instagram, tiktok] = [await createTestAccount(tenant, "instagram"), await createTestAccount(tenant, "tiktok")];
  url = await uploadDemoVideo(tenant.api);
});

const buildBody = (more: object = {}) => ({
  caption: "draft",
  accounts: [{ id: instagram.id }, { id: tiktok.id }],
  media: { type: "video", url },
  ...more,
});
const prepareDraft = async (more: object = {}) => (await tenant.api.post("/posts/prepare", buildBody(more))).body.data;

test("201 a draft with a check per account and no due delivery", async () => {
  const before = tenant.api.enqueuedDeliveries.length;
  const answer = await tenant.api.post("/posts/prepare", buildBody({ caption: "x".repeat(2201) }));
  expect(answer.status).toBe(201);
  const { data } = answer.body;
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
  expect(tenant.api.enqueuedDeliveries).toHaveLength(before);
  const due = await queryRows(
    sql`select 1 from post_deliveries where post_id = ${data.id} and next_attempt_at is not null`,
  );
  expect(due).toEqual([]);
});

test("400 commit of a draft with problems, 200 after PATCH fixed them", async () => {
  const { id } = await prepareDraft({ caption: "x".repeat(2201) });
  const rejected = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([rejected.status, rejected.body.error_code]).toEqual([400, "validation_failed"]);
  const repaired = await tenant.api.patch(`/posts/${id}`, { caption: "short" });
  expect([repaired.status, repaired.body.data.status]).toEqual([200, "draft"]);
  const committed = await tenant.api.post(`/posts/${id}/commit`);
  expect([committed.status, committed.body.data.status]).toEqual([200, "pending"]);
  expect(tenant.api.enqueuedDeliveries.at(-1)?.deliveryIds).toHaveLength(2);
});

test("200 commit with the plan_hash, 409 plan_changed names the changed parts", async () => {
  const same = await prepareDraft();
  expect((await tenant.api.post(`/posts/${same.id}/commit`, { plan_hash: same.plan_hash })).status).toBe(200);
  const { id, plan_hash } = await prepareDraft();
  await tenant.api.patch(`/posts/${id}`, { caption: "other text", accounts: [{ id: instagram.id }] });
  const changed = await tenant.api.post(`/posts/${id}/commit`, { plan_hash });
  expect([changed.status, changed.body.error_code]).toEqual([409, "plan_changed"]);
  expect(changed.body.message).toMatch(/caption, accounts/);
  expect(changed.body.message).not.toMatch(/media/);
  const { plan_hash: present } = (await tenant.api.patch(`/posts/${id}`, { caption: "draft" })).body.data;
  for (const invalidHash of ["abc", "", `${present}0`]) {
    const answer = await tenant.api.post(`/posts/${id}/commit`, { plan_hash: invalidHash });
    expect([invalidHash, answer.body.error_code]).toEqual([invalidHash, "plan_changed"]);
  }
});

test("409 plan_changed names the plan_hash with which the commit succeeds", async () => {
  const { id, plan_hash } = await prepareDraft();
  await tenant.api.patch(`/posts/${id}`, { caption: "other text", accounts: [{ id: tiktok.id }] });
  const { message } = (await tenant.api.post(`/posts/${id}/commit`, { plan_hash })).body;
  const [, named] = /plan_hash (\S+?)\.?$/.exec(message) ?? [];
  expect(named).toBeTruthy();
  expect(named).not.toBe(plan_hash);
  const committed = await tenant.api.post(`/posts/${id}/commit`, { plan_hash: named });
  expect([committed.status, committed.body.data.caption]).toEqual([200, "other text"]);
});

test("200 commit with its own time, or with the time of the draft", async () => {
  const at = new Date(Date.now() + 7_200_000).toISOString();
  const own = await prepareDraft({ scheduled_at: at });
  const kept = await tenant.api.post(`/posts/${own.id}/commit`, {});
  expect(kept.body.data).toMatchObject({ status: "scheduled", scheduled_at: at });
  const later = new Date(Date.now() + 9_000_000).toISOString();
  const moved = await prepareDraft({ scheduled_at: at });
  const answer = await tenant.api.post(`/posts/${moved.id}/commit`, { scheduled_at: later });
  expect(answer.body.data).toMatchObject({ status: "scheduled", scheduled_at: later });
  const past = await prepareDraft();
  const rejected = await tenant.api.post(`/posts/${past.id}/commit`, { scheduled_at: "2020-01-01T00:00:00Z" });
  expect([rejected.status, rejected.body.error_code]).toEqual([400, "validation_failed"]);
});

test("409 or the new caption when a draft is committed and updated concurrently, never the old caption", async () => {
  for (let round = 0; round < 5; round++) {
    const { id, plan_hash } = await prepareDraft();
    const [committed, changed] = await Promise.all([
      tenant.api.post(`/posts/${id}/commit`, {
        plan_hash,
        scheduled_at: new Date(Date.now() + 7_200_000).toISOString(),
      }),
      tenant.api.patch(`/posts/${id}`, { caption: "changed" }),
    ]);
    const { caption } = (await tenant.api.get(`/posts/${id}`)).body.data;
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
  const { data } = (await tenant.api.post("/posts/prepare", named)).body;
  const order = accounts.map(({ id }) => ({ account_id: id }));
  expect(data.checks).toMatchObject(order);
  const reversed = await tenant.api.patch(`/posts/${data.id}`, { accounts: [{ id: instagram.id }, { id: tiktok.id }] });
  expect(reversed.body.data.checks).toMatchObject(order.toReversed());
  expect((await tenant.api.post("/posts", named)).body.fields).toMatchObject(order);
});

test("409 post_not_draft for every commit but one of 10 concurrent ones", async () => {
  const { id } = await prepareDraft();
  const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.api.post(`/posts/${id}/commit`, {})));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body.error_code).toBe("post_not_draft");
});

test("409 of a concurrent commit does not advise to create another post", async () => {
  const answers = [];
  for (let round = 0; round < 5; round++) {
    const { id } = await prepareDraft();
    const commits = Array.from({ length: 6 }, () => tenant.api.post(`/posts/${id}/commit`, {}));
    answers.push(...(await Promise.all(commits)));
  }
  const rejected = answers.filter(({ status }) => status !== 200);
  expect(rejected).toHaveLength(25);
  for (const { status, body } of rejected) {
    expect([status, body.error_code]).toEqual([409, expect.stringMatching(/^post_(not_draft|in_flight)$/)]);
    expect(body.message).not.toContain("Create a new post");
    if (body.error_code === "post_not_draft") expect(body.message).toContain("Read it");
  }
});

test("409 post_in_flight when a worker holds the lease", async () => {
  const { id } = await prepareDraft();
  await queryRows(
    sql`update post_deliveries set lease_until = now() + interval '1 minute' where post_id = ${id} returning id`,
  );
  const answer = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([answer.status, answer.body.error_code]).toEqual([409, "post_in_flight"]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("400 unknown_accounts for a draft without existing accounts, 404 for another workspace's draft", async () => {
  const unknown = await tenant.api.post("/posts/prepare", buildBody({ accounts: [{ id: newId() }] }));
  expect([unknown.status, unknown.body.error_code]).toEqual([400, "unknown_accounts"]);
  const { id } = await prepareDraft();
  const other = await createTestTenant();
  expect((await other.api.post(`/posts/${id}/commit`, {})).status).toBe(404);
  expect((await other.api.patch(`/posts/${id}`, { caption: "mine now" })).status).toBe(404);
});

test("400 for a pin without a board on create and commit, 201 for its draft, which can add the board later", async () => {
  const pinterest = await createTestAccount(tenant, "pinterest");
  const pin = buildBody({ accounts: [{ id: pinterest.id }] });
  const missing = { path: "pinterest.board_id", code: "board_id_missing", account_id: pinterest.id };
  const created = await tenant.api.post("/posts", pin);
  expect([created.status, created.body.error_code]).toEqual([400, "validation_failed"]);
  expect(created.body.fields).toMatchObject([
    { ...missing, message: expect.stringMatching(/board_id is required to publish/) },
  ]);
  const { status, body: prepared } = await tenant.api.post("/posts/prepare", pin);
  expect([status, prepared.data.checks[0].ok, prepared.data.warnings]).toEqual([201, false, []]);
  expect(prepared.data.checks[0].problems).toMatchObject([{ path: "pinterest.board_id", code: "board_id_missing" }]);
  const rejected = await tenant.api.post(`/posts/${prepared.data.id}/commit`, {});
  expect([rejected.status, rejected.body.fields]).toMatchObject([400, [missing]]);
  await tenant.api.patch(`/posts/${prepared.data.id}`, { pinterest: { board_id: "42" } });
  expect((await tenant.api.post(`/posts/${prepared.data.id}/commit`, {})).status).toBe(200);
});
