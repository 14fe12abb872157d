// PATCH, retry and delete over HTTP: what they change, and that they never cross a publisher at work.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import * as deliveries from "../../lib/queries/deliveries.ts";
import { uploadedVideo } from "../files/uploaded.ts";
import { database, type MintedAccount, mintAccount, mintTenant, rows, type Tenant } from "../harness.ts";

let tenant: Tenant;
let instagram: MintedAccount;
let tiktok: MintedAccount;
let bluesky: MintedAccount;
let url: string;

beforeAll(async () => {
  tenant = await mintTenant();
  [instagram, tiktok] = [await mintAccount(tenant, "instagram"), await mintAccount(tenant, "tiktok")];
  bluesky = await mintAccount(tenant, "bluesky");
  url = await uploadedVideo(tenant.api);
});

const HOUR = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR).toISOString();

async function scheduled(more: object = {}): Promise<string> {
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

/** Puts the deliveries of a post into a state that only a publisher makes. */
const put = (postId: string, set: ReturnType<typeof sql>) =>
  rows(sql`update post_deliveries set ${set} where post_id = ${postId} returning id`);

test("200 changes caption, settings, accounts and media, and null clears", async () => {
  const id = await scheduled({ settings: { instagram: { share_to_feed: true } } });
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
  const [row] = await rows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(row?.settings).toEqual({ instagram: { share_to_feed: true, post_type: "story" } });
  const without = { accounts: [{ id: tiktok.id }], settings: { "instagram-standalone": null } };
  expect((await tenant.api.patch(`/posts/${id}`, without)).status).toBe(200);
  const [left] = await rows<{ settings: object }>(sql`select settings from posts where id = ${id}`);
  expect(left?.settings).toEqual({});
  const twice = await tenant.api.patch(`/posts/${id}`, { settings: { x: null, twitter: {} } });
  expect([twice.status, Object.keys(twice.body.issues.fieldErrors)]).toEqual([422, ["settings"]]);
  const cleared = await tenant.api.patch(`/posts/${id}`, { media: null });
  expect([cleared.status, cleared.body.error_code]).toEqual([400, "validation_failed"]);
});

test("200 scheduled_at moves it, null publishes at once", async () => {
  const id = await scheduled();
  const at = new Date(Date.now() + 2 * HOUR).toISOString();
  expect((await tenant.api.patch(`/posts/${id}`, { scheduled_at: at })).body.data).toMatchObject({
    status: "scheduled",
    scheduled_at: at,
  });
  const before = tenant.api.nudged.length;
  const now = await tenant.api.patch(`/posts/${id}`, { scheduled_at: null });
  expect(now.body.data).toMatchObject({ status: "pending", scheduled_at: null });
  expect(tenant.api.nudged.length).toBe(before + 1);
});

test("409 post_in_flight while a publisher holds it or its outcome is unknown; nothing is changed", async () => {
  for (const set of [
    sql`status = 'pending', lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute'`,
    sql`status = 'retry', stage = 'armed'`,
    sql`status = 'pending', stage = 'sent'`,
  ]) {
    const id = await scheduled();
    await put(id, set);
    const answer = await tenant.api.patch(`/posts/${id}`, { caption: "too late" });
    expect([answer.status, answer.body.error_code]).toEqual([409, "post_in_flight"]);
    expect((await tenant.api.get(`/posts/${id}`)).body.data.caption).toBe("one");
    const deleted = await tenant.api.post("/posts/delete", { post_ids: [id] });
    expect(deleted.body.data).toMatchObject({ deletedIds: [], blockedStatuses: [{ id }] });
  }
});

test("409 post_not_editable for what is out, 409 external_id_immutable", async () => {
  const id = await scheduled({ external_id: newId() });
  const moved = await tenant.api.patch(`/posts/${id}`, { external_id: newId() });
  expect([moved.status, moved.body.error_code]).toEqual([409, "external_id_immutable"]);
  await put(id, sql`status = 'posted', next_attempt_at = null`);
  const out = await tenant.api.patch(`/posts/${id}`, { caption: "too late" });
  expect([out.status, out.body.error_code]).toEqual([409, "post_not_editable"]);
});

test("422 for an empty patch, with issues", async () => {
  const answer = await tenant.api.patch(`/posts/${await scheduled()}`, {});
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(answer.body.issues.formErrors).toHaveLength(1);
});

test("200 for parallel changes, and none of them is lost", async () => {
  const id = await scheduled();
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

test("200 or 400 for changes that only together are wrong: one is refused, whichever comes second", async () => {
  const id = await scheduled();
  const answers = await Promise.all([
    tenant.api.patch(`/posts/${id}`, { media: null, accounts: [{ id: bluesky.id }] }),
    tenant.api.patch(`/posts/${id}`, { caption: "x".repeat(301) }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test("an edit and a publisher at the same moment: one wins, never both", async () => {
  for (let round = 0; round < 20; round++) {
    const id = await scheduled();
    await put(id, sql`next_attempt_at = now(), due_at = now()`);
    const [row] = await rows<{ id: string }>(sql`select id from post_deliveries where post_id = ${id}`);
    const now = new Date();
    const [edit, claimed] = await Promise.all([
      tenant.api.patch(`/posts/${id}`, { caption: "edited" }),
      deliveries.claim(database(), {
        now,
        leaseUntil: new Date(now.getTime() + 60_000),
        leaseToken: newId(),
        ids: [row?.id ?? ""],
        accountIds: [],
        limit: 1,
      }),
    ]);
    const published = claimed[0]?.post.caption;
    // Either the publisher holds what was there before and the edit is refused, or it sees the edit, or it comes later.
    expect([edit.status, published]).toEqual(
      edit.status === 200 ? [200, published === undefined ? undefined : "edited"] : [409, "one"],
    );
    await put(id, sql`lease_token = null, lease_until = null, status = 'failed', next_attempt_at = null`);
    await rows(sql`update accounts set lease_token = null, lease_until = null where id = ${instagram.id} returning id`);
  }
});

test("200 an edit after a publisher's lease ran out: the publisher, should it wake, works on what it read no more", async () => {
  const account = await mintAccount(tenant, "instagram");
  const id = await scheduled({ accounts: [{ id: account.id }] });
  await put(id, sql`next_attempt_at = now(), due_at = now()`);
  const [row] = await rows<{ id: string }>(sql`select id from post_deliveries where post_id = ${id}`);
  const now = new Date();
  const [claimed] = await deliveries.claim(database(), {
    now,
    leaseUntil: new Date(now.getTime() - 1),
    leaseToken: newId(),
    ids: [row?.id ?? ""],
    accountIds: [],
    limit: 1,
  });
  if (!claimed) throw new Error("not claimed");
  expect((await tenant.api.patch(`/posts/${id}`, { caption: "edited" })).status).toBe(200);
  const again = new Date(Date.now() + 60_000);
  expect(await deliveries.extendLease(database(), claimed, again)).toBe(false);
  const step = { step: "start", outcome: "started" };
  expect(await deliveries.record(database(), claimed, { stage: "started" }, step, now, again)).toBe(false);
});

test("200 retry sends failed deliveries again, and says why others are not", async () => {
  const [failed, pending] = [await scheduled(), await scheduled()];
  await put(
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
  });
  const { body } = await tenant.api.get(`/posts/${failed}`);
  expect(body.data).toMatchObject({ status: "pending", accounts: { states: [{ attempts: 0, error_message: null }] } });
  await put(failed, sql`status = 'failed', next_attempt_at = null, stage = 'armed'`);
  const elsewhere = await tenant.api.post("/posts/retry", { post_ids: [failed], account_ids: [tiktok.id] });
  expect(elsewhere.body.data).toMatchObject({ retried: 0, failed: [failed] });
  await tenant.api.post("/posts/retry", { post_ids: [failed], account_ids: [instagram.id] });
  const [row] = await rows<{ stage: string }>(sql`select stage from post_deliveries where post_id = ${failed}`);
  expect(row?.stage).toBe("armed");
});

test("200 delete tells what went, what is blocked and what is not there; 400 over 50", async () => {
  const [gone, out, foreign] = [await scheduled(), await scheduled(), newId()];
  await put(out, sql`status = 'posted', next_attempt_at = null`);
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
